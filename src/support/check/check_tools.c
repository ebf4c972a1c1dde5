#include "support/check/check_tools.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "support/environment.h"

static const struct {
    const char *name;
    unsigned tools;
} words[] = {
    {"memory", CHECK_MEMORY},
    {"race", CHECK_RACE},
    {"init", CHECK_INIT},
    {"sync", CHECK_SYNC},
    {"apart", CHECK_APART},
    {"api", CHECK_API},
    {"errors", CHECK_EVERY_ERROR},
    {"leaks", CHECK_LEAKS},
    {"unwritten", CHECK_UNWRITTEN},
    {"reads", CHECK_READS},
    {"all", CHECK_KERNELS | CHECK_API},
};

static unsigned tools_of(const char *word, size_t n) {
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k].name) == n && !memcmp(words[k].name, word, n))
            return words[k].tools;
    return 0;
}

bool check_tools_parse(const char *list, unsigned *tools) {
    bool known = true;
    *tools = 0;
    while (*list) {
        size_t n = strcspn(list, ",");
        unsigned t = tools_of(list, n);
        known &= t || !n;
        *tools |= t;
        list += n + (list[n] == ',');
    }
    return known;
}

void check_tools_print(unsigned tools, char *list, size_t size) {
    size_t n = 0;
    *list = 0;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if ((words[k].tools & tools) && !(words[k].tools & (words[k].tools - 1)) && n < size)
            n += (size_t)snprintf(list + n, size - n, "%s%s", n ? "," : "", words[k].name);
}

static unsigned wanted(void) {
    static atomic_uint known; // one more than the tools
    unsigned tools = atomic_load_explicit(&known, memory_order_relaxed);
    if (tools)
        return tools - 1;
    const char *value = environment_get(CHECK_TOOLS_VARIABLE);
    check_tools_parse(value ? value : "", &tools);
    atomic_store_explicit(&known, tools + 1, memory_order_relaxed);
    return tools;
}

unsigned check_tools(void) {
    return wanted() & (CHECK_KERNELS | CHECK_APART | CHECK_READS);
}

unsigned check_calls(void) {
    return wanted() & CHECK_HOST;
}
