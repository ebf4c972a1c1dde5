#include "support/check/check_filter.h"

#include <pthread.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/environment.h"
#include "support/run_report.h"

enum match { MATCH_WHOLE, MATCH_PART, MATCH_REGEX };
struct rule {
    bool excludes;
    enum match match;
    const char *text;
    regex_t regex;
    struct rule *next;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct rule *rules;
static bool includes; // kernels are named that are looked at
static uint64_t skip, count;
static _Atomic uint64_t launches; // of kernels that are looked at

static bool match_of(const char *line, size_t n, enum match *match) {
    static const struct {
        const char *key;
        enum match match;
    } keys[] = {{"kernel_name", MATCH_WHOLE},
                {"kne", MATCH_WHOLE},
                {"kernel_substring", MATCH_PART},
                {"kns", MATCH_PART},
                {"regex", MATCH_REGEX}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strlen(keys[k].key) == n && !strncmp(line, keys[k].key, n)) {
            *match = keys[k].match;
            return true;
        }
    return false;
}

// Fills in a rule from "+KEY=VALUE"; its regex is compiled where it has one.
static bool read_rule(const char *line, struct rule *r, const char **why) {
    const char *equals = strchr(line, '=');
    *r = (struct rule){.excludes = *line == '-'};
    *why = "kernels are chosen by kernel_name=, kernel_substring= (kne=, kns=) or regex=";
    if (!equals || !match_of(line + 1, (size_t)(equals - line - 1), &r->match))
        return false;
    r->text = equals + 1;
    *why = "the regular expression is none";
    return r->match != MATCH_REGEX || !regcomp(&r->regex, r->text, REG_EXTENDED | REG_NOSUB);
}

bool check_filter_valid(const char *line, const char **why) {
    struct rule r;
    if (!read_rule(line, &r, why))
        return false;
    if (r.match == MATCH_REGEX)
        regfree(&r.regex);
    return true;
}

static void add_line(const char *line) {
    const char *why;
    struct rule *r;
    if (!strncmp(line, "skip=", 5)) {
        skip = strtoull(line + 5, NULL, 10);
    } else if (!strncmp(line, "count=", 6)) {
        count = strtoull(line + 6, NULL, 10);
    } else if ((r = malloc(sizeof *r)) && read_rule(line, r, &why)) {
        r->next = rules;
        rules = r;
        includes |= !r->excludes;
    } else {
        free(r);
    }
}

static void read_all(void) {
    const char *value = environment_get(CHECK_FILTER_VARIABLE);
    char *copy = value ? strdup(value) : NULL, *rest = copy;
    for (char *line; rest && (line = strsep(&rest, "\n"));)
        if (*line)
            add_line(line);
    // The texts of rules are parts of the copy.
}

static bool matches(const struct rule *r, const char *name) {
    switch (name ? r->match : MATCH_WHOLE) {
    case MATCH_PART:
        return strstr(name, r->text) != NULL;
    case MATCH_REGEX:
        return !regexec(&r->regex, name, 0, NULL, 0);
    default:
        return name && !strcmp(name, r->text);
    }
}

static bool kernel_wanted(const char *kernel) {
    if (!rules)
        return true;
    bool included = !includes, excluded = false;
    char *written = run_report_demangle(kernel);
    for (const struct rule *r = rules; r; r = r->next)
        if (matches(r, kernel) || matches(r, written)) {
            included |= !r->excludes;
            excluded |= r->excludes;
        }
    free(written);
    return included && !excluded;
}

bool check_filter_launch(const char *kernel) {
    pthread_once(&once, read_all);
    if (!kernel_wanted(kernel))
        return false;
    uint64_t number = atomic_fetch_add_explicit(&launches, 1, memory_order_relaxed);
    return number >= skip && (!count || number - skip < count);
}
