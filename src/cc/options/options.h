// The options of `kudzu cc`: nvcc's, long and short.
#ifndef KUDZU_CC_OPTIONS_H
#define KUDZU_CC_OPTIONS_H

#include "cc/options/architectures.h"
#include "cc/processes/cc.h"

// How far compilation goes.
enum cc_phase {
    CC_LINK,
    CC_COMPILE,     // -c, -dc, -dw
    CC_DEVICE_LINK, // -dlink
    CC_LIBRARY,     // -lib
    CC_PTX,
    CC_CUBIN,
    CC_FATBIN,
    CC_PREPROCESS,   // -E
    CC_DEPENDENCIES, // -M, -MM
};
enum cc_cudart { CC_CUDART_STATIC, CC_CUDART_SHARED, CC_CUDART_NONE };

enum cc_language { CC_CUDA, CC_CXX, CC_C, CC_ASSEMBLER, CC_PTX_TEXT, CC_LINKER_INPUT };

struct cc_input {
    const char *path;
    enum cc_language language;
};

// What an option makes of the warning with this number.
struct warning_option {
    unsigned number, level; // enum warning_level
};

struct cc_options {
    enum cc_phase phase;
    bool linked_image;     // -dlink beside -cubin or -fatbin: the image alone, no object
    bool one_architecture; // it was -cubin
    bool clean;            // remove what would be written
    bool relocatable_link; // -r
    bool no_device_link;
    VEC(struct cc_input) inputs;
    const char *output, *output_directory, *keep_directory, *std, *host_opt;
    int cuda_version; // what is compiled for: 12090, or 13000
    struct architectures architectures;
    // Passed to the compiler, spelled for clang, in order: -I, -isystem, -D, -U, -include.
    cc_strings preprocessor;
    cc_strings warnings; // -w, -Wreorder, ..., spelled for clang
    bool all_warnings_are_errors, no_warning_numbers;
    VEC(struct warning_option) warning_levels;
    cc_strings host_compiler; // -Xcompiler
    cc_strings link;          // libraries, directories, -Xlinker, in order with inputs after them
    bool link_names_cudart;   // -lcudart among them
    bool no_device_runtime;   // -cudadevrt none
    // Dependency files: -M, -MM, -MD, -MMD, -MF, -MT, -MP.
    bool dep_with_compile, dep_skip_system, dep_phony;
    const char *dep_file;
    cc_strings dep_targets;
    enum cc_cudart cudart;
    bool debug, device_debug, line_info, profile;
    bool rdc, shared, static_link, keep, run, dry_run, verbose;
    bool ftz, prec_div, prec_sqrt, fmad, fast_math, fast_divide;
    bool per_thread_stream, extended_lambda, relaxed_constexpr, host_initializer_list,
        host_move_forward, forward_unknown, forward_to_linker;
    bool show_help, show_version, list_arch, list_code;
    bool precompile, no_precompiled;
    const char *device_opt; // "0" .. "3": -G and -Ofc lower it
    int threads;            // files compiled at a time (-t)
    const char *time_file;
    const char *device_trace; // -fdevice-time-trace
    const char *ptxas;        // NULL: no machine code of GPUs
    cc_strings ptxas_options; // -Xptxas
    unsigned max_registers;   // of a thread, in kernels without bounds of their own; 0: no limit
    cc_strings run_args;
    const char *language; // -x
    // Another machine that host code is for (clang's name; NULL: this one), and its libraries.
    const char *host_target, *host_sysroot;
    // For `kudzu run`: where the dependencies of each pass and of the link are written, besides.
    const char *extra_dep_prefix;
};

// Parses argv[1..]. Options of $NVCC_PREPEND_FLAGS stand before, of $NVCC_APPEND_FLAGS after.
// False: an error was reported.
bool options_parse(struct cc_options *o, struct arena *arena, int argc, char **argv);

// Does what the options say; the exit status. (kudzu run calls it with options of its own making.)
int kudzu_cc_options(struct cc_options *o, struct arena *arena);

// Names of options, without dashes, that the command itself takes beside these: for an unknown
// option that is meant to be one of them.
void options_of_command(const char *const *names, size_t count);
// Says that "--name=value" is unknown, and what may have been meant among those names. Returns
// false.
bool option_unknown(const char *option);

// The help text, whole, to stdout.
void options_print_help(void);

#endif
