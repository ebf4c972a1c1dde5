#include "nvjitlink/options.h"

#include <stdlib.h>
#include <string.h>

#include "assembler/ptxas_options.h"
#include "assembler/tool_options.h"

enum {
    TARGET = 1,
    MAX_REGISTERS,
    VERBOSE,
    PTXAS,
    LTO,
    OPT_LEVEL,
    DEBUG,
    FTZ,
    PREC_DIV,
    PREC_SQRT,
    FMA
};

// What decides how code is optimised has an effect on LTO code alone: PTX is linked as it is.
static const struct tool_option options[] = {
    {"arch", NULL, TOOL_VALUE, TARGET, NULL},
    {"maxrregcount", NULL, TOOL_VALUE, MAX_REGISTERS, NULL},
    {"verbose", NULL, TOOL_FLAG, VERBOSE, NULL},
    {"Xptxas", NULL, TOOL_VALUE, PTXAS, NULL},
    {"O", NULL, TOOL_JOINED, OPT_LEVEL, NULL},
    {"Xnvvm", NULL, TOOL_VALUE, 0, NULL},
    {"device-stack-protector", NULL, TOOL_SWITCH, 0, NULL},
    {"dlto", NULL, TOOL_FLAG, LTO, NULL},
    {"fma", NULL, TOOL_VALUE, FMA, NULL},
    {"ftz", NULL, TOOL_VALUE, FTZ, NULL},
    {"g", NULL, TOOL_FLAG, DEBUG, NULL},
    {"jump-table-density", NULL, TOOL_VALUE, 0, NULL},
    {"kernels-used", NULL, TOOL_VALUE, 0, NULL},
    {"lineinfo", NULL, TOOL_FLAG, 0, NULL},
    {"lto", NULL, TOOL_FLAG, LTO, NULL},
    {"no-cache", NULL, TOOL_FLAG, 0, NULL},
    {"numba-debug", NULL, TOOL_FLAG, 0, NULL},
    {"optimize-unused-variables", NULL, TOOL_FLAG, 0, NULL},
    {"prec-div", NULL, TOOL_VALUE, PREC_DIV, NULL},
    {"prec-sqrt", NULL, TOOL_VALUE, PREC_SQRT, NULL},
    {"ptx", NULL, TOOL_FLAG, 0, NULL},
    {"split-compile", NULL, TOOL_VALUE, 0, NULL},
    {"split-compile-extended", NULL, TOOL_VALUE, 0, NULL},
    {"time", NULL, TOOL_FLAG, 0, NULL},
    {"variables-used", NULL, TOOL_VALUE, 0, NULL},
};

struct reading {
    struct device_linking *linking;
    struct lto_options *lto;
    tool_words ptxas;
};

static bool set_registers(struct device_linking *l, const char *value) {
    char *end;
    unsigned long registers = strtoul(value, &end, 10);
    if (*end || registers > 1023 || *value == '-')
        return tool_say(l->log, TOOL_FATAL, NULL, 0, "'%s' is no number of registers", value);
    l->options.max_registers = (uint32_t)registers;
    return true;
}

// false, true, 0, 1.
static bool set_truth(struct reading *r, const char *value, bool yes, bool *out) {
    bool is_true = !strcmp(value, "true") || !strcmp(value, "1");
    if (!is_true && strcmp(value, "false") && strcmp(value, "0"))
        return tool_say(r->linking->log, TOOL_FATAL, NULL, 0, "'%s' is neither true nor false",
                        value);
    *out = is_true == yes;
    return true;
}

static bool take(void *user, int id, const char *value) {
    struct reading *r = user;
    struct device_linking *l = r->linking;
    struct target target;
    switch (id) {
    case TARGET:
        l->options.target = arena_strdup(l->arena, value);
        return target_find(value, &target) ||
               tool_say(l->log, TOOL_FATAL, NULL, 0, "'%s' is no architecture that is known",
                        value);
    case MAX_REGISTERS:
        return set_registers(l, value);
    case VERBOSE:
        return l->options.verbose = true;
    case PTXAS:
        vec_push(l->arena, &r->ptxas, arena_strdup(l->arena, value));
        return true;
    case LTO:
        return r->lto->enabled = true;
    case OPT_LEVEL:
        r->lto->no_optimization = !strcmp(value, "0");
        return true;
    case DEBUG:
        return r->lto->debug = true;
    case FTZ:
        return set_truth(r, value, true, &r->lto->ftz);
    case PREC_DIV:
        return set_truth(r, value, false, &r->lto->no_prec_div);
    case PREC_SQRT:
        return set_truth(r, value, false, &r->lto->no_prec_sqrt);
    case FMA:
        return set_truth(r, value, false, &r->lto->no_fma);
    default:
        return tool_say(l->log, TOOL_FATAL, NULL, 0, "'%s' is no option", value);
    }
}

// Of ptxas's options those count that concern an image.
static bool read_ptxas(struct reading *r) {
    struct device_linking *l = r->linking;
    struct ptxas_options o;
    if (!ptxas_options_read(l->arena, l->log, (int)r->ptxas.len, r->ptxas.data, &o))
        return false;
    l->options.verbose |= o.assembler.verbose;
    if (o.assembler.max_registers)
        l->options.max_registers = o.assembler.max_registers;
    return true;
}

bool nvjitlink_options_read(struct device_linking *l, struct lto_options *lto, uint32_t n,
                            const char *const *given, nvJitLinkResult *result) {
    struct reading r = {.linking = l, .lto = lto};
    struct tool_options o = {l->arena, l->log, options, sizeof options / sizeof *options, take, &r};
    *result = NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
    for (uint32_t i = 0; i < n; i++)
        if (!given[i])
            return tool_say(l->log, TOOL_FATAL, NULL, 0, "option %u is NULL", i + 1);
    if (!tool_options_read(&o, (int)n, given) || !read_ptxas(&r))
        return false;
    if (l->options.target)
        return true;
    *result = NVJITLINK_ERROR_MISSING_ARCH;
    return tool_say(l->log, TOOL_FATAL, NULL, 0, "-arch is missing");
}
