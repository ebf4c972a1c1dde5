#include "support/debug.h"

#include <stdlib.h>
#include <string.h>

bool debug_on(const char *what) {
    const char *list = getenv("KUDZU_DEBUG");
    size_t n = strlen(what);
    while (list && *list) {
        size_t word = strcspn(list, ",");
        if ((word == n && !memcmp(list, what, n)) || (word == 3 && !memcmp(list, "all", 3)))
            return true;
        list += word + (list[word] == ',');
    }
    return false;
}
