// One table row an option; the parser below knows the spellings: one or two dashes, the value
// after "=" or in the next argument, and joined to the name for single letters (-Ifoo, -O3).
#include "cc/options/options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/options/warning_levels.h"
#include "cc/options/warning_numbers.h"
#include "cc/processes/mpi_wrapper.h"
#include "cc/processes/toolchain.h"
#include "llvm_version.h"
#include "support/closest_word.h"
#include "support/cuda_version.h"
#include "support/environment.h"
#include "support/strbuf.h"
#include "support/whole_file.h"

struct parser {
    struct cc_options *o;
    struct arena *arena;
    cc_strings args;
    uint32_t next;
    const char *arch, *code;
    const char *host_compiler; // -ccbin
};

enum arg {
    NO_ARG,
    BOOL_ARG, // =true, =false, or nothing for true
    ARG,      // one value
    LIST_ARG, // values separated by commas
    TOOL_ARG, // the same for another tool, which gets the words of each value as a shell has them
    OPTIONAL_ARG, // a value only after "="
};

typedef bool (*option_action)(struct parser *p, const char *value);

struct option {
    const char *long_name, *short_name; // "" where there is none
    enum arg arg;
    bool joined; // -Xvalue
    option_action action;
    const char *value_name, *help;
};

// ---- Actions ------------------------------------------------------------------------------

#define FLAG_ACTION(field)                                                                         \
    static bool set_##field(struct parser *p, const char *value) {                                 \
        p->o->field = !value || strcmp(value, "false") != 0;                                       \
        return true;                                                                               \
    }
#define STRING_ACTION(field)                                                                       \
    static bool set_##field(struct parser *p, const char *value) {                                 \
        p->o->field = value;                                                                       \
        return true;                                                                               \
    }
#define PREFIX_ACTION(name, field, prefix)                                                         \
    static bool add_##name(struct parser *p, const char *value) {                                  \
        vec_push(p->arena, &p->o->field, arena_printf(p->arena, prefix "%s", value));              \
        return true;                                                                               \
    }
#define TWO_ARGS_ACTION(name, field, option)                                                       \
    static bool add_##name(struct parser *p, const char *value) {                                  \
        vec_push(p->arena, &p->o->field, option);                                                  \
        vec_push(p->arena, &p->o->field, value);                                                   \
        return true;                                                                               \
    }
#define PHASE_ACTION(name, value_)                                                                 \
    static bool phase_##name(struct parser *p, const char *value) {                                \
        return set_phase(p, value_);                                                               \
    }

static bool is_image(enum cc_phase phase) {
    return phase == CC_CUBIN || phase == CC_FATBIN;
}

// Of several phases the one that ends first counts, but that -dlink beside -cubin or -fatbin means
// the image that is linked.
static bool set_phase(struct parser *p, enum cc_phase phase) {
    static const int order[] = {[CC_DEPENDENCIES] = 0, [CC_PREPROCESS] = 1, [CC_PTX] = 2,
                                [CC_CUBIN] = 3,        [CC_FATBIN] = 4,     [CC_COMPILE] = 5,
                                [CC_DEVICE_LINK] = 6,  [CC_LIBRARY] = 7,    [CC_LINK] = 8};
    struct cc_options *o = p->o;
    bool linked = (phase == CC_DEVICE_LINK && is_image(o->phase)) ||
                  (o->phase == CC_DEVICE_LINK && is_image(phase));
    o->linked_image |= linked;
    o->one_architecture |= phase == CC_CUBIN;
    if (linked)
        o->phase = CC_DEVICE_LINK;
    else if (order[phase] < order[o->phase])
        o->phase = phase;
    return true;
}

FLAG_ACTION(debug)
FLAG_ACTION(device_debug)
FLAG_ACTION(line_info)
FLAG_ACTION(profile)
FLAG_ACTION(rdc)
FLAG_ACTION(shared)
FLAG_ACTION(static_link)
FLAG_ACTION(keep)
FLAG_ACTION(run)
FLAG_ACTION(dry_run)
FLAG_ACTION(verbose)
FLAG_ACTION(ftz)
FLAG_ACTION(prec_div)
FLAG_ACTION(prec_sqrt)
FLAG_ACTION(fmad)
FLAG_ACTION(extended_lambda)
FLAG_ACTION(relaxed_constexpr)
FLAG_ACTION(host_initializer_list)
FLAG_ACTION(host_move_forward)
FLAG_ACTION(forward_unknown)
FLAG_ACTION(forward_to_linker)
FLAG_ACTION(clean)
FLAG_ACTION(relocatable_link)
FLAG_ACTION(no_device_link)
FLAG_ACTION(show_help)
FLAG_ACTION(show_version)
FLAG_ACTION(list_arch)
FLAG_ACTION(list_code)
FLAG_ACTION(precompile)
FLAG_ACTION(no_precompiled)
FLAG_ACTION(dep_phony)
STRING_ACTION(output_directory)
STRING_ACTION(time_file)
STRING_ACTION(device_trace)
STRING_ACTION(dep_file)
PREFIX_ACTION(include_dir, preprocessor, "-I")
PREFIX_ACTION(define, preprocessor, "-D")
PREFIX_ACTION(undefine, preprocessor, "-U")
PREFIX_ACTION(library_dir, link, "-L")
PREFIX_ACTION(host_option, host_compiler, "")
PREFIX_ACTION(dep_target, dep_targets, "")
PREFIX_ACTION(run_arg, run_args, "")
PREFIX_ACTION(ptxas_option, ptxas_options, "")
TWO_ARGS_ACTION(system_include, preprocessor, "-isystem")
TWO_ARGS_ACTION(include_file, preprocessor, "-include")
TWO_ARGS_ACTION(linker_option, link, "-Xlinker")
PHASE_ACTION(compile, CC_COMPILE)
PHASE_ACTION(link, CC_LINK)
PHASE_ACTION(device_link, CC_DEVICE_LINK)
PHASE_ACTION(library, CC_LIBRARY)
PHASE_ACTION(ptx, CC_PTX)
PHASE_ACTION(cubin, CC_CUBIN)
PHASE_ACTION(fatbin, CC_FATBIN)
PHASE_ACTION(preprocess, CC_PREPROCESS)
PHASE_ACTION(dependencies, CC_DEPENDENCIES)

static bool ignore(struct parser *p, const char *value) {
    return true;
}

// Host code is compiled by clang whatever is named, but a name that is wrong is not passed over.
static bool check_host_compiler(struct parser *p, const char *value) {
    if (*value && access(value, X_OK) && !find_on_path(p->arena, value))
        cc_warning("-ccbin %s: there is no such program or folder; clang compiles host code in any "
                   "case",
                   value);
    p->host_compiler = value;
    return true;
}

static bool set_output(struct parser *p, const char *value) {
    if (p->o->output && strcmp(p->o->output, value) != 0)
        cc_warning("-o is given twice, %s and %s: the last one counts", p->o->output, value);
    p->o->output = value;
    return true;
}

static bool set_keep_directory(struct parser *p, const char *value) {
    p->o->keep_directory = value;
    p->o->keep = true;
    return true;
}

static bool phase_dc(struct parser *p, const char *value) {
    p->o->rdc = true;
    return set_phase(p, CC_COMPILE);
}

static bool phase_dw(struct parser *p, const char *value) {
    p->o->rdc = false;
    return set_phase(p, CC_COMPILE);
}

static bool phase_user_dependencies(struct parser *p, const char *value) {
    p->o->dep_skip_system = true;
    return set_phase(p, CC_DEPENDENCIES);
}

static bool set_dep_with_compile(struct parser *p, const char *value) {
    p->o->dep_with_compile = true;
    return true;
}

static bool set_user_dep_with_compile(struct parser *p, const char *value) {
    p->o->dep_skip_system = true;
    return set_dep_with_compile(p, value);
}

static bool add_library(struct parser *p, const char *value) {
    if (!strcmp(value, "cudadevrt") || !strcmp(value, "nvToolsExt")) // no host code
        return true;
    if (!strcmp(value, "cudart") || !strcmp(value, "cudart_static"))
        p->o->link_names_cudart = true;
    vec_push(p->arena, &p->o->link, arena_printf(p->arena, "-l%s", value));
    return true;
}

static bool set_std(struct parser *p, const char *value) {
    static const char *const known[] = {"c++03", "c++11", "c++14", "c++17", "c++20", "c++23"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (!strcmp(value, known[i])) {
            p->o->std = value;
            return true;
        }
    return cc_error("-std=%s: expected c++03, c++11, c++14, c++17, c++20 or c++23", value);
}

static bool set_host_opt(struct parser *p, const char *value) {
    bool number = *value && strspn(value, "0123456789") == strlen(value);
    if (!number && strcmp(value, "s") != 0)
        return cc_error("-O%s: expected a level from 0 to 3", value);
    p->o->host_opt = number && atoi(value) > 3 ? "3" : value; // as gcc takes it
    return true;
}

static bool set_fast_compile(struct parser *p, const char *value) {
    static const char *const names[][2] = {{"0", "3"}, {"min", "3"}, {"mid", "1"}, {"max", "0"}};
    for (size_t i = 0; i < 4; ++i)
        if (!strcmp(value, names[i][0])) {
            p->o->device_opt = names[i][1];
            return true;
        }
    return cc_error("-Ofast-compile=%s: expected 0, min, mid or max", value);
}

static bool set_language(struct parser *p, const char *value) {
    if (strcmp(value, "cu") && strcmp(value, "c") && strcmp(value, "c++"))
        return cc_error("-x %s: expected cu, c or c++", value);
    p->o->language = value;
    return true;
}

static bool set_cudart(struct parser *p, const char *value) {
    static const char *const names[] = {"static", "shared", "none"};
    for (int i = 0; i < 3; ++i)
        if (!strcmp(value, names[i])) {
            p->o->cudart = (enum cc_cudart)i;
            return true;
        }
    return cc_error("-cudart %s: expected none, shared or static", value);
}

static bool set_cudadevrt(struct parser *p, const char *value) {
    p->o->no_device_runtime = !strcmp(value, "none");
    return p->o->no_device_runtime || !strcmp(value, "static") ||
           cc_error("-cudadevrt %s: expected none or static", value);
}

static bool set_default_stream(struct parser *p, const char *value) {
    if (strcmp(value, "legacy") && strcmp(value, "per-thread") && strcmp(value, "null"))
        return cc_error("-default-stream %s: expected legacy or per-thread", value);
    p->o->per_thread_stream = !strcmp(value, "per-thread");
    return true;
}

static bool set_fast_math(struct parser *p, const char *value) {
    bool on = !value || strcmp(value, "false") != 0;
    p->o->fast_math = on;
    if (on) {
        p->o->ftz = p->o->fmad = true;
        p->o->prec_div = p->o->prec_sqrt = false;
    }
    return true;
}

static bool set_threads(struct parser *p, const char *value) {
    char *end;
    long n = strtol(value, &end, 10);
    if (*end || n < 0 || n > 1024)
        return cc_error("-t %s: expected a number of threads", value);
    p->o->threads = (int)n;
    return true;
}

// 0, which projects of Visual Studio always write, is no limit.
static bool set_max_registers(struct parser *p, const char *value) {
    char *end;
    long n = strtol(value, &end, 10);
    if (*end || end == value || n < 0 || n > 1024)
        return cc_error("-maxrregcount %s: expected a number of registers", value);
    p->o->max_registers = (unsigned)n;
    return true;
}

static bool set_ptxas(struct parser *p, const char *value) {
    p->o->ptxas = value ? value : "ptxas";
    return true;
}

static bool show_resources(struct parser *p, const char *value) {
    vec_push(p->arena, &p->o->ptxas_options, "-v");
    return true;
}

static bool set_arch(struct parser *p, const char *value) {
    p->arch = value;
    return true;
}

static bool set_code(struct parser *p, const char *value) {
    p->code = p->code ? arena_printf(p->arena, "%s,%s", p->code, value) : value;
    return true;
}

static bool add_gencode(struct parser *p, const char *value) {
    return architectures_add_gencode(&p->o->architectures, p->arena, value);
}

static bool add_native(struct parser *p, const char *value) {
    return architectures_add_native(&p->o->architectures, value);
}

static bool no_exceptions(struct parser *p, const char *value) {
    vec_push(p->arena, &p->o->host_compiler, "-fno-exceptions");
    return true;
}

// Limits of templates hold in both passes.
static bool template_depth(struct parser *p, const char *value) {
    vec_push(p->arena, &p->o->warnings, arena_printf(p->arena, "-ftemplate-depth=%s", value));
    return true;
}

static bool template_backtrace(struct parser *p, const char *value) {
    vec_push(p->arena, &p->o->warnings,
             arena_printf(p->arena, "-ftemplate-backtrace-limit=%s", value));
    return true;
}

static bool refuse_lto_code(struct parser *p, const char *value) {
    return cc_error(
        "-ltoir, -optix-ir, -cuda: NVIDIA's intermediate forms are not made; -ptx gives "
        "text that every driver takes");
}

static bool no_sanitizer(struct parser *p, const char *value) {
    cc_warning("-sanitize %s: device code is not instrumented", value);
    return true;
}

static bool set_host(struct parser *p, const char *value) {
    p->o->host_target = value;
    return true;
}

static bool set_sysroot(struct parser *p, const char *value) {
    p->o->host_sysroot = value;
    return true;
}

static bool set_machine(struct parser *p, const char *value) {
    return !strcmp(value, "64") || cc_error("-m %s: only 64-bit code is made", value);
}

static bool machine_64(struct parser *p, const char *value) {
    return true;
}

static bool machine_32(struct parser *p, const char *value) {
    return cc_error("-m32: only 64-bit code is made");
}

static bool no_warnings(struct parser *p, const char *value) {
    vec_push(p->arena, &p->o->warnings, "-w");
    return true;
}

static bool is_warning_kind(const char *name, size_t n) {
    static const char *const kinds[] = {
        "all-warnings",           "cross-execution-space-call", "reorder",
        "default-stream-launch",  "missing-launch-bounds",      "ext-lambda-captures-this",
        "deprecated-declarations"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (strlen(kinds[i]) == n && !strncmp(kinds[i], name, n))
            return true;
    return false;
}

static bool is_warning_list(const char *value) {
    for (; *value; value += strcspn(value, ",") + (value[strcspn(value, ",")] == ','))
        if (!is_warning_kind(value, strcspn(value, ",")))
            return false;
    return true;
}

// -Werror takes a list of kinds; alone, as with other compilers, it means all warnings.
static bool warnings_are_errors(struct parser *p, const char *value) {
    if (!value && p->next < p->args.len && is_warning_list(p->args.data[p->next]))
        value = p->args.data[p->next++];
    if (!value)
        value = "all-warnings";
    if (!is_warning_list(value))
        return cc_error("-Werror %s: a kind of warning that is not known", value);
    if (strstr(value, "all-warnings"))
        p->o->all_warnings_are_errors = true;
    if (strstr(value, "reorder"))
        vec_push(p->arena, &p->o->warnings, "-Werror=reorder");
    if (strstr(value, "deprecated-declarations"))
        vec_push(p->arena, &p->o->warnings, "-Werror=deprecated-declarations");
    return true;
}

// Numbers of warnings that clang has not are another front end's affair.
static bool set_level(struct parser *p, const char *name, enum warning_level level) {
    struct warning_option option = {warning_called(name, strlen(name)), level};
    if (option.number)
        vec_push(p->arena, &p->o->warning_levels, option);
    return true;
}

static bool suppress_warning(struct parser *p, const char *value) {
    return set_level(p, value, LEVEL_SUPPRESSED);
}

static bool show_warning(struct parser *p, const char *value) {
    return set_level(p, value, LEVEL_WARNING);
}

static bool make_warning_error(struct parser *p, const char *value) {
    return set_level(p, value, LEVEL_ERROR);
}

static bool show_numbers(struct parser *p, const char *value) {
    p->o->no_warning_numbers = false;
    return true;
}

static bool hide_numbers(struct parser *p, const char *value) {
    p->o->no_warning_numbers = true;
    return true;
}

// -Xcudafe: the same under other names.
static bool set_front_end_option(struct parser *p, const char *value) {
    static const struct {
        const char *name;
        enum warning_level level;
    } names[] = {{"--diag_suppress=", LEVEL_SUPPRESSED},
                 {"--diag_warning=", LEVEL_WARNING},
                 {"--diag_error=", LEVEL_ERROR}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (!strncmp(value, names[i].name, strlen(names[i].name)))
            return set_level(p, value + strlen(names[i].name), names[i].level);
    if (!strcmp(value, "--display_error_number"))
        p->o->no_warning_numbers = false;
    if (!strcmp(value, "--no_display_error_number"))
        p->o->no_warning_numbers = true;
    return true;
}

static bool warn_reorder(struct parser *p, const char *value) {
    vec_push(p->arena, &p->o->warnings, "-Wreorder");
    return true;
}

static bool no_deprecated(struct parser *p, const char *value) {
    vec_push(p->arena, &p->o->warnings, "-Wno-deprecated-declarations");
    return true;
}

static bool read_options_file(struct parser *p, const char *path);

// ---- The table ----------------------------------------------------------------------------

static const struct option options[] = {
    // Phases
    {"link", "link", NO_ARG, false, phase_link, "", "Compile and link (the default)"},
    {"compile", "c", NO_ARG, false, phase_compile, "", "Compile each file to an object file"},
    {"device-c", "dc", NO_ARG, false, phase_dc, "",
     "Like -c, with relocatable device code (-rdc=true)"},
    {"device-w", "dw", NO_ARG, false, phase_dw, "",
     "Like -c, with device code that stands alone (-rdc=false)"},
    {"device-link", "dlink", NO_ARG, false, phase_device_link, "",
     "Link the device code of objects and archives into one object file, beside -cubin or -fatbin "
     "into an image"},
    {"lib", "lib", NO_ARG, false, phase_library, "", "Compile, and make a static library"},
    {"ptx", "ptx", NO_ARG, false, phase_ptx, "", "Compile device code to PTX text"},
    {"cubin", "cubin", NO_ARG, false, phase_cubin, "",
     "Compile device code for one architecture to an image that modules can be loaded from"},
    {"fatbin", "fatbin", NO_ARG, false, phase_fatbin, "",
     "Compile device code for all architectures asked for to one image"},
    {"preprocess", "E", NO_ARG, false, phase_preprocess, "", "Preprocess to standard output"},
    {"run", "run", NO_ARG, false, set_run, "", "Compile, link and run"},
    {"run-args", "run-args", LIST_ARG, false, add_run_arg, "<arg>,...", "Arguments for --run"},
    // Dependencies
    {"generate-dependencies", "M", NO_ARG, false, phase_dependencies, "",
     "Print what the file depends on, as a make rule"},
    {"generate-nonsystem-dependencies", "MM", NO_ARG, false, phase_user_dependencies, "",
     "The same without system headers"},
    {"generate-dependencies-with-compile", "MD", NO_ARG, false, set_dep_with_compile, "",
     "Compile, and write the dependencies to a file"},
    {"generate-nonsystem-dependencies-with-compile", "MMD", NO_ARG, false,
     set_user_dep_with_compile, "", "The same without system headers"},
    {"dependency-output", "MF", ARG, false, set_dep_file, "<file>", "The dependency file's name"},
    {"generate-dependency-targets", "MP", NO_ARG, false, set_dep_phony, "",
     "An empty rule for each dependency"},
    {"dependency-target-name", "MT", LIST_ARG, false, add_dep_target, "<target>",
     "The target of the rule"},
    // Files
    {"output-file", "o", ARG, false, set_output, "<file>", "The output file"},
    {"output-directory", "odir", ARG, false, set_output_directory, "<directory>",
     "Where output files go that -o does not name"},
    {"x", "x", ARG, true, set_language, "cu|c|c++", "The language of all input files"},
    {"include-path", "I", LIST_ARG, true, add_include_dir, "<directory>,...",
     "Search headers there"},
    {"system-include", "isystem", LIST_ARG, false, add_system_include, "<directory>,...",
     "Search system headers there"},
    {"pre-include", "include", LIST_ARG, false, add_include_file, "<file>,...",
     "Include a header before the source"},
    {"define-macro", "D", LIST_ARG, true, add_define, "<name>[=<value>],...", "Define a macro"},
    {"undefine-macro", "U", LIST_ARG, true, add_undefine, "<name>,...", "Undefine a macro"},
    {"library", "l", LIST_ARG, true, add_library, "<name>,...", "Link a library"},
    {"library-path", "L", LIST_ARG, true, add_library_dir, "<directory>,...",
     "Search libraries there"},
    {"shared", "shared", NO_ARG, false, set_shared, "", "Make a shared library"},
    {"static", "static", NO_ARG, false, set_static_link, "", "Link static libraries only"},
    {"cudart", "cudart", ARG, false, set_cudart, "none|shared|static",
     "The runtime library's form; default static"},
    {"cudadevrt", "cudadevrt", ARG, false, set_cudadevrt, "none|static",
     "NVIDIA's device runtime library, which launches by kernels need on a GPU; default static"},
    // Language
    {"std", "std", ARG, false, set_std, "c++03|...|c++23", "The C++ standard; default c++17"},
    {"extended-lambda", "extended-lambda", BOOL_ARG, false, set_extended_lambda, "",
     "Lambdas with __device__ or __host__ __device__"},
    {"expt-extended-lambda", "expt-extended-lambda", BOOL_ARG, false, set_extended_lambda, "",
     "The same"},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", BOOL_ARG, false, set_relaxed_constexpr, "",
     "Constexpr functions on both sides (always allowed)"},
    {"default-stream", "default-stream", ARG, false, set_default_stream, "legacy|per-thread",
     "What stream 0 means"},
    {"relocatable-device-code", "rdc", BOOL_ARG, false, set_rdc, "true|false",
     "Share device functions and variables between files"},
    {"no-exceptions", "noeh", NO_ARG, false, no_exceptions, "", "Host code without exceptions"},
    {"machine", "m", ARG, false, set_machine, "64", "64-bit code"},
    {"m64", "m64", NO_ARG, false, machine_64, "", "64-bit code"},
    {"m32", "m32", NO_ARG, false, machine_32, "", "Refused"},
    // Optimisation and debugging
    {"optimize", "O", ARG, true, set_host_opt, "0..3", "Optimise host code"},
    {"Ofast-compile", "Ofc", ARG, false, set_fast_compile, "0|min|mid|max",
     "Trade device code's speed for compile time"},
    {"debug", "g", NO_ARG, false, set_debug, "", "Debug information for host code"},
    {"device-debug", "G", NO_ARG, false, set_device_debug, "",
     "Device code without optimisation and with line numbers"},
    {"generate-line-info", "lineinfo", BOOL_ARG, false, set_line_info, "",
     "Line numbers for device code"},
    {"profile", "pg", NO_ARG, false, set_profile, "", "Instrument host code for gprof"},
    {"ftz", "ftz", BOOL_ARG, false, set_ftz, "true|false",
     "Flush single-precision subnormals to zero; default false"},
    {"prec-div", "prec-div", BOOL_ARG, false, set_prec_div, "true|false",
     "IEEE single-precision division; default true"},
    {"prec-sqrt", "prec-sqrt", BOOL_ARG, false, set_prec_sqrt, "true|false",
     "IEEE single-precision square root; default true"},
    {"fmad", "fmad", BOOL_ARG, false, set_fmad, "true|false",
     "Contract a*b+c to one instruction; default true"},
    {"use_fast_math", "use_fast_math", BOOL_ARG, false, set_fast_math, "",
     "-ftz=true -prec-div=false -prec-sqrt=false -fmad=true and fast functions"},
    // Architectures
    {"gpu-architecture", "arch", ARG, false, set_arch, "<arch>",
     "compute_XX, sm_XX, native, all, all-major; default sm_90"},
    {"gpu-code", "code", LIST_ARG, false, set_code, "<code>,...",
     "compute_XX, sm_XX, or x86-64-v2, -v3, -v4, aarch64, aarch64-sve256, -sve512 for native code "
     "of "
     "processors"},
    {"generate-code", "gencode", ARG, false, add_gencode, "arch=...,code=...",
     "-arch and -code together; may be repeated"},
    {"kudzu-native", "kudzu-native", ARG, false, add_native, "x86-64-v2,...",
     "Add native code for these processors (aarch64 is one of them)"},
    {"kudzu-ptxas", "kudzu-ptxas", OPTIONAL_ARG, false, set_ptxas, "<path>",
     "Add machine code for the GPUs that -arch, -code and -gencode name, by NVIDIA's ptxas, there "
     "or on PATH"},
    {"ptxas-options", "Xptxas", TOOL_ARG, false, add_ptxas_option, "<option>,...",
     "Options for ptxas, where --kudzu-ptxas asks for it"},
    {"maxrregcount", "maxrregcount", ARG, false, set_max_registers, "<n>",
     "At most so many registers a thread in kernels without launch bounds; they do not limit the "
     "CPU device"},
    {"kudzu-host", "kudzu-host", ARG, false, set_host, "<triple>",
     "Compile host code for another machine (aarch64-linux-gnu); -L says where its CUDA runtime "
     "is"},
    {"kudzu-sysroot", "kudzu-sysroot", ARG, false, set_sysroot, "<folder>",
     "Where that machine's headers and libraries are"},
    {"ltoir", "ltoir", NO_ARG, false, refuse_lto_code, "", "Refused"},
    {"optix-ir", "optix-ir", NO_ARG, false, refuse_lto_code, "", "Refused"},
    {"cuda", "cuda", NO_ARG, false, refuse_lto_code, "", "Refused"},
    {"list-gpu-arch", "arch-ls", NO_ARG, false, set_list_arch, "",
     "List the virtual architectures"},
    {"list-gpu-code", "code-ls", NO_ARG, false, set_list_code, "", "List the architectures"},
    // Other tools' options
    {"compiler-options", "Xcompiler", TOOL_ARG, false, add_host_option, "<option>,...",
     "Options for host compilation and linking, in clang's spelling"},
    {"linker-options", "Xlinker", TOOL_ARG, false, add_linker_option, "<option>,...",
     "Options for the linker"},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", NO_ARG, false,
     set_forward_unknown, "", "Options that are not known go to host compilation"},
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker", NO_ARG, false,
     set_forward_to_linker, "", "They go to the link"},
    {"forward-unknown-opts", "forward-unknown-opts", NO_ARG, false, set_forward_unknown, "",
     "They go to host compilation and to the link"},
    {"options-file", "optf", LIST_ARG, false, read_options_file, "<file>,...",
     "Read more options from a file"},
    // Diagnostics
    {"disable-warnings", "w", NO_ARG, false, no_warnings, "", "No warnings"},
    {"Werror", "Werror", OPTIONAL_ARG, false, warnings_are_errors, "<kind>,...",
     "Warnings of these kinds are errors: all-warnings, reorder, deprecated-declarations, ..."},
    {"Wreorder", "Wreorder", NO_ARG, false, warn_reorder, "",
     "Warn when members are initialised in another order"},
    {"ftemplate-depth", "ftemplate-depth", ARG, false, template_depth, "<n>",
     "How deep templates may instantiate each other"},
    {"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", ARG, false, template_backtrace,
     "<n>", "How many instantiations a message shows"},
    {"Wno-deprecated-declarations", "Wno-deprecated-declarations", NO_ARG, false, no_deprecated, "",
     "No warnings about deprecated entities"},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", NO_ARG, false, ignore, "",
     "Accepted"},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", NO_ARG, false, ignore, "", "Accepted"},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", NO_ARG, false, ignore, "", "Accepted"},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", NO_ARG, false, ignore, "",
     "Accepted"},
    {"diag-error", "diag-error", LIST_ARG, false, make_warning_error, "<number>,...",
     "These warnings are errors; numbers of warnings that clang has not are passed over"},
    {"diag-suppress", "diag-suppress", LIST_ARG, false, suppress_warning, "<number>,...",
     "No such warnings"},
    {"diag-warn", "diag-warn", LIST_ARG, false, show_warning, "<number>,...",
     "These are warnings, whatever options before say"},
    {"brief-diagnostics", "brief-diag", BOOL_ARG, false, ignore, "", "Accepted"},
    {"display-error-number", "err-no", NO_ARG, false, show_numbers, "",
     "Warnings show nvcc's number (the default)"},
    {"no-display-error-number", "no-err-no", NO_ARG, false, hide_numbers, "", "They do not"},
    {"resource-usage", "res-usage", NO_ARG, false, show_resources, "",
     "Show what ptxas says about resources, where --kudzu-ptxas asks for it"},
    // What is done
    {"verbose", "v", NO_ARG, false, set_verbose, "", "Show the commands that are run"},
    {"dryrun", "dryrun", NO_ARG, false, set_dry_run, "", "Show the commands, run nothing"},
    {"keep", "keep", NO_ARG, false, set_keep, "", "Keep intermediate files"},
    {"save-temps", "save-temps", NO_ARG, false, set_keep, "", "The same"},
    {"keep-dir", "keep-dir", ARG, false, set_keep_directory, "<directory>",
     "Keep intermediate files there"},
    {"threads", "t", ARG, true, set_threads, "<n>", "Compile n files at a time; 0: one a core"},
    {"time", "time", ARG, false, set_time_file, "<file>",
     "Append the time of each step to a file; - is standard output"},
    {"fdevice-time-trace", "fdevice-time-trace", ARG, false, set_device_trace, "<file>",
     "Write what clang spends its time on in the device pass, for chrome://tracing; -: beside the "
     "output"},
    {"help", "h", NO_ARG, false, set_show_help, "", "This text"},
    {"version", "V", NO_ARG, false, set_show_version, "", "The version"},
    {"kudzu-precompile", "kudzu-precompile", NO_ARG, false, set_precompile, "",
     "Precompile the headers that every source includes, for faster compilation (part of "
     "building and installing kudzu)"},
    {"kudzu-no-precompiled", "kudzu-no-precompiled", NO_ARG, false, set_no_precompiled, "",
     "Parse these headers anew"},
    // Accepted, without effect: they steer parts that nvcc has and kudzu has not.
    {"compiler-bindir", "ccbin", ARG, false, check_host_compiler, "<path>",
     "clang compiles host code in any case; of mpicxx and its like the headers and libraries are "
     "taken"},
    {"nvlink-options", "Xnvlink", TOOL_ARG, false, ignore, "<option>,...", "Accepted"},
    {"archive-options", "Xarchive", TOOL_ARG, false, ignore, "<option>,...", "Accepted"},
    {"fatbin-options", "Xfatbin", TOOL_ARG, false, ignore, "<option>,...", "Accepted"},
    {"cudafe-options", "Xcudafe", TOOL_ARG, false, set_front_end_option, "<option>,...",
     "--diag_suppress=<number>, --diag_warning, --diag_error as above; others are accepted"},
    {"restrict", "restrict", NO_ARG, false, ignore, "", "Accepted"},
    {"source-in-ptx", "src-in-ptx", NO_ARG, false, ignore, "", "Accepted"},
    {"extensible-whole-program", "ewp", NO_ARG, false, ignore, "", "Accepted"},
    {"dlink-time-opt", "dlto", NO_ARG, false, ignore, "",
     "Accepted: a device link optimises across files"},
    {"gen-opt-lto", "gen-opt-lto", NO_ARG, false, ignore, "", "Accepted"},
    {"split-compile", "split-compile", ARG, false, ignore, "<n>", "Accepted"},
    {"compress-mode", "compress-mode", ARG, false, ignore, "<mode>", "Accepted"},
    {"no-compress", "no-compress", NO_ARG, false, ignore, "", "Accepted"},
    {"allow-unsupported-compiler", "allow-unsupported-compiler", NO_ARG, false, ignore, "",
     "Accepted"},
    {"no-host-device-initializer-list", "nohdinitlist", NO_ARG, false, set_host_initializer_list,
     "", "Functions of std::initializer_list are the host's alone"},
    {"no-host-device-move-forward", "nohdmoveforward", NO_ARG, false, set_host_move_forward, "",
     "std::move and std::forward are the host's alone"},
    {"static-global-template-stub", "static-global-template-stub", BOOL_ARG, false, ignore, "",
     "Accepted"},
    {"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", BOOL_ARG, false,
     ignore, "", "Accepted"},
    {"no-align-double", "no-align-double", NO_ARG, false, ignore, "", "Accepted"},
    {"no-device-link", "nodlink", NO_ARG, false, set_no_device_link, "",
     "Link without linking device code"},
    {"relocatable-link", "r", NO_ARG, false, set_relocatable_link, "",
     "Join objects to one object, which later links take"},
    {"clean-targets", "clean", NO_ARG, false, set_clean, "",
     "Compile nothing; remove the files that would be written"},
    {"target-directory", "target-dir", ARG, false, ignore, "<directory>", "Accepted"},
    {"archiver-binary", "arbin", ARG, false, ignore, "<path>", "Accepted"},
    {"objdir-as-tempdir", "objtemp", NO_ARG, false, ignore, "", "Accepted"},
    {"libdevice-directory", "ldir", ARG, false, ignore, "<directory>", "Accepted"},
    {"optimization-info", "opt-info", LIST_ARG, false, ignore, "inline", "Accepted"},
    {"dopt", "dopt", ARG, false, ignore, "on", "Accepted"},
    {"lto", "lto", NO_ARG, false, ignore, "", "Accepted: the same as -dlto"},
    {"dont-use-profile", "noprof", NO_ARG, false, ignore, "", "Accepted"},
    {"split-compile-extended", "split-compile-extended", ARG, false, ignore, "<n>", "Accepted"},
    {"fdevice-syntax-only", "fdevice-syntax-only", NO_ARG, false, ignore, "", "Accepted"},
    {"drive-prefix", "dp", ARG, false, ignore, "<prefix>", "Accepted"},
    {"dependency-drive-prefix", "ddp", ARG, false, ignore, "<prefix>", "Accepted"},
    {"input-drive-prefix", "idp", ARG, false, ignore, "<prefix>", "Accepted"},
    {"force-cl-env-setup", "force-cl-env-setup", NO_ARG, false, ignore, "", "Accepted"},
    {"entries", "e", LIST_ARG, false, ignore, "<kernel>,...",
     "Accepted: code is made for every kernel"},
    {"extra-device-vectorization", "extra-device-vectorization", NO_ARG, false, ignore, "",
     "Accepted"},
    {"qpp-config", "qpp-config", ARG, false, ignore, "<configuration>", "Accepted"},
    {"compile-as-tools-patch", "astoolspatch", NO_ARG, false, ignore, "", "Accepted"},
    {"host-linker-script", "hls", ARG, false, ignore, "use-lcs|gen-lcs", "Accepted"},
    {"augment-host-linker-script", "aug-hls", NO_ARG, false, ignore, "", "Accepted"},
    {"jump-table-density", "jtd", ARG, false, ignore, "<n>", "Accepted"},
    {"relocatable-ptx", "reloc-ptx", NO_ARG, false, ignore, "", "Accepted"},
    {"device-stack-protector", "device-stack-protector", BOOL_ARG, false, ignore, "", "Accepted"},
    {"frandom-seed", "frandom-seed", ARG, false, ignore, "<seed>",
     "Accepted: the same input always gives the same output"},
    {"jobserver", "jobserver", NO_ARG, false, ignore, "", "Accepted"},
    {"sanitize", "sanitize", ARG, false, no_sanitizer, "<tool>", "Accepted with a warning"},
    {"use-local-env", "use-local-env", NO_ARG, false, ignore, "", "Accepted"},
    {"keep-device-functions", "keep-device-functions", NO_ARG, false, ignore, "", "Accepted"},
};
enum { NUM_OPTIONS = sizeof options / sizeof options[0] };

// ---- Parsing ------------------------------------------------------------------------------

static const struct option *find_option(const char *name, size_t n) {
    for (int i = 0; i < NUM_OPTIONS; ++i) {
        const struct option *o = &options[i];
        if ((strlen(o->long_name) == n && !strncmp(o->long_name, name, n)) ||
            (strlen(o->short_name) == n && !strncmp(o->short_name, name, n)))
            return o;
    }
    return NULL;
}

static const struct option *find_joined(const char *name) {
    for (int i = 0; i < NUM_OPTIONS; ++i)
        if (options[i].joined && options[i].short_name[0] == name[0])
            return &options[i];
    return NULL;
}

// A value, or an item of a list, that is one quoted string loses its quotes, as in nvcc: CMake's
// old FindCUDA writes -Xcompiler ,\"-g\".
static const char *unquoted(struct parser *p, const char *value) {
    size_t n = strlen(value);
    if (n >= 2 && (*value == '"' || *value == '\'') && value[n - 1] == *value)
        return arena_strndup(p->arena, value + 1, n - 2);
    return value;
}

// Words of a text: blanks separate, quotes and backslashes keep together.
static cc_strings split_words(struct arena *arena, const char *text) {
    cc_strings words = {0};
    struct strbuf word = {0};
    bool in_word = false;
    char quote = 0;
    for (; *text; ++text) {
        if (quote ? *text == quote : *text == '"' || *text == '\'') {
            quote = quote ? 0 : *text;
            in_word = true;
        } else if (*text == '\\' && text[1] && quote != '\'') {
            if (text[1] == ',') // a comma within a list's item stays marked
                strbuf_puts(&word, "\\");
            strbuf_append(&word, ++text, 1);
            in_word = true;
        } else if (!quote && strchr(" \t\r\n", *text)) {
            if (in_word)
                vec_push(arena, &words, arena_strdup(arena, strbuf_str(&word)));
            strbuf_free(&word);
            word = (struct strbuf){0};
            in_word = false;
        } else {
            strbuf_append(&word, text, 1);
            in_word = true;
        }
    }
    if (in_word)
        vec_push(arena, &words, arena_strdup(arena, strbuf_str(&word)));
    strbuf_free(&word);
    return words;
}

// The items of a list. A backslash makes the next character part of the item, and commas in double
// quotes separate nothing. Quotes stay.
static cc_strings split_items(struct arena *arena, const char *value) {
    cc_strings items = {0};
    struct strbuf item = {0};
    bool quoted = false;
    for (const char *c = value;; ++c) {
        if (*c == '\\' && c[1]) {
            strbuf_append(&item, ++c, 1);
        } else if (*c && (*c != ',' || quoted)) {
            quoted ^= *c == '"';
            strbuf_append(&item, c, 1);
        } else {
            if (item.len)
                vec_push(arena, &items, arena_strdup(arena, strbuf_str(&item)));
            strbuf_free(&item);
            item = (struct strbuf){0};
            if (!*c)
                return items;
        }
    }
}

static bool apply_items(struct parser *p, const struct option *o, const cc_strings *items) {
    for (uint32_t i = 0; i < items->len; ++i)
        if (!o->action(p, items->data[i]))
            return false;
    return true;
}

static bool apply_list(struct parser *p, const struct option *o, const char *value) {
    cc_strings items = split_items(p->arena, value), words = {0};
    for (uint32_t i = 0; i < items.len && o->arg == TOOL_ARG; ++i) {
        cc_strings own = split_words(p->arena, items.data[i]);
        for (uint32_t k = 0; k < own.len; ++k)
            vec_push(p->arena, &words, own.data[k]);
    }
    for (uint32_t i = 0; i < items.len && o->arg != TOOL_ARG; ++i)
        vec_push(p->arena, &words, unquoted(p, items.data[i]));
    return apply_items(p, o, &words);
}

static bool is_boolean(const char *s) {
    return !strcmp(s, "true") || !strcmp(s, "false");
}

static bool apply(struct parser *p, const struct option *o, const char *spelling,
                  const char *value) {
    switch (o->arg) {
    case NO_ARG:
        if (value)
            return cc_error("option '%s' takes no value", spelling);
        return o->action(p, NULL);
    case OPTIONAL_ARG:
        return o->action(p, value);
    case BOOL_ARG:
        if (!value && p->next < p->args.len && is_boolean(p->args.data[p->next]))
            value = p->args.data[p->next++];
        if (value && !is_boolean(value))
            return cc_error("option '%s': expected true or false, not '%s'", spelling, value);
        return o->action(p, value);
    case ARG:
    case LIST_ARG:
    case TOOL_ARG:
        if (!value) {
            if (p->next == p->args.len)
                return cc_error("option '%s' needs a value: %s", spelling, o->value_name);
            value = p->args.data[p->next++];
        }
        return o->arg == ARG ? o->action(p, unquoted(p, value)) : apply_list(p, o, value);
    }
    return false;
}

static const char *const *command_names;
static size_t command_name_count;

void options_of_command(const char *const *names, size_t count) {
    command_names = names;
    command_name_count = count;
}

bool option_unknown(const char *option) {
    const char *name = option + strspn(option, "-");
    const char *meant = closest_word(name, strcspn(name, "="), command_names, command_name_count);
    if (meant)
        return cc_error("unknown option '%s': did you mean --%s? (--help lists the options)",
                        option, meant);
    return cc_error("unknown option '%s' (--help lists the options)", option);
}

// Short names have one dash, others two.
static bool unknown_option(const char *arg, const char *name, size_t n) {
    const char *names[2 * NUM_OPTIONS];
    for (int i = 0; i < NUM_OPTIONS; ++i) {
        names[i] = options[i].long_name;
        names[NUM_OPTIONS + i] = options[i].short_name;
    }
    const char *own = closest_word(name, n, command_names, command_name_count);
    const char *meant = own ? own : closest_word(name, n, names, 2 * NUM_OPTIONS);
    const struct option *o = own || !meant ? NULL : find_option(meant, strlen(meant));
    const char *dashes = o && strcmp(o->long_name, meant) != 0 ? "-" : "--";
    if (meant)
        return cc_error("unknown option '%s': did you mean %s%s? (--help lists the options; those "
                        "of the host compiler go behind -Xcompiler)",
                        arg, dashes, meant);
    return cc_error("unknown option '%s' (--help lists the options; those of the host compiler "
                    "go behind -Xcompiler)",
                    arg);
}

static bool parse_option(struct parser *p, const char *arg) {
    const char *name = arg + (arg[1] == '-' ? 2 : 1);
    const char *equals = strchr(name, '=');
    const struct option *o = find_option(name, equals ? (size_t)(equals - name) : strlen(name));
    if (o)
        return apply(p, o, arg, equals ? equals + 1 : NULL);
    o = arg[1] != '-' ? find_joined(name) : NULL;
    if (o)
        return apply(p, o, arg, name + 1);
    if (p->o->forward_unknown)
        vec_push(p->arena, &p->o->host_compiler, arg); // which the link gets, too
    else if (p->o->forward_to_linker)
        vec_push(p->arena, &p->o->link, arg);
    if (p->o->forward_unknown || p->o->forward_to_linker)
        return true;
    return unknown_option(arg, name, equals ? (size_t)(equals - name) : strlen(name));
}

static bool has_suffix(const char *path, const char *suffix) {
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && !strcmp(path + n - m, suffix);
}

static enum cc_language language_of(const char *path) {
    static const struct {
        const char *suffix;
        enum cc_language language;
    } known[] = {{".cu", CC_CUDA},      {".cup", CC_CUDA},    {".cpp", CC_CXX},    {".cc", CC_CXX},
                 {".cxx", CC_CXX},      {".C", CC_CXX},       {".c++", CC_CXX},    {".c", CC_C},
                 {".ptx", CC_PTX_TEXT}, {".s", CC_ASSEMBLER}, {".S", CC_ASSEMBLER}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (has_suffix(path, known[i].suffix))
            return known[i].language;
    return CC_LINKER_INPUT;
}

// A linker's input keeps its place among libraries: \1 and the input's number stand for it.
static void add_input(struct parser *p, const char *path) {
    path = unquoted(p, path); // Meson writes names of programs so
    struct cc_input in = {path, language_of(path)};
    vec_push(p->arena, &p->o->link, arena_printf(p->arena, "\1%u", p->o->inputs.len));
    vec_push(p->arena, &p->o->inputs, in);
}

enum { MAX_OPTIONS_FILE = 4 << 20 };

// The file's words are read next, before what is left of the command line.
static bool read_options_file(struct parser *p, const char *path) {
    struct whole_file f;
    if (!whole_file_read(&f, path, WHOLE_FILE_PIPES, MAX_OPTIONS_FILE))
        return cc_error("cannot read the options file %s: %s", path, f.why);
    cc_strings words = split_words(p->arena, f.data), args = {0};
    free(f.data);
    for (uint32_t i = 0; i < words.len; ++i)
        vec_push(p->arena, &args, words.data[i]);
    for (uint32_t i = p->next; i < p->args.len; ++i)
        vec_push(p->arena, &args, p->args.data[i]);
    if (args.len > 100000)
        return cc_error("the options file %s: too many options (does it name itself?)", path);
    p->args = args;
    p->next = 0;
    return true;
}

static void add_environment(struct parser *p, const char *variable) {
    const char *text = environment_get(variable);
    cc_strings words = split_words(p->arena, text ? text : "");
    for (uint32_t i = 0; i < words.len; ++i)
        vec_push(p->arena, &p->args, words.data[i]);
}

static void set_languages(struct cc_options *o) {
    enum cc_language l = !o->language                 ? CC_LINKER_INPUT
                         : !strcmp(o->language, "c")  ? CC_C
                         : !strcmp(o->language, "cu") ? CC_CUDA
                                                      : CC_CXX;
    for (uint32_t i = 0; o->language && i < o->inputs.len; ++i)
        if (o->inputs.data[i].language != CC_LINKER_INPUT ||
            !(has_suffix(o->inputs.data[i].path, ".o") ||
              has_suffix(o->inputs.data[i].path, ".a") || strstr(o->inputs.data[i].path, ".so")))
            o->inputs.data[i].language = l;
}

// -ccbin mpicxx: nvcc gets MPI's headers and libraries by it, so they are asked for. The libraries
// come behind those of the command.
static void add_mpi(struct parser *p) {
    if (!p->host_compiler || !mpi_wrapper_is(p->host_compiler) ||
        !find_on_path(p->arena, p->host_compiler))
        return;
    const char *compile = mpi_wrapper_options(p->arena, p->host_compiler, false);
    const char *link = mpi_wrapper_options(p->arena, p->host_compiler, true);
    if (!compile || !link) {
        cc_warning("-ccbin %s: it does not tell its options; give MPI's headers and libraries by "
                   "-I, -L and -l",
                   p->host_compiler);
        return;
    }
    cc_strings words = split_words(p->arena, compile);
    for (uint32_t i = 0; i < words.len; ++i)
        if (!strncmp(words.data[i], "-I", 2) || !strncmp(words.data[i], "-D", 2))
            vec_push(p->arena, &p->o->preprocessor, words.data[i]);
    words = split_words(p->arena, link);
    for (uint32_t i = 0; i < words.len; ++i) {
        const char *word = words.data[i];
        if (!strncmp(word, "-L", 2) || !strncmp(word, "-l", 2) || !strncmp(word, "-Wl,", 4))
            vec_push(p->arena, &p->o->link, word);
    }
}

// What -Xcompiler tells the host's preprocessor holds in both passes, as in nvcc, which
// preprocesses device code with the host's compiler, too.
static void share_preprocessor_options(struct cc_options *o, struct arena *arena) {
    static const char *const separate[] = {"-include", "-isystem", "-iquote", "-idirafter",
                                           "-D",       "-U",       "-I"};
    cc_strings host = {0};
    for (uint32_t i = 0; i < o->host_compiler.len; ++i) {
        const char *option = o->host_compiler.data[i];
        size_t count = 0;
        for (size_t k = 0; k < sizeof separate / sizeof separate[0] && !count; ++k)
            count = strcmp(option, separate[k]) ? 0 : 2;
        if (*option == '-' && option[1] && strchr("DUI", option[1]) && option[2])
            count = 1;
        if (!count || i + count > o->host_compiler.len) {
            vec_push(arena, &host, option);
            continue;
        }
        const char *value = count == 2 ? o->host_compiler.data[++i] : NULL;
        bool letter = value && !option[2];
        vec_push(arena, &o->preprocessor,
                 letter ? arena_printf(arena, "%s%s", option, value) : option);
        if (value && !letter)
            vec_push(arena, &o->preprocessor, value);
    }
    o->host_compiler = host;
}

bool options_parse(struct cc_options *o, struct arena *arena, int argc, char **argv) {
    memset(o, 0, sizeof *o);
    if (cuda_version_unknown())
        return cc_error("KUDZU_CUDA_VERSION is '%s', which is no version from %d.%d to %d.%d",
                        cuda_version_unknown(), CUDA_VERSION_OLDEST / 1000,
                        CUDA_VERSION_OLDEST % 1000 / 10, CUDA_VERSION_LATEST / 1000,
                        CUDA_VERSION_LATEST % 1000 / 10);
    o->cuda_version = o->architectures.cuda_version = cuda_version_of_headers();
    o->prec_div = o->prec_sqrt = o->fmad = true;
    o->threads = 1;
    o->device_opt = "3";
    struct parser p = {.o = o, .arena = arena};
    add_environment(&p, "NVCC_PREPEND_FLAGS");
    for (int i = 1; i < argc; ++i)
        vec_push(arena, &p.args, argv[i]);
    add_environment(&p, "NVCC_APPEND_FLAGS");
    // Whether unknown options are forwarded holds for those before the option, too.
    for (uint32_t i = 0; i < p.args.len; ++i) {
        const char *name = p.args.data[i] + strspn(p.args.data[i], "-");
        o->forward_unknown |= !strcmp(name, "forward-unknown-opts") ||
                              !strcmp(name, "forward-unknown-to-host-compiler");
        o->forward_to_linker |= !strcmp(name, "forward-unknown-to-host-linker");
    }
    while (p.next < p.args.len) {
        const char *arg = p.args.data[p.next++];
        if (arg[0] == '-' && arg[1])
            if (!parse_option(&p, arg))
                return false;
        if (arg[0] != '-')
            add_input(&p, arg);
    }
    add_mpi(&p);
    set_languages(o);
    share_preprocessor_options(o, arena);
    if (o->device_debug)
        o->device_opt = "0";
    if (o->precompile) // of 12.9: other versions have a cache
        o->cuda_version = o->architectures.cuda_version = 12090;
    if ((p.arch || p.code) && !architectures_add_arch(&o->architectures, arena, p.arch, p.code))
        return false;
    return architectures_finish(&o->architectures, arena);
}

void options_print_help(void) {
    puts("Usage: kudzu cc [options] file...\n\n"
         "Compiles CUDA C++ (.cu), C++ and C files and links them. The options are nvcc's; each\n"
         "long or short name takes one dash or two, and its value after '=' or a blank.\n\n"
         "Options:");
    for (int i = 0; i < NUM_OPTIONS; ++i) {
        const struct option *o = &options[i];
        char names[128];
        if (strcmp(o->long_name, o->short_name))
            snprintf(names, sizeof names, "--%s, -%s", o->long_name, o->short_name);
        else
            snprintf(names, sizeof names, "-%s", o->short_name);
        printf("  %s%s%s\n        %s\n", names, o->value_name[0] ? " " : "", o->value_name,
               o->help);
    }
    puts("\nEnvironment:\n"
         "  KUDZU_CLANG         the clang++ to run; default clang++-" KUDZU_LLVM " on PATH\n"
         "  KUDZU_CUDA_VERSION  13.0: compile as CUDA 13; default 12.9\n"
         "  NVCC_PREPEND_FLAGS  options before those of the command line\n"
         "  NVCC_APPEND_FLAGS   options after those of the command line\n"
         "  TMPDIR              where intermediate files go");
}
