// The order of things: parse, compile each file, link the device code, link.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cc/driver/compile.h"
#include "cc/headers/cccl.h"
#include "cc/headers/own_headers.h"
#include "cc/headers/precompile.h"
#include "cc/link/device_link.h"
#include "cc/link/link.h"
#include "cc/messages/missing_parts.h"
#include "cc/options/options.h"
#include "cc/processes/cc.h"
#include "cc/processes/children.h"
#include "cc/processes/file_io.h"
#include "cc/processes/temporaries.h"
#include "support/environment.h"
#include "support/whole_file.h"

// Build systems know nvcc by the second and third line.
static void print_version(int cuda_version) {
    int major = cuda_version / 1000, minor = cuda_version % 1000 / 10;
    printf("kudzu cc " KUDZU_VERSION ", no part of which is NVIDIA's, in place of\n"
           "nvcc: NVIDIA (R) Cuda compiler driver\n"
           "Cuda compilation tools, release %d.%d, V%d.%d.0\n",
           major, minor, major, minor);
}

// Those without features of their own (a, f), as nvcc does.
static void print_architectures(const char *prefix, int cuda_version) {
    int numbers[64];
    uint32_t n = architectures_numbers(cuda_version, NULL);
    if (n > sizeof numbers / sizeof *numbers)
        return;
    architectures_numbers(cuda_version, numbers);
    for (uint32_t i = 0; i < n; ++i)
        printf("%s%d\n", prefix, numbers[i]);
}

static const char *output_suffix(const struct cc_options *o) {
    switch (o->phase) {
    case CC_PTX:
        return "ptx";
    case CC_CUBIN:
        return "cubin";
    case CC_FATBIN:
        return "fatbin";
    default:
        return "o";
    }
}

static const char *in_output_directory(const struct compilation *c, const char *name) {
    const char *dir = c->options->output_directory;
    return dir ? arena_printf(c->arena, "%s/%s", dir, name) : name;
}

static const char *output_for(const struct compilation *c, const struct cc_input *in) {
    const struct cc_options *o = c->options;
    if (o->output)
        return o->output;
    if (o->phase == CC_PREPROCESS || o->phase == CC_DEPENDENCIES)
        return NULL;
    return in_output_directory(
        c, arena_printf(c->arena, "%s.%s", file_stem(c->arena, in->path), output_suffix(o)));
}

static bool process_file(const struct compilation *c, const struct cc_input *in) {
    const char *output = output_for(c, in);
    if (c->options->clean) {
        if (output)
            remove_output(output);
        return true;
    }
    switch (c->options->phase) {
    case CC_PTX:
    case CC_CUBIN:
    case CC_FATBIN:
        if (in->language == CC_PTX_TEXT && c->options->phase != CC_PTX)
            return assemble_ptx(c, in->path, output);
        if (in->language != CC_CUDA)
            return cc_error("%s: only CUDA sources have device code (-x cu says that it is one)",
                            in->path);
        return compile_device_output(c, in->path, output);
    case CC_PREPROCESS:
    case CC_DEPENDENCIES:
        return compile_preprocess(c, in, output);
    default:
        return compile_object(c, in, output);
    }
}

// ---- Several files at a time (-t) ---------------------------------------------------------

typedef bool (*file_action)(const struct compilation *c, uint32_t index, void *data);

static int reap(void) {
    int status;
    pid_t child;
    while ((child = wait(&status)) < 0)
        if (errno != EINTR)
            return 1;
    children_ended(child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Each file in a process of its own, at most `limit` of them.
static bool for_each_file_parallel(const struct compilation *c, file_action action, void *data,
                                   int limit) {
    int running = 0;
    bool ok = true;
    for (uint32_t i = 0; i < c->options->inputs.len; ++i) {
        if (running == limit) {
            ok &= reap() == 0;
            --running;
        }
        sigset_t before;
        fflush(NULL);
        children_begin_start(&before);
        pid_t pid = fork();
        if (pid == 0)
            children_forget();
        children_end_start(pid, &before);
        if (pid < 0)
            return cc_error("cannot start a process: %s", strerror(errno));
        if (pid == 0) {
            temporaries_begin_file(i + 1);
            int status = action(c, i, data) ? 0 : 1;
            fflush(NULL);
            _exit(status);
        }
        ++running;
    }
    for (; running; --running)
        ok &= reap() == 0;
    return ok;
}

static bool for_each_file(const struct compilation *c, file_action action, void *data) {
    int threads = c->options->threads ? c->options->threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > 1 && c->options->inputs.len > 1 && !command_mode.dry_run)
        return for_each_file_parallel(c, action, data, threads);
    for (uint32_t i = 0; i < c->options->inputs.len; ++i)
        if (!action(c, i, data))
            return false;
    return true;
}

static bool process_indexed(const struct compilation *c, uint32_t index, void *data) {
    const struct cc_input *in = &c->options->inputs.data[index];
    bool image = c->options->phase == CC_CUBIN || c->options->phase == CC_FATBIN;
    if (in->language == CC_PTX_TEXT && !image)
        return cc_error("%s: PTX is taken with -cubin and -fatbin", in->path);
    if (in->language == CC_LINKER_INPUT)
        return cc_error("%s: not a source file that is known by its name (-x cu, c or c++ says "
                        "what it is)",
                        in->path);
    return process_file(c, in);
}

static bool compile_indexed(const struct compilation *c, uint32_t index, void *data) {
    const struct cc_input *in = &c->options->inputs.data[index];
    cc_strings *objects = data;
    if (in->language == CC_PTX_TEXT)
        return cc_error("%s: PTX is taken with -cubin and -fatbin", in->path);
    return in->language == CC_LINKER_INPUT || compile_object(c, in, objects->data[index]);
}

// ---- Linking ------------------------------------------------------------------------------

static bool run_program(const struct compilation *c, const char *program, int *status) {
    struct command cmd;
    command_init(&cmd, c->arena, NULL,
                 strchr(program, '/') ? program : arena_printf(c->arena, "./%s", program));
    command_args(&cmd, &c->options->run_args);
    *status = command_start(&cmd) ? command_wait(&cmd) : 1;
    return true;
}

// A program alone, which --run starts as it is; an object or a library is linked first.
static bool is_program(const struct cc_options *o) {
    const struct cc_input *in = o->inputs.data;
    const char *slash = strrchr(in->path, '/');
    return o->inputs.len == 1 && in->language == CC_LINKER_INPUT && access(in->path, X_OK) == 0 &&
           !strstr(slash ? slash : in->path, ".so");
}

static const char *link_output(const struct compilation *c) {
    const struct cc_options *o = c->options;
    const char *suffix = !o->linked_image ? "o" : o->one_architecture ? "cubin" : "fatbin";
    if (o->output)
        return o->output;
    if (o->phase == CC_DEVICE_LINK)
        return in_output_directory(c, arena_printf(c->arena, "a_dlink.%s", suffix));
    return in_output_directory(c, o->phase == CC_LIBRARY ? "a.a" : "a.out");
}

static bool finish_link(const struct compilation *c, const cc_strings *objects, int *status) {
    const struct cc_options *o = c->options;
    const char *output = link_output(c), *device_object = NULL;
    if (o->phase == CC_LIBRARY)
        return link_archive(c, objects, output);
    if (o->phase == CC_DEVICE_LINK)
        return device_link(c, objects, true, &output);
    if (!o->relocatable_link && !o->no_device_link &&
        !device_link(c, objects, false, &device_object))
        return false;
    return link_program(c, objects, device_object, output) &&
           (!o->run || run_program(c, output, status));
}

static bool compile_and_link(const struct compilation *c, int *status) {
    const struct cc_options *o = c->options;
    if (o->clean) {
        remove_output(link_output(c));
        return true;
    }
    if (o->run && is_program(o))
        return run_program(c, o->inputs.data[0].path, status);
    cc_strings objects = {0};
    for (uint32_t i = 0; i < o->inputs.len; ++i) {
        const struct cc_input *in = &o->inputs.data[i];
        vec_push(c->arena, &objects,
                 in->language == CC_LINKER_INPUT
                     ? in->path
                     : temporary_path(c->arena, file_stem(c->arena, in->path), "o"));
    }
    return for_each_file(c, compile_indexed, &objects) && finish_link(c, &objects, status);
}

static bool links(enum cc_phase phase) {
    return phase == CC_LINK || phase == CC_LIBRARY || phase == CC_DEVICE_LINK;
}

static bool check_inputs(const struct cc_options *o) {
    for (uint32_t i = 0; i < o->inputs.len; ++i)
        if (access(o->inputs.data[i].path, R_OK) && !command_mode.dry_run)
            return cc_error("%s: %s", o->inputs.data[i].path, strerror(errno));
        else if (is_folder(o->inputs.data[i].path))
            return cc_error("%s is a folder, no file to be compiled", o->inputs.data[i].path);
        else if (!whole_file_has_end(o->inputs.data[i].path))
            return cc_error("%s is a device, no file to be read", o->inputs.data[i].path);
    if (!links(o->phase) && o->output && o->inputs.len > 1)
        return cc_error("-o names one file, but %u files are compiled", o->inputs.len);
    return true;
}

// What build systems read from nvcc's -v and --dryrun: where the toolkit's parts are. CMake takes
// the command that names the libraries for the link command.
static void show_settings(const struct toolchain *t, const struct architectures *a,
                          struct arena *arena) {
    if (!command_mode.verbose && !command_mode.dry_run)
        return;
    const char *path = environment_get("PATH"), *include = t->include, *lib = t->lib;
    if (a->cuda_version >= 13000) {
        include = arena_printf(arena, "%s/include", t->cuda_13);
        lib = arena_printf(arena, "%s/lib64", t->cuda_13);
    }
    fprintf(stderr,
            "#$ _CUDART_=cudart\n#$ TOP=%s/..\n#$ PATH=%s\n#$ INCLUDES=-I%s\n"
            "#$ SYSTEM_INCLUDES=\n#$ NVVMIR_LIBRARY_DIR=%s/../nvvm/libdevice\n#$ LIBRARIES=-L%s\n",
            lib, path ? path : "", include, t->lib, lib);
    for (uint32_t i = 0; i < a->list.len; ++i) // CMake takes these for the default
        fprintf(stderr, "#$ ARCHITECTURE=-arch compute_%u\n", a->list.data[i].number);
}

static const char *output_folder(const struct cc_options *o, struct arena *arena) {
    const char *slash = o->output ? strrchr(o->output, '/') : NULL;
    if (slash)
        return slash == o->output ? "/"
                                  : arena_strndup(arena, o->output, (size_t)(slash - o->output));
    return o->output_directory && !o->output ? o->output_directory : ".";
}

static bool drive(struct cc_options *o, struct arena *arena, int *status) {
    struct toolchain t;
    struct compilation c;
    if (!o->inputs.len && !o->precompile)
        return cc_error("no input files");
    if (!toolchain_find(&t, arena, "/proc/self/exe"))
        return false;
    own_headers_last(o, &t, arena);
    if (!o->precompile)
        cccl_use(o, arena);
    // Before the files are looked for: CMake asks with a file that is not there.
    show_settings(&t, &o->architectures, arena);
    if (!check_inputs(o))
        return false;
    const char *keep = o->keep ? (o->keep_directory ? o->keep_directory : ".") : NULL;
    bool ok = temporaries_open(keep) && compilation_init(&c, o, &t, arena) &&
              (o->precompile     ? precompile_headers(&c)
               : links(o->phase) ? compile_and_link(&c, status)
                                 : for_each_file(&c, process_indexed, NULL));
    if (!ok || *status) {
        temporaries_explain(output_folder(o, arena));
        missing_library_explain(&t, o, arena);
    }
    temporaries_close();
    return ok;
}

int kudzu_cc_options(struct cc_options *o, struct arena *arena) {
    int status = 0;
    command_mode = (struct command_mode){o->verbose, o->dry_run, o->time_file};
    return drive(o, arena, &status) ? status : 1;
}

int kudzu_cc(int argc, char **argv) {
    struct arena arena = {0};
    struct cc_options o;
    int status = 0;
    if (!options_parse(&o, &arena, argc, argv))
        status = 1;
    else if (o.show_help)
        options_print_help();
    else if (o.show_version)
        print_version(o.cuda_version);
    else if (o.list_arch || o.list_code)
        print_architectures(o.list_arch ? "compute_" : "sm_", o.cuda_version);
    else
        status = kudzu_cc_options(&o, &arena);
    arena_free(&arena);
    return status;
}
