#include "cc/headers/clang_flags.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cc/compat/extended_lambdas.h"
#include "cc/compat/launch_tokens.h"
#include "cc/compat/references.h"
#include "cc/headers/cached_headers.h"
#include "cc/headers/precompiled.h"
#include "cc/objects/object_file.h"
#include "cc/options/warning_numbers.h"
#include "cc/processes/file_io.h"
#include "cc/processes/temporaries.h"

// CUDA's version as clang is told: decides which launch functions host code calls.
#define TARGET_SDK "12.5"

// The version of OpenMP that clang 19 says it has.
#define OPENMP_VERSION "202011"

// The directories that clang searches for standard headers, from its own -v output.
static bool query_standard_directories(struct compilation *c, cc_strings *dirs) {
    struct command cmd;
    command_init(&cmd, c->arena, NULL, c->toolchain->clang);
    static const char *const args[] = {"-xc++", "-E", "-v", "/dev/null"};
    for (size_t i = 0; i < 4; ++i)
        command_arg(&cmd, args[i]);
    cmd.stdout_path = "/dev/null";
    cmd.stderr_path = scratch_path(c->arena, "dirs");
    bool ok = command_run(&cmd);
    char *text;
    size_t size;
    if (!ok || !read_file(c->arena, cmd.stderr_path, &text, &size))
        return cc_error("%s -v fails", c->toolchain->clang);
    text = strstr(text, "#include <...> search starts here:\n");
    for (char *line = text ? strchr(text, '\n') + 1 : NULL; line && *line == ' ';) {
        size_t n = strcspn(line, "\n");
        vec_push(c->arena, dirs, arena_strndup(c->arena, line + 1, n - 1));
        line += n + (line[n] == '\n');
    }
    return dirs->len || cc_error("%s -v shows no search directories", c->toolchain->clang);
}

// Two toolkits' headers do not mix: a directory of the system that holds a foreign one's is left
// out of the search. clang's own directory stays where it is, before the others.
static bool hide_foreign_headers(struct compilation *c) {
    cc_strings dirs = {0};
    if (precompiled_directories(c->toolchain, c->arena, &c->standard_directories) ||
        command_mode.dry_run)
        return true;
    if (!query_standard_directories(c, &dirs))
        return false;
    vec_push(c->arena, &c->standard_directories, "-nostdlibinc");
    for (uint32_t i = 0; i < dirs.len; ++i) {
        if (!strcmp(dirs.data[i], c->toolchain->foreign_include) ||
            strstr(dirs.data[i], "/lib/clang/"))
            continue;
        vec_push(c->arena, &c->standard_directories, "-idirafter");
        vec_push(c->arena, &c->standard_directories, dirs.data[i]);
    }
    return true;
}

bool compilation_init(struct compilation *c, const struct cc_options *o, const struct toolchain *t,
                      struct arena *arena) {
    *c = (struct compilation){.options = o, .toolchain = t, .arena = arena};
    c->color = isatty(2);
    c->precompiled = !o->precompile && precompiled_usable(t, arena, o);
    return !t->foreign_include || o->host_sysroot || hide_foreign_headers(c);
}

void compilation_init_rtc(struct compilation *c, const struct cc_options *o,
                          const struct toolchain *t, struct arena *arena) {
    *c = (struct compilation){.options = o, .toolchain = t, .arena = arena};
    c->precompiled = precompiled_usable_rtc(t, arena, o);
    if (t->foreign_include && !precompiled_directories(t, arena, &c->standard_directories))
        vec_push(arena, &c->standard_directories, "-nostdlibinc");
}

void clang_host_machine(struct command *cmd, const struct cc_options *o) {
    if (o->host_target)
        command_argf(cmd, "--target=%s", o->host_target);
    if (o->host_sysroot)
        command_argf(cmd, "--sysroot=%s", o->host_sysroot);
}

// A directory of the system that holds another toolkit's headers comes after kudzu's also where the
// program names it, as host compilers leave directories of the system at their place.
static void add_preprocessor(struct command *cmd, const struct compilation *c) {
    const cc_strings *list = &c->options->preprocessor;
    const char *foreign = c->toolchain->foreign_include;
    size_t n = foreign ? strlen(foreign) : 0;
    for (uint32_t i = 0; i < list->len; ++i) {
        const char *option = list->data[i];
        bool two = !strcmp(option, "-isystem") && i + 1 < list->len;
        const char *folder = two ? list->data[i + 1] : !strncmp(option, "-I", 2) ? option + 2 : "";
        if (n && !strncmp(folder, foreign, n) && strspn(folder + n, "/") == strlen(folder + n)) {
            command_arg(cmd, "-idirafter");
            command_arg(cmd, foreign);
            i += two;
        } else {
            command_arg(cmd, option);
        }
    }
}

static void add_common(struct command *cmd, const struct compilation *c) {
    const struct cc_options *o = c->options;
    clang_host_machine(cmd, o);
    add_preprocessor(cmd, c);
    command_arg(cmd, "-isystem");
    command_argf(cmd, "%s/kudzu/std", c->toolchain->include);
    command_arg(cmd, "-isystem");
    command_arg(cmd, c->toolchain->include);
    command_args(cmd, &c->standard_directories);
    command_arg(cmd, c->color ? "-fcolor-diagnostics" : "-fno-color-diagnostics");
    command_arg(cmd, "-Qunused-arguments");
    command_arg(cmd, "-fno-crash-diagnostics"); // no preprocessed sources in TMPDIR
}

// What the headers are of (kudzu/cuda_version.h).
static void add_header_version(struct command *cmd, const struct compilation *c) {
    if (c->options->cuda_version >= 13000)
        command_argf(cmd, "-DKUDZU_CUDA_VERSION=%d", c->options->cuda_version);
}

static void add_definitions(struct command *cmd, const struct compilation *c, int cuda_version) {
    const struct cc_options *o = c->options;
    command_arg(cmd, "-D__CUDACC__");
    command_argf(cmd, "-D__CUDACC_VER_MAJOR__=%d", cuda_version / 1000);
    command_argf(cmd, "-D__CUDACC_VER_MINOR__=%d", cuda_version % 1000 / 10);
    command_arg(cmd, "-D__CUDACC_VER_BUILD__=0");
    command_arg(cmd, "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1");
    if (o->rdc)
        command_arg(cmd, "-D__CUDACC_RDC__");
    if (o->device_debug)
        command_arg(cmd, "-D__CUDACC_DEBUG__");
    if (o->extended_lambda)
        command_arg(cmd, "-D__CUDACC_EXTENDED_LAMBDA__");
    if (o->relaxed_constexpr)
        command_arg(cmd, "-D__CUDACC_RELAXED_CONSTEXPR__");
    if (o->per_thread_stream)
        command_arg(cmd, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM");
    if (c->precompiling) // no header depends on it, and so one serves for all
        return;
    if (o->host_initializer_list)
        command_arg(cmd, "-D__KUDZU_HOST_INITIALIZER_LIST__");
    if (o->host_move_forward)
        command_arg(cmd, "-D__KUDZU_HOST_MOVE_FORWARD__");
    // clang defines it since release 22, as the list of what it was told of.
    command_arg(cmd, "-U__CUDA_ARCH_LIST__");
    char list[512] = "-D__CUDA_ARCH_LIST__=";
    for (uint32_t i = 0; i < o->architectures.list.len; ++i)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%u", i ? "," : "",
                 o->architectures.list.data[i].number * 10);
    command_argf(cmd, "%s", list);
}

// What clang refuses and nvcc's usual host compiler only warns about, and notes on code that
// nvcc says nothing about.
static const char *const nvcc_like_warnings[] = {
    "-Wno-unknown-cuda-version",
    "-Wno-unknown-pragmas",
    "-Wno-pass-failed",
    "-Wno-cuda-compat", // parentheses around the number of `#pragma unroll (n)`
    "-Wno-register",
    "-Wno-c++20-extensions",
    "-Wno-invalid-constexpr", // functions that gcc knows to be constant, and clang does not
    "-Wno-error=c++11-narrowing",
    "-Wno-error=reserved-user-defined-literal",
    "-Wno-missing-template-arg-list-after-template-kw", // p->template f(x)
    "-Wno-unknown-warning-option",
};

// The same for C.
static const char *const gcc_like_c_warnings[] = {
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
};

// What functions of device code are made of, which host code has no use for.
static void add_device_math(struct command *cmd, const struct cc_options *o) {
    if (o->fast_math)
        command_arg(cmd, "-fgpu-approx-transcendentals");
    if (!o->prec_sqrt)
        command_argf(cmd, "-D__KUDZU_APPROXIMATE_SQRT=__nvvm_sqrt_approx%s_f",
                     o->ftz ? "_ftz" : "");
}

static const char *language_standard(const struct cc_options *o) {
    return o->std ? o->std : "gnu++17";
}

static const char *find_precompiled(const struct compilation *c, enum cc_pass pass,
                                    const struct architecture *arch, const char *source) {
    if (!c->precompiled)
        return NULL;
    unsigned set = precompiled_set(c->toolchain, c->arena, c->options, source);
    const char *ahead =
        precompiled_header(c->toolchain, c->arena, c->options, pass, arch ? arch->name : NULL, set);
    return ahead ? ahead : cached_header(c, pass, arch, source, set);
}

static void add_implicit_header(struct command *cmd, const struct compilation *c, enum cc_pass pass,
                                const struct architecture *arch, const char *source) {
    const char *precompiled = find_precompiled(c, pass, arch, source);
    command_arg(cmd, precompiled ? "-include-pch" : "-include");
    command_arg(cmd, precompiled ? precompiled : "cuda_runtime.h");
    if (!precompiled || !precompiled_stands_for(c->options, pass))
        return;
    command_arg(cmd, "-Xclang");
    command_arg(cmd, "-fno-validate-pch");
    if (c->options->rdc)
        command_arg(cmd, "-D__CLANG_RDC__=1");
    if (c->options->device_debug && pass == CC_DEVICE_PASS) {
        command_arg(cmd, "-U__OPTIMIZE__");
        command_arg(cmd, "-D__NO_INLINE__=1");
    }
    if (pass == CC_HOST_PASS && precompiled_is_shared(c->options)) {
        command_arg(cmd, "-U__PIE__");
        command_arg(cmd, "-U__pie__");
    }
}

static void add_cuda_language(struct command *cmd, const struct compilation *c) {
    // No toolkit is looked for, and none of its files is read.
    command_argf(cmd, "--cuda-path=%s", c->toolchain->lib);
    command_arg(cmd, "-nocudainc");
    command_arg(cmd, "-nocudalib");
    command_arg(cmd, "-Xclang");
    command_arg(cmd, "-target-sdk-version=" TARGET_SDK);
    // Declarations of functions with an ellipsis are common where types are asked for traits.
    command_arg(cmd, "-Xclang");
    command_arg(cmd, "-fcuda-allow-variadic-functions");
    command_arg(cmd, "-fdeclspec"); // __managed__, in host_defines.h
    command_argf(cmd, "-std=%s", language_standard(c->options));
    // CUDA has no modules (18.5), and with them clang refuses precompiled headers that overload
    // functions for host and device.
    command_arg(cmd, "-Xclang");
    command_arg(cmd, "-fno-cxx-modules");
    if (c->toolchain->plugin)
        command_argf(cmd, "-fpass-plugin=%s", c->toolchain->plugin);
    if (c->toolchain->plugin && !c->precompiling)
        command_argf(cmd, "-fplugin=%s", c->toolchain->plugin); // looks at the syntax tree
}

static bool names_option(const cc_strings *options, const char *name) {
    for (uint32_t i = 0; i < options->len; ++i)
        if (!strcmp(options->data[i], name))
            return true;
    return false;
}

// What nvcc warns of in both sides' code without being asked.
static void add_default_warnings(struct command *cmd, const struct cc_options *o) {
    for (const char *const *flag = warnings_by_default; *flag; ++flag)
        if (!names_option(&o->host_compiler, arena_printf(cmd->arena, "-Wno-%s", *flag)))
            command_argf(cmd, "-W%s", *flag);
}

// `arch`: the device pass's architecture; NULL in the host pass.
static void add_cuda(struct command *cmd, const struct compilation *c,
                     const struct architecture *arch, const char *source) {
    enum cc_pass pass = arch ? CC_DEVICE_PASS : CC_HOST_PASS;
    const struct cc_options *o = c->options;
    command_arg(cmd, pass == CC_DEVICE_PASS ? "--cuda-device-only" : "--cuda-host-only");
    add_cuda_language(cmd, c);
    if (o->per_thread_stream) {
        command_arg(cmd, "-Xclang"); // clang's driver passes it on for HIP alone
        command_arg(cmd, "-fgpu-default-stream=per-thread");
    }
    if (o->rdc)
        command_arg(cmd, "-fgpu-rdc");
    if (pass == CC_DEVICE_PASS)
        add_device_math(cmd, o);
    // Host code looks the same in both passes; clang would compile device code for OpenMP.
    if (pass == CC_DEVICE_PASS && names_option(&o->host_compiler, "-fopenmp"))
        command_arg(cmd, "-D_OPENMP=" OPENMP_VERSION);
    if (pass == CC_DEVICE_PASS && c->late_templates) {
        command_arg(cmd, "-Xclang"); // clang's driver would warn of it
        command_arg(cmd, "-fdelayed-template-parsing");
    }
    for (size_t i = 0; i < sizeof nvcc_like_warnings / sizeof nvcc_like_warnings[0]; ++i)
        command_arg(cmd, nvcc_like_warnings[i]);
    if (!c->precompiling) {
        add_default_warnings(cmd, o);
        command_arg(cmd, "-ferror-limit=100"); // as nvcc's
    }
    command_args(cmd, &o->warnings);
    command_arg(cmd, "-D__NVCC__");
    add_definitions(cmd, c, o->cuda_version);
    add_header_version(cmd, c);
    add_implicit_header(cmd, c, pass, arch, source); // before what the user's -include names
    if (c->no_hints) {
        command_arg(cmd, "-include");
        command_arg(cmd, "kudzu/no_hints.h");
    }
    add_common(cmd, c);
}

struct rewrites compilation_rewrites(const struct compilation *c) {
    return (struct rewrites){
        &c->device_launches, &c->declared_spaces, &c->unroll_counts, &c->lenient_words, NULL,
        &c->spelled_files};
}

// Distinguishes static device symbols of different files in one device link. Depends on the path
// alone, so that the same compilation gives the same object.
static void add_launch_tokens(struct command *cmd, const struct compilation *c,
                              const char *source) {
    struct rewrites found = compilation_rewrites(c);
    const char *overlay = launch_tokens_overlay(c->arena, source, &found);
    if (!overlay)
        return;
    command_arg(cmd, "-ivfsoverlay");
    command_arg(cmd, overlay);
}

static void add_references(struct command *cmd, const struct compilation *c, const char *source) {
    if (c->own_names || c->options->cuda_version >= 13000 ||
        !uses_references(c->arena, c->options, source))
        return;
    command_arg(cmd, "-include");
    command_arg(cmd, "kudzu/references.h");
}

static void add_group_atomics(struct command *cmd, const struct compilation *c) {
    if (c->group_atomics)
        command_arg(cmd, "-D__KUDZU_GROUP_ATOMICS");
}

static void add_extended_lambdas(struct command *cmd, const struct compilation *c,
                                 const char *source) {
    const char *list = c->options->extended_lambda
                           ? extended_lambdas(c->arena, source, &c->options->preprocessor)
                           : NULL;
    if (!list)
        return;
    command_argf(cmd, "-D__KUDZU_EXTENDED_LAMBDAS=%s", list);
    command_arg(cmd, "-include");
    command_arg(cmd, "kudzu/extended_lambdas.h");
}

static uint64_t add_to_hash(uint64_t hash, const char *text) {
    for (const char *s = text; *s; ++s)
        hash = (hash ^ (uint8_t)*s) * 0x100000001b3u;
    return hash;
}

static uint64_t path_hash(const char *path) {
    char cwd[4096] = "";
    if (*path != '/' && !getcwd(cwd, sizeof cwd))
        cwd[0] = 0;
    return add_to_hash(add_to_hash(0xcbf29ce484222325u, cwd), path);
}

static void add_unit_id(struct command *cmd, const struct compilation *c, const char *source) {
    if (!c->options->rdc)
        return;
    uint64_t hash = path_hash(source);
    command_arg(cmd, "-fuse-cuid=none"); // clang's driver would only name the device pass
    command_arg(cmd, "-Xclang");
    command_argf(cmd, "-cuid=%016llx", (unsigned long long)hash);
}

static void add_llvm_option(struct command *cmd, const char *option) {
    command_arg(cmd, "-mllvm");
    command_arg(cmd, option);
}

static void add_device_code_generation(struct command *cmd, const struct compilation *c) {
    const struct cc_options *o = c->options;
    command_argf(cmd, "-O%s", o->device_opt);
    // Kernels hand on what one lane alone has set, as in x = __shfl_sync(mask, x, 0). Were an
    // undefined argument an error, LLVM would drop the other lanes' way around the assignment.
    command_arg(cmd, "-Xclang");
    command_arg(cmd, "-no-enable-noundef-analysis");
    // The device's heap ends: LLVM would drop an allocation that only a test for NULL looks at, and
    // clang takes it that operator new never returns NULL.
    command_arg(cmd, "-fno-builtin-malloc");
    command_arg(cmd, "-fno-builtin-free");
    command_arg(cmd, "-fcheck-new");
    // Device code looks at objects through pointers of other types (int4 for floats, CUB's shuffles
    // word by word), and under nvcc it means what it looks like.
    command_arg(cmd, "-fno-strict-aliasing");
    // Bytes and words of 16 bits are taken together for what few instructions GPUs have for two of
    // them; packing and unpacking them costs more.
    command_arg(cmd, "-fno-slp-vectorize");
    if (o->ftz)
        command_arg(cmd, "-fgpu-flush-denormals-to-zero");
    command_arg(cmd, o->fmad ? "-ffp-contract=fast" : "-ffp-contract=off");
    if (!o->fmad)
        add_llvm_option(cmd, "-nvptx-fma-level=0");
    if (!o->prec_div)
        add_llvm_option(cmd, o->fast_math ? "-nvptx-prec-divf32=0" : "-nvptx-prec-divf32=1");
    if (!o->prec_sqrt)
        add_llvm_option(cmd, "-nvptx-prec-sqrtf32=0");
    if (o->device_debug) { // local variables keep them in the PTX, and are told where they end
        command_arg(cmd, "-fno-discard-value-names");
        command_arg(cmd, "-Xclang");
        command_arg(cmd, "-fsanitize-address-use-after-scope");
    }
    if (o->line_info || o->device_debug || c->with_lines) {
        command_arg(cmd, "-Xclang");
        command_arg(cmd, c->with_lines ? "-debug-info-kind=limited"
                                       : "-debug-info-kind=line-directives-only");
    }
}

static void add_device_library(struct command *cmd, const struct compilation *c) {
    if (!c->toolchain->devicelib)
        return;
    command_arg(cmd, "-Xclang");
    command_arg(cmd, "-mlink-builtin-bitcode");
    command_arg(cmd, "-Xclang");
    command_arg(cmd, c->toolchain->devicelib);
}

static void add_time_trace(struct command *cmd, const struct cc_options *o) {
    if (!o->device_trace)
        return;
    bool beside = !strcmp(o->device_trace, "-");
    command_arg(cmd, "-Xclang"); // clang's driver names files of its own for device code
    command_argf(cmd, "-ftime-trace=%s%s",
                 !beside     ? o->device_trace
                 : o->output ? o->output
                             : "trace",
                 beside ? ".json" : "");
}

// For the plugin: what programs load as a module.
static const char *module_environment(const struct cc_options *o) {
    return o->rdc ? "KUDZU_EXPORT_STATIC=relocatable" : "KUDZU_EXPORT_STATIC=1";
}

static void add_rules_argument(struct command *cmd, const char *argument) {
    command_arg(cmd, "-Xclang");
    command_arg(cmd, "-plugin-arg-kudzu-rules");
    command_arg(cmd, "-Xclang");
    command_arg(cmd, argument);
}

static void add_attempts(struct command *cmd, const struct compilation *c) {
    if (c->host_calls && c->toolchain->plugin)
        add_rules_argument(cmd, "host-calls");
    if (c->device_operators && c->toolchain->plugin)
        add_rules_argument(cmd, "device-operators");
}

// Of one that clang does not know the macros are defined here (guide 5.1, 20; version 13: 5.4.7.1).
static void add_architecture(struct command *cmd, const struct compilation *c,
                             const struct architecture *arch) {
    unsigned number = arch->number * 10;
    char feature = arch->name[strlen(arch->name) - 1];
    command_argf(cmd, "--cuda-gpu-arch=%s", architecture_for_clang(arch));
    command_arg(cmd, "--cuda-feature=+ptx85");
    if (arch->number >= 100 && c->toolchain->plugin) // __float128 (guide 18.5.1)
        add_rules_argument(cmd, "quad-precision");
    if (!arch->stand_in)
        return;
    command_arg(cmd, "-Wno-builtin-macro-redefined");
    command_arg(cmd, "-U__CUDA_ARCH__");
    command_argf(cmd, "-D__CUDA_ARCH__=%u", number);
    if (feature == 'a') {
        command_argf(cmd, "-D__CUDA_ARCH_FEAT_SM%u_ALL", arch->number);
        command_argf(cmd, "-D__CUDA_ARCH_SPECIFIC__=%u", number);
    }
    if (feature == 'a' || feature == 'f')
        command_argf(cmd, "-D__CUDA_ARCH_FAMILY_SPECIFIC__=%u", number);
}

void clang_device_pass(struct command *cmd, const struct compilation *c,
                       const struct architecture *arch, const char *source) {
    const struct cc_options *o = c->options;
    command_init(cmd, c->arena, arena_printf(c->arena, "%s,device pass %s", source, arch->name),
                 c->toolchain->clang);
    command_arg(cmd, "-xcuda");
    add_cuda(cmd, c, arch, source);
    add_architecture(cmd, c, arch);
    add_attempts(cmd, c);
    add_device_code_generation(cmd, c);
    add_unit_id(cmd, c, source);
    add_launch_tokens(cmd, c, source);
    add_references(cmd, c, source);
    add_group_atomics(cmd, c);
    add_extended_lambdas(cmd, c, source);
    add_device_library(cmd, c);
    add_time_trace(cmd, o);
    command_arg(cmd, source);
    // What becomes a file that programs load: host code that names its variables is not seen.
    if (o->phase == CC_PTX || o->phase == CC_CUBIN || o->phase == CC_FATBIN)
        cmd->environment = module_environment(o);
    else if (o->rdc)
        cmd->environment = "KUDZU_RELOCATABLE=1";
}

void clang_rtc_pass(struct command *cmd, const struct compilation *c,
                    const struct architecture *arch, const char *source, bool system_headers) {
    const struct cc_options *o = c->options;
    command_init(cmd, c->arena, NULL, c->toolchain->clang);
    command_arg(cmd, "-xcuda");
    command_arg(cmd, "--cuda-device-only");
    add_cuda_language(cmd, c);
    if (o->rdc)
        command_arg(cmd, "-fgpu-rdc");
    add_device_math(cmd, o);
    for (size_t i = 0; i < sizeof nvcc_like_warnings / sizeof nvcc_like_warnings[0]; ++i)
        command_arg(cmd, nvcc_like_warnings[i]);
    command_arg(cmd, "-Wno-c++26-extensions"); // libraries ask which features clang has
    command_arg(cmd, "-Wunused-variable");
    command_args(cmd, &o->warnings);
    command_arg(cmd, "-D__CUDACC_RTC__");
    // The declarations of device code are the same in all versions, and precompiled once; the
    // program is told its version behind them.
    add_definitions(cmd, c, 12090);
    // kudzu's own headers come first: another toolkit's, in a directory that the program names,
    // do not mix with them. libcu++ is no part of NVRTC: the program's is the one that it wants.
    command_argf(cmd, "-I%s/kudzu/rtc", c->toolchain->include);
    if (c->own_libcudacxx)
        command_argf(cmd, "-I%s", c->own_libcudacxx);
    command_argf(cmd, "-I%s", c->toolchain->include);
    const char *precompiled =
        c->precompiled ? precompiled_header(c->toolchain, c->arena, o, CC_RTC_PASS, arch->name, 0)
                       : NULL;
    command_arg(cmd, precompiled ? "-include-pch" : "-include"); // ahead of those of the program
    command_arg(cmd, precompiled ? precompiled : "kudzu/rtc_language.h");
    command_args(cmd, &o->preprocessor);
    if (system_headers)
        command_args(cmd, &c->standard_directories);
    else
        command_arg(cmd, "-nostdlibinc");
    command_arg(cmd, "-Qunused-arguments");
    if (precompiled && strcmp(arch->name, "sm_90") != 0) {
        command_arg(cmd, "-Xclang");
        command_arg(cmd, "-fno-validate-pch");
    }
    add_architecture(cmd, c, arch);
    // Programs have other code for clang and GCC than for NVRTC: CCCL looks for these first.
    if (c->toolchain->plugin && !c->precompiling)
        add_rules_argument(cmd, arena_printf(c->arena, "own-headers=%s/", c->toolchain->include));
    add_attempts(cmd, c);
    add_device_code_generation(cmd, c);
    add_device_library(cmd, c);
    command_arg(cmd, source);
    cmd->environment = module_environment(o);
}

void clang_device_bitcode(struct command *cmd, const struct compilation *c,
                          const struct architecture *arch) {
    command_init(cmd, c->arena, arena_printf(c->arena, "device link %s", arch->name),
                 c->toolchain->clang);
    command_arg(cmd, "--target=nvptx64-nvidia-cuda");
    command_argf(cmd, "--cuda-path=%s", c->toolchain->lib);
    command_arg(cmd, "-nogpulib");
    command_argf(cmd, "-march=%s", architecture_for_clang(arch));
    command_arg(cmd, "-Xclang");
    command_arg(cmd, "-target-feature");
    command_arg(cmd, "-Xclang");
    command_arg(cmd, "+ptx85");
    command_arg(cmd, "-Wno-unknown-cuda-version");
    command_arg(cmd, "-Wno-override-module");
    command_arg(cmd, "-Wno-pass-failed");
    if (c->toolchain->plugin)
        command_argf(cmd, "-fpass-plugin=%s", c->toolchain->plugin);
    cmd->environment = "KUDZU_LINKED=1";
    add_device_code_generation(cmd, c);
}

static void add_host_code_generation(struct command *cmd, const struct compilation *c) {
    const struct cc_options *o = c->options;
    // Programs rely on what nvcc's usual host compiler makes of signed overflow.
    command_arg(cmd, "-fwrapv");
    if (o->host_opt)
        command_argf(cmd, "-O%s", o->host_opt);
    if (o->debug || c->with_lines)
        command_arg(cmd, "-g");
    if (o->profile)
        command_arg(cmd, "-pg");
    command_args(cmd, &o->host_compiler);
}

// One source may be compiled to several objects that differ by what is defined. The object's name
// does not count: the same compilation gives the same bytes.
static void add_device_link_symbol(struct command *cmd, const struct compilation *c,
                                   const char *source) {
    uint64_t hash = path_hash(source);
    for (uint32_t i = 0; i < c->options->preprocessor.len; ++i)
        hash = add_to_hash(hash, c->options->preprocessor.data[i]);
    const char *slash = strrchr(source, '/');
    char *name = arena_strdup(c->arena, slash ? slash + 1 : source);
    for (char *s = name; *s; ++s)
        if (!isalnum((unsigned char)*s))
            *s = '_';
    cmd->environment =
        arena_printf(c->arena, "KUDZU_DEVICE_LINK_SYMBOL=" DEVICE_LINK_SYMBOL "%s_%016llx", name,
                     (unsigned long long)hash);
}

void clang_host_pass(struct command *cmd, const struct compilation *c, const char *source,
                     const char *image) {
    command_init(cmd, c->arena, arena_printf(c->arena, "%s,host pass", source),
                 c->toolchain->clang);
    command_arg(cmd, "-xcuda");
    add_cuda(cmd, c, NULL, source);
    command_argf(cmd, "-D__KUDZU_LIBRARY_DIRECTORY=\"%s\"", c->toolchain->lib);
    add_unit_id(cmd, c, source);
    add_launch_tokens(cmd, c, source);
    add_references(cmd, c, source);
    add_group_atomics(cmd, c);
    add_extended_lambdas(cmd, c, source);
    add_host_code_generation(cmd, c);
    // -Wall is for the host's compiler, which sees none of the pragmas that are for device code.
    if (!names_option(&c->options->host_compiler, "-Wunknown-pragmas"))
        command_arg(cmd, "-Wno-unknown-pragmas");
    if (image && c->options->rdc) {
        command_arg(cmd, "-Xclang");
        command_arg(cmd, "--offload-new-driver");
        command_arg(cmd, "-Xclang");
        command_argf(cmd, "-fembed-offload-object=%s", image);
        add_device_link_symbol(cmd, c, source);
    } else if (image) {
        command_arg(cmd, "-Xclang");
        command_arg(cmd, "-fcuda-include-gpubinary");
        command_arg(cmd, "-Xclang");
        command_arg(cmd, image);
    }
    command_arg(cmd, source);
}

void clang_plain_pass(struct command *cmd, const struct compilation *c, const char *source,
                      enum cc_language language) {
    static const char *const names[] = {
        [CC_CXX] = "-xc++", [CC_C] = "-xc", [CC_ASSEMBLER] = "-xassembler-with-cpp"};
    command_init(cmd, c->arena, arena_printf(c->arena, "%s,compile", source), c->toolchain->clang);
    command_arg(cmd, names[language]);
    if (language == CC_CXX) {
        command_argf(cmd, "-std=%s", language_standard(c->options));
        for (size_t i = 0; i < sizeof nvcc_like_warnings / sizeof nvcc_like_warnings[0]; ++i)
            command_arg(cmd, nvcc_like_warnings[i]);
        if (c->toolchain->plugin)
            command_argf(cmd, "-fpass-plugin=%s", c->toolchain->plugin);
        cmd->environment = "KUDZU_PLAIN=1";
    } else if (language == CC_C) {
        for (size_t i = 0; i < sizeof gcc_like_c_warnings / sizeof gcc_like_c_warnings[0]; ++i)
            command_arg(cmd, gcc_like_c_warnings[i]);
    }
    command_args(cmd, &c->options->warnings);
    if (c->options->all_warnings_are_errors)
        command_arg(cmd, "-Werror");
    add_header_version(cmd, c);
    add_common(cmd, c);
    add_host_code_generation(cmd, c);
    command_arg(cmd, source);
}

// "dir/a.cu" -> "a.o": the target of a rule for a file that is compiled and linked at once.
static const char *default_object(struct arena *arena, const char *source) {
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
    const char *dot = strrchr(name, '.');
    return arena_printf(arena, "%.*s.o", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
}

void clang_dependency_flags(struct command *cmd, const struct compilation *c, const char *source,
                            const char *object) {
    const struct cc_options *o = c->options;
    if (o->phase == CC_DEPENDENCIES)
        command_arg(cmd, o->dep_skip_system ? "-MM" : "-M");
    else if (o->dep_with_compile)
        command_arg(cmd, o->dep_skip_system ? "-MMD" : "-MD");
    else
        return;
    if (o->dep_phony)
        command_arg(cmd, "-MP");
    if (!object)
        object = default_object(c->arena, source);
    const char *dot = strrchr(object, '.');
    if (o->dep_file || o->dep_with_compile) {
        command_arg(cmd, "-MF");
        command_arg(cmd, o->dep_file
                             ? o->dep_file
                             : arena_printf(c->arena, "%.*s.d",
                                            (int)(dot && !strchr(dot, '/') ? (size_t)(dot - object)
                                                                           : strlen(object)),
                                            object));
    }
    for (uint32_t i = 0; i < o->dep_targets.len; ++i) {
        command_arg(cmd, "-MT");
        command_arg(cmd, o->dep_targets.data[i]);
    }
    if (!o->dep_targets.len) {
        command_arg(cmd, "-MT");
        command_arg(cmd, object);
    }
}
