// kudzu nvlink: device code of several files to one image.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assembler/device_linking.h"
#include "assembler/tool_options.h"
#include "binutils/binutils.h"
#include "binutils/tool_version.h"
#include "cc/processes/file_io.h"

enum {
    OUTPUT = 1,
    TARGET,
    LIBRARY,
    LIBRARY_PATH,
    VERBOSE,
    HELP,
    VERSION,
    NO_WARNINGS,
    WARNINGS_ARE_ERRORS,
    MAX_REGISTERS,
    MACHINE,
    LTO
};

static const struct tool_option options[] = {
    {"output-file", "o", TOOL_VALUE, OUTPUT, "Where the image goes; a.out if it is not given."},
    {"arch", NULL, TOOL_VALUE, TARGET,
     "For which architecture (sm_90); that of the first file if it is not given."},
    {"library", "l", TOOL_JOINED, LIBRARY, "Takes what is needed of libNAME.a."},
    {"library-path", "L", TOOL_JOINED, LIBRARY_PATH, "Where such libraries are looked for."},
    {"verbose", "v", TOOL_FLAG, VERBOSE, "Tells what each kernel takes of registers and memory."},
    {"help", "h", TOOL_FLAG, HELP, "This text."},
    {"version", "V", TOOL_FLAG, VERSION, "The version."},
    {"disable-warnings", "w", TOOL_FLAG, NO_WARNINGS, "Without warnings."},
    {"warning-as-error", "Werror", TOOL_FLAG, WARNINGS_ARE_ERRORS, "Warnings are errors."},
    {"maxrregcount", NULL, TOOL_VALUE, MAX_REGISTERS,
     "Limits a kernel's registers, on GPUs, where it has no launch bounds."},
    {"machine", "m", TOOL_JOINED, MACHINE, "64; there is no other."},
    {"link-time-opt", "lto", TOOL_FLAG, LTO,
     "Refused: NVIDIA's intermediate form has no public description."},
    {"Xnvvm", NULL, TOOL_VALUE, 0, NULL},
    {"Xptxas", NULL, TOOL_VALUE, 0, NULL},
    {"cpu-arch", NULL, TOOL_VALUE, 0, NULL},
    {"debug", "g", TOOL_FLAG, 0, NULL},
    {"disable-infos", NULL, TOOL_FLAG, 0, NULL},
    {"dump-callgraph", NULL, TOOL_FLAG, 0, NULL},
    {"extra-warnings", NULL, TOOL_FLAG, 0, NULL},
    {"generate-line-info", "lineinfo", TOOL_FLAG, 0, NULL},
    {"ignore-host-info", NULL, TOOL_FLAG, 0, NULL},
    {"nvvmpath", NULL, TOOL_VALUE, 0, NULL},
    {"opt-level", "O", TOOL_JOINED, 0, NULL},
    {"preserve-relocs", NULL, TOOL_FLAG, 0, NULL},
    {"register-link-binaries", NULL, TOOL_VALUE, 0, NULL},
    {"split-compile", NULL, TOOL_VALUE, 0, NULL},
    {"suppress-arch-warning", NULL, TOOL_FLAG, 0, NULL},
    {"suppress-stack-size-warning", NULL, TOOL_FLAG, 0, NULL},
    {"use-host-info", NULL, TOOL_FLAG, 0, NULL},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct nvlink {
    struct device_linking linking;
    const char *output;
    bool help, version;
    tool_words files, paths; // files: paths, and "-lNAME"
};

static bool wrong(struct nvlink *n, const char *value, const char *option) {
    return tool_say(n->linking.log, TOOL_FATAL, NULL, 0,
                    "Value '%s' is not defined for option '%s'", value, option);
}

static bool set_registers(struct nvlink *n, const char *value) {
    char *end;
    unsigned long registers = strtoul(value, &end, 10);
    if (*end || registers > 1023 || *value == '-')
        return wrong(n, value, "maxrregcount");
    n->linking.options.max_registers = (uint32_t)registers;
    return true;
}

static bool take(void *user, int id, const char *value) {
    struct nvlink *n = user;
    struct arena *arena = n->linking.arena;
    struct target target;
    switch (id) {
    case 0:
        vec_push(arena, &n->files, arena_strdup(arena, value));
        return true;
    case LIBRARY:
        vec_push(arena, &n->files, arena_printf(arena, "-l%s", value));
        return true;
    case LIBRARY_PATH:
        vec_push(arena, &n->paths, arena_strdup(arena, value));
        return true;
    case OUTPUT:
        n->output = arena_strdup(arena, value);
        return true;
    case TARGET:
        n->linking.options.target = arena_strdup(arena, value);
        return target_find(value, &target) || wrong(n, value, "arch");
    case VERBOSE:
        return n->linking.options.verbose = true;
    case HELP:
        return n->help = true;
    case VERSION:
        return n->version = true;
    case NO_WARNINGS:
        return n->linking.log->no_warnings = true;
    case WARNINGS_ARE_ERRORS:
        return n->linking.log->warnings_are_errors = true;
    case MAX_REGISTERS:
        return set_registers(n, value);
    case MACHINE:
        return !strcmp(value, "64") || wrong(n, value, "machine");
    default:
        return tool_say(n->linking.log, TOOL_FATAL, NULL, 0,
                        "-lto: NVIDIA's intermediate form cannot be read; PTX is linked");
    }
}

// An archive in the folders that were named. Libraries of the host are named, too: one that is not
// there is a warning, as nvlink's.
static const char *find_library(struct nvlink *n, const char *name) {
    for (uint32_t i = 0; i < n->paths.len; i++) {
        const char *path =
            *name == ':' ? arena_printf(n->linking.arena, "%s/%s", n->paths.data[i], name + 1)
                         : arena_printf(n->linking.arena, "%s/lib%s.a", n->paths.data[i], name);
        if (!access(path, R_OK))
            return path;
    }
    tool_say(n->linking.log, TOOL_WARNING, NULL, 0, "Could not find library '%s'", name);
    return NULL;
}

static bool run(struct nvlink *n) {
    const char *output = n->output ? n->output : "a.out";
    void *image;
    size_t size;
    if (!n->files.len)
        return tool_say(n->linking.log, TOOL_FATAL, NULL, 0,
                        "No input files specified; use option --help for more information");
    for (uint32_t i = 0; i < n->files.len; i++) {
        const char *file = n->files.data[i];
        if (!strncmp(file, "-l", 2) && !(file = find_library(n, file + 2)))
            continue;
        if (device_linking_add_file(&n->linking, file))
            return false;
    }
    if (n->linking.log->failed || !device_linking_image(&n->linking, &image, &size))
        return false;
    bool ok =
        write_file(output, image, size) ||
        tool_say(n->linking.log, TOOL_FATAL, NULL, 0, "Could not open output file '%s'", output);
    free(image);
    return ok;
}

int tool_nvlink(int argc, char **argv) {
    struct arena arena = {0};
    struct tool_log log = {.tool = "nvlink"};
    struct nvlink n = {.linking = {.arena = &arena, .log = &log}};
    struct tool_options o = {&arena, &log, options, OPTIONS, take, &n};
    if (tool_options_read(&o, argc - 1, (const char *const *)argv + 1)) {
        if (n.help) {
            puts("Usage: kudzu nvlink [options] file...\n"
                 "Links the device code of PTX, cubins, objects and archives to one image, with\n"
                 "nvlink's options:\n");
            tool_options_help(options, OPTIONS);
        } else if (n.version)
            tool_version_print("nvlink", "Cuda linker");
        else
            run(&n);
    }
    arena_free(&arena);
    return tool_log_end(&log);
}
