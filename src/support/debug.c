#include "support/debug.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/environment.h"

static const char *words;

// Read once: threads of ours ask while the program may be changing its environment.
static void read_words(void) {
    const char *list = environment_get("KUDZU_DEBUG");
    words = list && *list ? strdup(list) : NULL;
}

bool debug_on(const char *what) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_words);
    const char *list = words;
    size_t n = strlen(what);
    while (list && *list) {
        size_t word = strcspn(list, ",");
        if ((word == n && !memcmp(list, what, n)) || (word == 3 && !memcmp(list, "all", 3)))
            return true;
        list += word + (list[word] == ',');
    }
    return false;
}
