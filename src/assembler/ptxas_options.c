#include "assembler/ptxas_options.h"

#include <stdlib.h>
#include <string.h>

#include "cc/options/architectures.h"

enum {
    OUTPUT = 1,
    TARGET,
    RELOCATABLE,
    VERBOSE,
    HELP,
    VERSION,
    LIST,
    INPUT_IS_TEXT,
    MAX_REGISTERS,
    NO_WARNINGS,
    WARNINGS_ARE_ERRORS,
    OPT_LEVEL,
    MACHINE,
    NATIVE
};

// In the order of --help. What decides how a GPU's machine code looks has no effect: the PTX stays
// as it is, and CPUs' code is made when a kernel is launched.
static const struct tool_option options[] = {
    {"output-file", "o", TOOL_VALUE, OUTPUT, "Where the image goes; elf.o if it is not given."},
    {"gpu-name", "arch", TOOL_VALUE, TARGET,
     "For which architecture: sm_50 to sm_121a; sm_52 if it is not given."},
    {"compile-only", "c", TOOL_FLAG, RELOCATABLE,
     "Other files may define what is missing; nvlink links the image."},
    {"verbose", "v", TOOL_FLAG, VERBOSE, "Tells what each kernel takes of registers and memory."},
    {"help", "h", TOOL_FLAG, HELP, "This text."},
    {"version", "V", TOOL_FLAG, VERSION, "The version."},
    {"list-arch", "arch-ls", TOOL_FLAG, LIST, "Lists the architectures."},
    {"input-as-string", "ias", TOOL_FLAG, INPUT_IS_TEXT, "Arguments are PTX, not files."},
    {"maxrregcount", NULL, TOOL_VALUE, MAX_REGISTERS,
     "Limits a kernel's registers, on GPUs, where it has no launch bounds."},
    {"disable-warnings", "w", TOOL_FLAG, NO_WARNINGS, "Without warnings."},
    {"warning-as-error", "Werror", TOOL_FLAG, WARNINGS_ARE_ERRORS, "Warnings are errors."},
    {"opt-level", "O", TOOL_JOINED, OPT_LEVEL, "0 to 4. Without effect."},
    {"machine", "m", TOOL_JOINED, MACHINE, "64; there is no other."},
    {"kudzu-native", NULL, TOOL_VALUE, NATIVE,
     "Adds native code for these processors: x86-64-v2, -v3, -v4, aarch64, aarch64-sve256, "
     "-sve512, "
     "separated by commas."},
    {"Ofast-compile", "Ofc", TOOL_VALUE, 0, NULL},
    {"allow-expensive-optimizations", NULL, TOOL_SWITCH, 0, NULL},
    {"allow-undefined", NULL, TOOL_FLAG, 0, NULL},
    {"annotate-memop", NULL, TOOL_FLAG, 0, NULL},
    {"blocks-are-clusters", NULL, TOOL_FLAG, 0, NULL},
    {"cloning", NULL, TOOL_VALUE, 0, NULL},
    {"compile-as-at-entry-patch", NULL, TOOL_FLAG, 0, NULL},
    {"compile-as-tools-patch", "astoolspatch", TOOL_FLAG, 0, NULL},
    {"compiler-stats", NULL, TOOL_FLAG, 0, NULL},
    {"cuda-api-version", NULL, TOOL_VALUE, 0, NULL},
    {"def-load-cache", "dlcm", TOOL_VALUE, 0, NULL},
    {"def-store-cache", "dscm", TOOL_VALUE, 0, NULL},
    {"device-debug", "g", TOOL_FLAG, 0, NULL},
    {"device-function-maxrregcount", "func-maxrregcount", TOOL_VALUE, 0, NULL},
    {"device-stack-protector", NULL, TOOL_SWITCH, 0, NULL},
    {"disable-optimizer-constants", "disable-optimizer-consts", TOOL_FLAG, 0, NULL},
    {"dont-merge-basicblocks", "no-bb-merge", TOOL_FLAG, 0, NULL},
    {"dont-reserve-null-pointer", NULL, TOOL_FLAG, 0, NULL},
    {"entry", "e", TOOL_VALUE, 0, NULL},
    {"extensible-whole-program", "ewp", TOOL_FLAG, 0, NULL},
    {"fast-relocatable", NULL, TOOL_FLAG, 0, NULL},
    {"fmad", NULL, TOOL_SWITCH, 0, "Accepted: PTX says itself what may be contracted."},
    {"force-load-cache", "flcm", TOOL_VALUE, 0, NULL},
    {"force-store-cache", "fscm", TOOL_VALUE, 0, NULL},
    {"g-tensor-memory-access-check", NULL, TOOL_FLAG, 0, NULL},
    {"generate-line-info", "lineinfo", TOOL_FLAG, 0,
     "Accepted: lines that the PTX has are always kept."},
    {"generate-relocatable-object", NULL, TOOL_FLAG, RELOCATABLE, "The same as --compile-only."},
    {"gno-tensor-memory-access-check", NULL, TOOL_FLAG, 0, NULL},
    {"intelligent-resource-alloc", NULL, TOOL_SWITCH, 0, NULL},
    {"keep-device-functions", NULL, TOOL_FLAG, 0, NULL},
    {"legacy-bar-warp-wide-behavior", NULL, TOOL_SWITCH, 0, NULL},
    {"make-errors-visible-at-exit", NULL, TOOL_FLAG, 0, NULL},
    {"maxntid", NULL, TOOL_VALUE, 0, NULL},
    {"minnctapersm", NULL, TOOL_VALUE, 0, NULL},
    {"no-fastreg", NULL, TOOL_FLAG, 0, NULL},
    {"no-membermask-overlap", NULL, TOOL_FLAG, 0, NULL},
    {"opt-pointers", NULL, TOOL_SWITCH, 0, NULL},
    {"override-directive-values", NULL, TOOL_FLAG, 0, NULL},
    {"pic", NULL, TOOL_SWITCH, 0, NULL},
    {"position-independent-code", NULL, TOOL_SWITCH, 0, NULL},
    {"preserve-relocs", NULL, TOOL_FLAG, 0, NULL},
    {"query-cubin-compat", NULL, TOOL_VALUE, 0, NULL},
    {"regAllocOptLevel", NULL, TOOL_VALUE, 0, NULL},
    {"register-usage-level", "regUsageLevel", TOOL_VALUE, 0, NULL},
    {"reserve-null-pointer", NULL, TOOL_FLAG, 0, NULL},
    {"return-at-end", "ret-end", TOOL_FLAG, 0, NULL},
    {"skip-cuda-version-check", NULL, TOOL_FLAG, 0, NULL},
    {"sp-bounds-check", "sp-bounds-check", TOOL_FLAG, 0, NULL},
    {"split-compile", NULL, TOOL_VALUE, 0, NULL},
    {"suppress-async-bulk-multicast-advisory-warning", NULL, TOOL_FLAG, 0, NULL},
    {"suppress-debug-info", NULL, TOOL_FLAG, 0, NULL},
    {"suppress-double-demote-warning", NULL, TOOL_FLAG, 0, NULL},
    {"suppress-stack-size-warning", NULL, TOOL_FLAG, 0, NULL},
    {"tool-name", NULL, TOOL_VALUE, 0, NULL},
    {"uumn", NULL, TOOL_FLAG, 0, NULL},
    {"warn-on-double-precision-use", "warn-double-usage", TOOL_FLAG, 0, NULL},
    {"warn-on-local-memory-usage", "warn-lmem-usage", TOOL_FLAG, 0, NULL},
    {"warn-on-spills", "warn-spills", TOOL_FLAG, 0,
     "Accepted: which registers a GPU would spill is not known."},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct reading {
    struct arena *arena;
    struct tool_log *log;
    struct ptxas_options *out;
};

static bool wrong(const struct reading *r, const char *value, const char *option) {
    return tool_say(r->log, TOOL_FATAL, NULL, 0, "Value '%s' is not defined for option '%s'", value,
                    option);
}

static bool read_number(const struct reading *r, const char *text, const char *option,
                        uint32_t most, uint32_t *out) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (*end || end == text || n > most || *text == '-')
        return wrong(r, text, option);
    *out = (uint32_t)n;
    return true;
}

static bool read_native(const struct reading *r, const char *levels) {
    struct architectures a = {0};
    if (!architectures_add_native(&a, levels))
        return wrong(r, levels, "kudzu-native");
    r->out->assembler.native_levels = a.native_levels;
    return true;
}

static bool take(void *user, int id, const char *value) {
    struct reading *r = user;
    struct ptxas_options *o = r->out;
    struct target target;
    uint32_t level;
    switch (id) {
    case 0:
        vec_push(r->arena, &o->inputs, arena_strdup(r->arena, value));
        return true;
    case OUTPUT:
        o->output = arena_strdup(r->arena, value);
        return true;
    case TARGET:
        o->assembler.target = arena_strdup(r->arena, value);
        return target_find(value, &target) || wrong(r, value, "gpu-name");
    case RELOCATABLE:
        return o->assembler.relocatable = true;
    case VERBOSE:
        return o->assembler.verbose = true;
    case HELP:
        return o->help = true;
    case VERSION:
        return o->version = true;
    case LIST:
        return o->list_targets = true;
    case INPUT_IS_TEXT:
        return o->input_is_text = true;
    case MAX_REGISTERS:
        return read_number(r, value, "maxrregcount", 1023, &o->assembler.max_registers);
    case NO_WARNINGS:
        return r->log->no_warnings = true;
    case WARNINGS_ARE_ERRORS:
        return r->log->warnings_are_errors = true;
    case OPT_LEVEL:
        return read_number(r, value, "opt-level", 4, &level);
    case MACHINE:
        return !strcmp(value, "64") || wrong(r, value, "machine");
    default:
        return read_native(r, value);
    }
}

bool ptxas_options_read(struct arena *arena, struct tool_log *log, int argc,
                        const char *const *argv, struct ptxas_options *out) {
    struct reading r = {arena, log, out};
    struct tool_options o = {arena, log, options, OPTIONS, take, &r};
    *out = (struct ptxas_options){0};
    return tool_options_read(&o, argc, argv);
}

void ptxas_options_help(void) {
    tool_options_help(options, OPTIONS);
}
