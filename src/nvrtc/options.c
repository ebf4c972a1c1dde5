// One table row an option: one dash or two, the value behind "=", in the next argument, or joined
// to the name for single letters.
#include "nvrtc/options.h"

#include <stdlib.h>
#include <string.h>

#include "cc/options/warning_numbers.h"
#include "nvrtc/version.h"

enum arg {
    NO_ARG,
    BOOL_ARG, // =true, =false, or nothing for true
    ARG,      // a value
};

struct parser {
    struct rtc_options *o;
    struct arena *arena;
    const char *arch;
};

typedef bool (*option_action)(struct parser *p, const char *name, const char *value);

struct option {
    const char *long_name, *short_name;
    enum arg arg;
    option_action action;
};

static bool wrong_value(const char *name, const char *value) {
    return cc_error("invalid value '%s' for %s", value, name);
}

static bool refuse(struct parser *p, const char *name, const char *value) {
    return cc_error("%s: code for OptiX is not made", name);
}

static bool set_lto(struct parser *p, const char *name, const char *value) {
    p->o->lto = p->o->cc.rdc = true;
    return true;
}

static bool ignore(struct parser *p, const char *name, const char *value) {
    return true;
}

static bool ignore_number(struct parser *p, const char *name, const char *value) {
    char *end;
    strtoul(value, &end, 0);
    return *value && !*end ? true : wrong_value(name, value);
}

static bool set_max_registers(struct parser *p, const char *name, const char *value) {
    char *end;
    unsigned long n = strtoul(value, &end, 0);
    if (!*value || *end || n > 1024)
        return wrong_value(name, value);
    p->o->cc.max_registers = (unsigned)n;
    return true;
}

static bool is_true(const char *value) {
    return strcmp(value, "false") != 0;
}

#define FLAG(field)                                                                                \
    static bool set_##field(struct parser *p, const char *name, const char *value) {               \
        p->o->cc.field = is_true(value);                                                           \
        return true;                                                                               \
    }
FLAG(rdc)
FLAG(device_debug)
FLAG(line_info)
FLAG(ftz)
FLAG(prec_div)
FLAG(prec_sqrt)
FLAG(fmad)

static bool whole_program(struct parser *p, const char *name, const char *value) {
    p->o->cc.rdc = false;
    return true;
}

static bool set_fast_math(struct parser *p, const char *name, const char *value) {
    struct cc_options *o = &p->o->cc;
    o->fast_math = is_true(value);
    if (o->fast_math) {
        o->ftz = o->fmad = true;
        o->prec_div = o->prec_sqrt = false;
    }
    return true;
}

static bool set_default_device(struct parser *p, const char *name, const char *value) {
    p->o->default_device = true;
    return true;
}

static bool set_no_source_include(struct parser *p, const char *name, const char *value) {
    p->o->no_source_include = true;
    return true;
}

static bool set_syntax_only(struct parser *p, const char *name, const char *value) {
    p->o->syntax_only = true;
    return true;
}

static bool set_move_forward(struct parser *p, const char *name, const char *value) {
    p->o->no_move_forward = !is_true(value);
    return true;
}

static bool set_initializer_list(struct parser *p, const char *name, const char *value) {
    p->o->no_initializer_list = !is_true(value);
    return true;
}

static bool set_time(struct parser *p, const char *name, const char *value) {
    p->o->time_file = value;
    return true;
}

static bool set_arch(struct parser *p, const char *name, const char *value) {
    if (!strncmp(value, "lto_", 4))
        set_lto(p, name, value);
    else if (strncmp(value, "compute_", 8) && strncmp(value, "sm_", 3))
        return wrong_value(name, value);
    p->arch = value;
    return true;
}

static bool set_std(struct parser *p, const char *name, const char *value) {
    // The built-in declarations are C++11, in which C++03 programs are valid, nearly all.
    static const char *const known[][2] = {{"c++03", "c++11"}, {"c++11", "c++11"},
                                           {"c++14", "c++14"}, {"c++17", "c++17"},
                                           {"c++20", "c++20"}, {"c++23", "c++23"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (!strcmp(value, known[i][0])) {
            p->o->cc.std = known[i][1];
            return true;
        }
    return wrong_value(name, value);
}

static bool set_fast_compile(struct parser *p, const char *name, const char *value) {
    static const char *const levels[][2] = {{"0", "3"}, {"min", "3"}, {"mid", "1"}, {"max", "0"}};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; ++i)
        if (!strcmp(value, levels[i][0])) {
            p->o->cc.device_opt = levels[i][1];
            return true;
        }
    return wrong_value(name, value);
}

static void push(struct parser *p, const char *option, const char *value) {
    vec_push(p->arena, &p->o->cc.preprocessor, arena_printf(p->arena, "%s%s", option, value));
}

static bool add_define(struct parser *p, const char *name, const char *value) {
    push(p, "-D", value);
    return true;
}

static bool add_undefine(struct parser *p, const char *name, const char *value) {
    push(p, "-U", value);
    return true;
}

static bool add_include_dir(struct parser *p, const char *name, const char *value) {
    push(p, "-I", value);
    return true;
}

static bool add_pre_include(struct parser *p, const char *name, const char *value) {
    push(p, "-include", "");
    push(p, "", value);
    return true;
}

static bool no_warnings(struct parser *p, const char *name, const char *value) {
    vec_push(p->arena, &p->o->cc.warnings, "-w");
    return true;
}

static bool warn_reorder(struct parser *p, const char *name, const char *value) {
    vec_push(p->arena, &p->o->cc.warnings, "-Wreorder");
    return true;
}

static bool warnings_are_errors(struct parser *p, const char *name, const char *value) {
    if (!strcmp(value, "all-warnings"))
        vec_push(p->arena, &p->o->cc.warnings, "-Werror");
    else if (!strcmp(value, "reorder"))
        vec_push(p->arena, &p->o->cc.warnings, "-Werror=reorder");
    else
        return wrong_value(name, value);
    return true;
}

// -diag-suppress and its like: numbers and names of nvcc's. Those that neither clang nor kudzu has
// are another front end's affair.
static void set_warnings(struct parser *p, const char *value, const char *prefix) {
    for (const char *at = value; *at;) {
        size_t n = strcspn(at, ",");
        unsigned number = warning_called(at, n);
        const char *flag;
        for (size_t i = 0; (flag = warning_flag(number, i)); ++i)
            vec_push(p->arena, &p->o->cc.warnings, arena_printf(p->arena, "%s%s", prefix, flag));
        at += n + (at[n] == ',');
    }
}

// Of kudzu's own warnings: each is shown or not, as the last option says.
static void set_own_warnings(struct parser *p, const char *value, bool hidden) {
    for (const char *at = value; *at;) {
        size_t n = strcspn(at, ",");
        vec_push(p->arena, &p->o->own_warnings,
                 ((struct rtc_warning){warning_called(at, n), hidden}));
        at += n + (at[n] == ',');
    }
}

static bool suppress_warnings(struct parser *p, const char *name, const char *value) {
    set_warnings(p, value, "-Wno-");
    set_own_warnings(p, value, true);
    return true;
}

static bool show_warnings(struct parser *p, const char *name, const char *value) {
    set_own_warnings(p, value, false);
    set_warnings(p, value, "-W");
    set_warnings(p, value, "-Wno-error=");
    return true;
}

static bool make_warnings_errors(struct parser *p, const char *name, const char *value) {
    set_warnings(p, value, "-Werror=");
    return true;
}

static const struct option options[] = {
    {"gpu-architecture", "arch", ARG, set_arch},
    {"device-c", "dc", NO_ARG, set_rdc},
    {"device-w", "dw", NO_ARG, whole_program},
    {"relocatable-device-code", "rdc", BOOL_ARG, set_rdc},
    {"extensible-whole-program", "ewp", NO_ARG, whole_program},
    {"device-debug", "G", NO_ARG, set_device_debug},
    {"generate-line-info", "lineinfo", BOOL_ARG, set_line_info},
    {"dopt", "dopt", ARG, ignore},
    {"Ofast-compile", "Ofc", ARG, set_fast_compile},
    {"ptxas-options", "Xptxas", ARG, ignore},
    {"maxrregcount", "maxrregcount", ARG, set_max_registers},
    {"ftz", "ftz", BOOL_ARG, set_ftz},
    {"prec-sqrt", "prec-sqrt", BOOL_ARG, set_prec_sqrt},
    {"prec-div", "prec-div", BOOL_ARG, set_prec_div},
    {"fmad", "fmad", BOOL_ARG, set_fmad},
    {"use_fast_math", "use_fast_math", BOOL_ARG, set_fast_math},
    {"extra-device-vectorization", "extra-device-vectorization", NO_ARG, ignore},
    {"modify-stack-limit", "modify-stack-limit", BOOL_ARG, ignore},
    {"dlink-time-opt", "dlto", NO_ARG, set_lto},
    {"gen-opt-lto", "gen-opt-lto", NO_ARG, set_lto},
    {"optix-ir", "optix-ir", NO_ARG, refuse},
    {"jump-table-density", "jtd", ARG, ignore_number},
    {"device-stack-protector", "device-stack-protector", BOOL_ARG, ignore},
    {"no-cache", "no-cache", NO_ARG, ignore},
    {"frandom-seed", "frandom-seed", ARG, ignore},
    {"define-macro", "D", ARG, add_define},
    {"undefine-macro", "U", ARG, add_undefine},
    {"include-path", "I", ARG, add_include_dir},
    {"pre-include", "include", ARG, add_pre_include},
    {"no-source-include", "no-source-include", NO_ARG, set_no_source_include},
    {"std", "std", ARG, set_std},
    {"builtin-move-forward", "builtin-move-forward", BOOL_ARG, set_move_forward},
    {"builtin-initializer-list", "builtin-initializer-list", BOOL_ARG, set_initializer_list},
    {"pch", "pch", NO_ARG, ignore},
    {"create-pch", "create-pch", ARG, ignore},
    {"use-pch", "use-pch", ARG, ignore},
    {"pch-dir", "pch-dir", ARG, ignore},
    {"pch-verbose", "pch-verbose", BOOL_ARG, ignore},
    {"pch-messages", "pch-messages", BOOL_ARG, ignore},
    {"instantiate-templates-in-pch", "instantiate-templates-in-pch", BOOL_ARG, ignore},
    {"disable-warnings", "w", NO_ARG, no_warnings},
    {"Wreorder", "Wreorder", NO_ARG, warn_reorder},
    {"warning-as-error", "Werror", ARG, warnings_are_errors},
    {"restrict", "restrict", NO_ARG, ignore},
    {"device-as-default-execution-space", "default-device", NO_ARG, set_default_device},
    {"device-int128", "device-int128", NO_ARG, ignore},
    {"device-float128", "device-float128", NO_ARG, ignore},
    {"optimization-info", "opt-info", ARG, ignore},
    {"display-error-number", "err-no", NO_ARG, ignore},
    {"no-display-error-number", "no-err-no", NO_ARG, ignore},
    {"diag-error", "diag-error", ARG, make_warnings_errors},
    {"diag-suppress", "diag-suppress", ARG, suppress_warnings},
    {"diag-warn", "diag-warn", ARG, show_warnings},
    {"brief-diagnostics", "brief-diag", BOOL_ARG, ignore},
    {"time", "time", ARG, set_time},
    {"split-compile", "split-compile", ARG, ignore_number},
    {"fdevice-syntax-only", "fdevice-syntax-only", NO_ARG, set_syntax_only},
    {"minimal", "minimal", NO_ARG, ignore},
    {"fdevice-time-trace", "fdevice-time-trace", ARG, ignore},
    {"version-ident", "dQ", BOOL_ARG, ignore},
    {"fast-compile", "fast-compile", ARG, ignore},
};

// Whether `text` is the option `name`, with its value behind "=" (*value NULL: none there).
static bool is_named(const char *text, const char *name, const char **value) {
    size_t n = strlen(name);
    if (strncmp(text, name, n) || (text[n] && text[n] != '='))
        return false;
    *value = text[n] ? text + n + 1 : NULL;
    return true;
}

static const struct option *find(const char *text, const char **value) {
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i)
        if (is_named(text, options[i].long_name, value) ||
            is_named(text, options[i].short_name, value))
            return &options[i];
    // -Dname, -Ipath, -Uname; also "-I path" in one argument.
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i)
        if (options[i].short_name[1] == 0 && options[i].arg == ARG &&
            text[0] == options[i].short_name[0]) {
            *value = text + 1 + strspn(text + 1, " ");
            return &options[i];
        }
    // "-arch compute_90" in one argument.
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
        size_t n = strcspn(text, " ");
        if (options[i].arg == ARG && text[n] &&
            ((strlen(options[i].long_name) == n && !strncmp(text, options[i].long_name, n)) ||
             (strlen(options[i].short_name) == n && !strncmp(text, options[i].short_name, n)))) {
            *value = text + n + strspn(text + n, " ");
            return &options[i];
        }
    }
    return NULL;
}

static const char *without_blanks(struct arena *arena, const char *text) {
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    size_t n = strlen(text);
    while (n && strchr(blanks, text[n - 1]))
        --n;
    return arena_strndup(arena, text, n);
}

// One option; *used: how many arguments it took.
static bool parse_one(struct parser *p, int count, const char *const *args, int *used) {
    const char *text = without_blanks(p->arena, args[0]), *value = NULL;
    *used = 1;
    if (!*text)
        return true;
    const struct option *o = NULL;
    if (text[0] == '-')
        o = find(text + (text[1] == '-' ? 2 : 1), &value);
    if (!o)
        return cc_error("unrecognized option %s found", text);
    if (o->arg == ARG && !value) {
        if (count < 2)
            return cc_error("%s (-%s) needs a value", o->long_name, o->short_name);
        value = without_blanks(p->arena, args[1]);
        *used = 2;
    }
    if (o->arg == NO_ARG && value)
        return cc_error("%s takes no value", text);
    if (o->arg == BOOL_ARG && value && strcmp(value, "true") && strcmp(value, "false"))
        return wrong_value(o->long_name, value);
    return o->action(p, arena_printf(p->arena, "--%s (-%s)", o->long_name, o->short_name),
                     value ? value : "true");
}

bool rtc_options_parse(struct rtc_options *o, struct arena *arena, int count,
                       const char *const *args) {
    *o = (struct rtc_options){0};
    o->cc.prec_div = o->cc.prec_sqrt = o->cc.fmad = true;
    o->cc.device_opt = "3";
    o->cc.cuda_version = o->cc.architectures.cuda_version = nvrtc_cuda_version();
    struct parser p = {
        .o = o, .arena = arena, .arch = nvrtc_major < 13 ? "compute_52" : "compute_75"};
    for (int i = 0, used; i < count; i += used)
        if (!parse_one(&p, count - i, args + i, &used))
            return false;
    if (o->cc.device_debug)
        o->cc.device_opt = "0";
    o->real_architecture = p.arch[0] == 's';
    return architectures_add_arch(&o->cc.architectures, arena, p.arch, NULL);
}
