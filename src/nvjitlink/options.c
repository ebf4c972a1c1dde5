#include "nvjitlink/options.h"

#include <stdlib.h>
#include <string.h>

#include "assembler/ptxas_options.h"
#include "assembler/tool_options.h"

enum { TARGET = 1, MAX_REGISTERS, VERBOSE, PTXAS };

// What decides how code is optimised has no effect: PTX is linked as it is.
static const struct tool_option options[] = {
    {"arch", NULL, TOOL_VALUE, TARGET, NULL},
    {"maxrregcount", NULL, TOOL_VALUE, MAX_REGISTERS, NULL},
    {"verbose", NULL, TOOL_FLAG, VERBOSE, NULL},
    {"Xptxas", NULL, TOOL_VALUE, PTXAS, NULL},
    {"O", NULL, TOOL_JOINED, 0, NULL},
    {"Xnvvm", NULL, TOOL_VALUE, 0, NULL},
    {"device-stack-protector", NULL, TOOL_SWITCH, 0, NULL},
    {"dlto", NULL, TOOL_FLAG, 0, NULL},
    {"fma", NULL, TOOL_VALUE, 0, NULL},
    {"ftz", NULL, TOOL_VALUE, 0, NULL},
    {"g", NULL, TOOL_FLAG, 0, NULL},
    {"jump-table-density", NULL, TOOL_VALUE, 0, NULL},
    {"kernels-used", NULL, TOOL_VALUE, 0, NULL},
    {"lineinfo", NULL, TOOL_FLAG, 0, NULL},
    {"lto", NULL, TOOL_FLAG, 0, NULL},
    {"no-cache", NULL, TOOL_FLAG, 0, NULL},
    {"numba-debug", NULL, TOOL_FLAG, 0, NULL},
    {"optimize-unused-variables", NULL, TOOL_FLAG, 0, NULL},
    {"prec-div", NULL, TOOL_VALUE, 0, NULL},
    {"prec-sqrt", NULL, TOOL_VALUE, 0, NULL},
    {"ptx", NULL, TOOL_FLAG, 0, NULL},
    {"split-compile", NULL, TOOL_VALUE, 0, NULL},
    {"split-compile-extended", NULL, TOOL_VALUE, 0, NULL},
    {"time", NULL, TOOL_FLAG, 0, NULL},
    {"variables-used", NULL, TOOL_VALUE, 0, NULL},
};

struct reading {
    struct device_linking *linking;
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

bool nvjitlink_options_read(struct device_linking *l, uint32_t n, const char *const *given,
                            nvJitLinkResult *result) {
    struct reading r = {.linking = l};
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
