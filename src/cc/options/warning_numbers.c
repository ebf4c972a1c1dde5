#include "cc/options/warning_numbers.h"

#include <stdlib.h>
#include <string.h>

// The first line with a flag tells its number, so that those come first which newer editions print.
static const struct {
    unsigned number;
    const char *name, *flag;
} known[] = {
    {39, "divide_by_zero", "division-by-zero"},
    {47, "", "macro-redefined"},
    {62, "", "shift-count-negative"},
    {63, "", "shift-count-overflow"},
    {64, "", "missing-declarations"},
    {69, "integer_truncated", "constant-conversion"},
    {UNREACHABLE_CODE, "code_is_unreachable", "unreachable-code"},
    {UNREACHABLE_LOOP, "loop_not_reachable",
     "unreachable-loop"}, // clang's flag is unreachable-code
    {174, "expr_has_no_effect", "unused-value"},
    {174, "expr_has_no_effect", "unused-comparison"},
    {177, "declared_but_not_referenced", "unused-variable"},
    {177, "declared_but_not_referenced", "unused-function"},
    {186, "unsigned_compare_with_zero", "tautological-unsigned-zero-compare"},
    {549, "used_before_set", "uninitialized"},
    {550, "set_but_not_used", "unused-but-set-variable"},
    {940, "implicit_return_from_non_void_function", "return-type"},
    {1105, "", "#warnings"},
    {1444, "deprecated_entity_with_custom_message", "deprecated-declarations"},
    {1215, "deprecated_entity", "deprecated-declarations"},
    {20012, "", "defaulted-function-annotation"}, // kudzu's own
    {20013, "", "constexpr-host-call"},           // kudzu's own
    {HOST_CALL, "", "host-call"},                 // kudzu's own
    {20011, "", "host-call"},                     // nvcc: outside of templates
    {20039, "", "redeclared-execution-space"},    // kudzu's own
    {20044, "extern_entity_treated_as_static", "extern-entity-treated-as-static"}, // kudzu's own
    {20208, "", "long-double"},                                                    // kudzu's own
    {20306, "", "cluster-scope"},                                                  // kudzu's own
    {20054, "static_var_with_dynamic_init", "static-var-with-dynamic-init"},       // kudzu's own
};
enum { KNOWN = sizeof known / sizeof known[0] };
enum { OWN_NUMBERS = 20000 }; // from here on nvcc's are of CUDA, and clang has no flags for them

const char *const warnings_by_default[] = {"unused-variable",
                                           "unused-function",
                                           "unused-but-set-variable",
                                           "uninitialized",
                                           "unreachable-code",
                                           "tautological-unsigned-zero-compare",
                                           NULL};

static bool is_name(const char *name, const char *text, size_t n) {
    return *name && strlen(name) == n && !memcmp(name, text, n);
}

unsigned warning_number(const char *flag, size_t n) {
    for (size_t i = 0; i < KNOWN; ++i)
        if (is_name(known[i].flag, flag, n))
            return known[i].number;
    return 0;
}

// The number that messages of the kind show.
static unsigned shown_number(unsigned number) {
    for (size_t i = 0; i < KNOWN; ++i)
        if (known[i].number == number)
            return warning_number(known[i].flag, strlen(known[i].flag));
    return 0;
}

unsigned warning_called(const char *name, size_t n) {
    if (n && strspn(name, "0123456789") >= n)
        return shown_number((unsigned)strtoul(name, NULL, 10));
    for (size_t i = 0; i < KNOWN; ++i)
        if (is_name(known[i].name, name, n))
            return shown_number(known[i].number);
    return 0;
}

const char *warning_flag(unsigned number, size_t i) {
    for (size_t k = 0; k < KNOWN; ++k)
        if (number && shown_number(known[k].number) == number && number < OWN_NUMBERS &&
            number != UNREACHABLE_LOOP && i-- == 0)
            return known[k].flag;
    return NULL;
}
