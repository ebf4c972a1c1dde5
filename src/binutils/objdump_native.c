// Code of CPUs, by the disassembler of LLVM or of binutils that is on the machine.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "binutils/objdump.h"
#include "cc/link/native_code.h"
#include "cc/processes/command.h"
#include "cc/processes/file_io.h"
#include "cc/processes/temporaries.h"
#include "image/image.h"
#include "llvm_version.h"
#include "support/environment.h"

// The first of the programs that is on PATH; NULL: none.
static const char *find_program(struct arena *arena) {
    static const char *const names[] = {("llvm-objdump-" KUDZU_LLVM), "llvm-objdump", "objdump"};
    const char *path = environment_get("PATH");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (const char *at = path ? path : ENVIRONMENT_SYSTEM_PATH; at;) {
            size_t n = strcspn(at, ":");
            const char *file = arena_printf(arena, "%.*s/%s", (int)n, at, names[i]);
            if (n && is_readable_file(file) && !access(file, X_OK))
                return file;
            at = at[n] ? at + n + 1 : NULL;
        }
    return NULL;
}

static const char *level_name(uint32_t level) {
    static const char *const names[] = {"the machine it is made on",
                                        "x86-64-v2",
                                        "x86-64-v3",
                                        "x86-64-v4",
                                        "aarch64",
                                        "aarch64-sve256",
                                        "aarch64-sve512"};
    return level < sizeof names / sizeof *names ? names[level] : "?";
}

static bool disassemble(struct objdump *o, const char *program, const struct kimg_code *code) {
    struct command c;
    const char *object = temporary_path(o->arena, "kernel", "o");
    if (!write_file(object, code->obj, code->obj_size))
        return false;
    command_init(&c, o->arena, NULL, program);
    command_arg(&c, "-d");
    command_arg(&c, "--no-show-raw-insn");
    command_arg(&c, object);
    c.stdout_path = temporary_path(o->arena, "kernel", "txt");
    char *text;
    size_t size;
    if (!command_run(&c) || !read_file(o->arena, c.stdout_path, &text, &size))
        return tool_say(o->log, TOOL_ERROR, NULL, 0, "%s cannot read the code", program);
    // Its head names the temporary file.
    const char *body = strstr(text, "\nDisassembly of section");
    fputs(body ? body + 1 : text, stdout);
    return true;
}

static bool show(struct objdump *o, const struct device_item *i, const void *data, size_t size) {
    char err[256] = "";
    struct kimg_native *native = kimg_native_open(data, size, err, sizeof err);
    if (!native)
        return tool_say(o->log, TOOL_ERROR, i->file, 0, "%s", err);
    const char *program = find_program(o->arena);
    bool ok = program ||
              tool_say(o->log, TOOL_ERROR, NULL, 0,
                       "neither llvm-objdump nor objdump, which list code of CPUs, is on PATH");
    ok = ok && temporaries_open(NULL);
    for (size_t n = 0; ok && n < kimg_native_code_count(native); n++) {
        const struct kimg_code *code = kimg_native_code(native, n);
        const char *name = kimg_native_info(native)->kernels[code->kernel].name;
        if (!objdump_wants_function(o, name))
            continue;
        printf("\n\tcode for %s\n\t\tFunction : %s\n\t// %u lanes, %zu bytes%s\n",
               level_name(code->spec.level), name, code->info.width, code->obj_size,
               code->spec.flags & KD_SPEC_ALIGNED_PARAMS ? ", pointers are aligned" : "");
        fflush(stdout);
        ok = disassemble(o, program, code);
    }
    temporaries_close();
    kimg_native_close(native);
    return ok;
}

bool objdump_native(struct objdump *o, const struct device_item *i) {
    return show(o, i, i->data, i->size);
}

bool objdump_made_native(struct objdump *o, const struct device_item *ptx) {
    void *data;
    size_t size;
    struct strbuf messages = {0};
    cc_capture_messages(&messages);
    bool ok = native_code_build(ptx->data, ptx->size, 1u << o->native_level, &data, &size);
    cc_capture_messages(NULL);
    if (!ok)
        tool_say_lines(o->log, TOOL_ERROR, strbuf_str(&messages));
    strbuf_free(&messages);
    if (!ok)
        return false;
    printf("\t// no code in the image: this is what its PTX becomes for %s\n",
           level_name(o->native_level));
    ok = show(o, ptx, data, size);
    free(data);
    return ok;
}
