// kudzu nvprune: objects and libraries of the host with the device code of some architectures
// alone.
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/tool_options.h"
#include "binutils/binutils.h"
#include "binutils/prune.h"
#include "binutils/tool_version.h"
#include "cc/objects/archive.h"
#include "cc/processes/file_io.h"
#include "image/cubin.h"
#include "support/whole_file.h"

enum { ARCH = 1, GENERATE, NO_RELOCATABLE, OUTPUT, HELP, VERSION };

static const struct tool_option options[] = {
    {"arch", "arch", TOOL_VALUE, ARCH, "sm_90 or compute_90, or several with commas: what stays."},
    {"generate-code", "gencode", TOOL_VALUE, GENERATE,
     "arch=compute_90,code=[sm_90,compute_90]: what stays."},
    {"no-relocatable-elf", "no-relocatable-elf", TOOL_FLAG, NO_RELOCATABLE,
     "Drops what waits for a device link, too."},
    {"output-file", "o", TOOL_VALUE, OUTPUT, "Writes the file here."},
    {"help", "h", TOOL_FLAG, HELP, "This text."},
    {"version", "V", TOOL_FLAG, VERSION, "The version."},
};
enum { OPTIONS = sizeof options / sizeof *options };
static const uint64_t MOST_FILE_BYTES = 1ull << 32;

struct nvprune {
    struct arena *arena;
    struct tool_log *log;
    const char *input, *output;
    bool help, version;
    struct prune_choice choice;
};

// ---- Options ------------------------------------------------------------------------------

// "sm_80,compute_90", also with the quotes and brackets of -gencode.
static bool add_targets(struct nvprune *p, const char *option, const char *value) {
    static const char between[] = "[]\"',";
    for (const char *at = value + strspn(value, between); *at; at += strspn(at, between)) {
        size_t n = strcspn(at, between);
        const char *name = arena_strndup(p->arena, at, n);
        struct prune_target t = {.is_real = !strncmp(name, "sm_", 3)};
        if (!target_find(name, &t.target))
            return tool_say(p->log, TOOL_FATAL, NULL, 0,
                            "Value '%s' is not defined for option '%s'", name, option);
        vec_push(p->arena, &p->choice.targets, t);
        at += n;
    }
    return true;
}

// Of "arch=...,code=..." the code counts; without it, PTX of the architecture stays.
static bool add_generated(struct nvprune *p, const char *value) {
    const char *code = strstr(value, "code="), *arch = strstr(value, "arch=");
    if (code)
        return add_targets(p, "generate-code", code + 5);
    return arch ? add_targets(p, "generate-code", arch + 5)
                : tool_say(p->log, TOOL_FATAL, NULL, 0,
                           "Value '%s' is not defined for option 'generate-code'", value);
}

static bool take(void *user, int id, const char *value) {
    struct nvprune *p = user;
    switch (id) {
    case ARCH:
        return add_targets(p, "arch", value);
    case GENERATE:
        return add_generated(p, value);
    case NO_RELOCATABLE:
        return p->choice.no_relocatable = true;
    case OUTPUT:
        p->output = arena_strdup(p->arena, value);
        return true;
    case HELP:
        return p->help = true;
    case VERSION:
        return p->version = true;
    default:
        if (p->input)
            return tool_say(p->log, TOOL_FATAL, NULL, 0, "More than one file: '%s' and '%s'",
                            p->input, value);
        p->input = arena_strdup(p->arena, value);
        return true;
    }
}

// ---- Pruning ------------------------------------------------------------------------------

static bool prune(struct nvprune *p, const uint8_t *data, size_t size) {
    bool archive = archive_is(data, size);
    size_t out_size;
    p->choice.why = "it is no object or library of the host";
    const uint8_t *out = archive ? prune_archive(&p->choice, data, size, &out_size)
                         : size && cubin_is_elf(data, size)
                             ? prune_object(&p->choice, data, size, &out_size)
                             : NULL;
    if (!out)
        return tool_say(p->log, TOOL_FATAL, NULL, 0, "'%s' cannot be pruned: %s", p->input,
                        p->choice.why);
    if (!p->choice.kept)
        tool_say(p->log, TOOL_WARNING, NULL, 0, "'%s' has no device code for these targets",
                 p->input);
    return write_file(p->output, out, out_size) ||
           tool_say(p->log, TOOL_FATAL, NULL, 0, "Could not open output file '%s'", p->output);
}

static bool run(struct nvprune *p) {
    struct whole_file f;
    if (!p->input)
        return tool_say(p->log, TOOL_FATAL, NULL, 0, "No input file specified");
    if (!p->output)
        return tool_say(p->log, TOOL_FATAL, NULL, 0, "No output: --output-file names it");
    if (!p->choice.targets.len)
        return tool_say(p->log, TOOL_FATAL, NULL, 0,
                        "--arch or --generate-code must tell what stays");
    if (!whole_file_read(&f, p->input, WHOLE_FILE_PIPES, MOST_FILE_BYTES))
        return tool_say(p->log, TOOL_FATAL, NULL, 0, "Could not open input file '%s': %s", p->input,
                        f.why);
    bool ok = prune(p, (const uint8_t *)f.data, f.size);
    free(f.data);
    return ok;
}

int tool_nvprune(int argc, char **argv) {
    struct arena arena = {0};
    struct tool_log log = {.tool = "nvprune"};
    struct nvprune p = {.arena = &arena, .log = &log, .choice.arena = &arena};
    struct tool_options o = {&arena, &log, options, OPTIONS, take, &p};
    if (tool_options_read(&o, argc - 1, (const char *const *)argv + 1)) {
        if (p.help) {
            puts("Usage: kudzu nvprune -arch sm_90 FILE -o FILE\n"
                 "Copies an object or static library of the host without the device code of other\n"
                 "architectures, with nvprune's options:\n");
            tool_options_help(options, OPTIONS);
        } else if (p.version)
            tool_version_print("nvprune", "Cuda prune tool");
        else
            run(&p);
    }
    arena_free(&arena);
    return tool_log_end(&log);
}
