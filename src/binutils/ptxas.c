// kudzu ptxas: PTX to images.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/ptxas_options.h"
#include "binutils/binutils.h"
#include "binutils/tool_version.h"
#include "cc/link/native_code.h"
#include "cc/processes/file_io.h"
#include "support/whole_file.h"

static const uint64_t MOST_FILE_BYTES = 1ull << 32;

static bool read_text(struct arena *arena, struct tool_log *log, const char *path,
                      struct ptx_text *out) {
    struct whole_file f;
    if (!whole_file_read(&f, path, WHOLE_FILE_PIPES, MOST_FILE_BYTES))
        return tool_say(log, TOOL_FATAL, NULL, 0, "Could not open input file '%s': %s", path,
                        f.why);
    *out = (struct ptx_text){path, arena_strndup(arena, f.data, f.size), f.size};
    free(f.data);
    return true;
}

static bool read_input(struct arena *arena, struct tool_log *log, const struct ptxas_options *o,
                       struct ptx_text *text) {
    if (!o->inputs.len)
        return tool_say(log, TOOL_FATAL, NULL, 0,
                        "No input files specified; use option --help for more information");
    if (o->inputs.len > 1)
        return tool_say(log, TOOL_FATAL, NULL, 0,
                        "%u files of PTX: nvlink makes one image of several", o->inputs.len);
    const char *input = o->inputs.data[0];
    if (!o->input_is_text)
        return read_text(arena, log, input, text);
    *text = (struct ptx_text){"<string>", input, strlen(input)};
    return true;
}

static bool run(struct arena *arena, struct tool_log *log, const struct ptxas_options *o) {
    const char *output = o->output ? o->output : "elf.o";
    struct ptx_text text;
    void *image;
    size_t size;
    if (!read_input(arena, log, o, &text) ||
        !assemble(arena, &o->assembler, log, &text, &image, &size))
        return false;
    bool ok = write_file(output, image, size) ||
              tool_say(log, TOOL_FATAL, NULL, 0, "Could not open output file '%s'", output);
    free(image);
    return ok;
}

int tool_ptxas(int argc, char **argv) {
    struct arena arena = {0};
    struct tool_log log = {.tool = "ptxas"};
    struct ptxas_options o;
    if (ptxas_options_read(&arena, &log, argc - 1, (const char *const *)argv + 1, &o)) {
        if (o.help) {
            puts("Usage: kudzu ptxas [options] file.ptx\n"
                 "Makes an image of PTX that the driver loads, with ptxas's options:\n");
            ptxas_options_help();
        } else if (o.version)
            tool_version_print("ptxas", "Ptx optimizing assembler");
        else if (o.list_targets)
            for (const char *const *t = target_names; *t; t++)
                puts(*t);
        else {
            o.assembler.build_native = native_code_build;
            run(&arena, &log, &o);
        }
    }
    arena_free(&arena);
    return tool_log_end(&log);
}
