#include "nvjitlink/lto.h"

#include <string.h>
#include <unistd.h>

#include "assembler/targets.h"
#include "cc/processes/command.h"
#include "cc/processes/memory_file.h"
#include "nvvm/lto_ir.h"

enum { NEWEST_KNOWN_TO_LLVM = 90 };

bool lto_is(const void *data, size_t size) {
    uint32_t magic = 0;
    if (size >= sizeof magic)
        memcpy(&magic, data, sizeof magic);
    return magic == LTO_IR_MAGIC;
}

bool lto_add(struct arena *arena, lto_modules *modules, const char *name, const void *data,
             size_t size) {
    struct lto_ir_header h;
    if (!lto_is(data, size) || size < sizeof h)
        return false;
    memcpy(&h, data, sizeof h);
    if (memcmp(h.kind, LTO_IR_KIND, sizeof h.kind) || h.size > size - sizeof h)
        return false;
    struct lto_module m = {.name = arena_strdup(arena, name),
                           .bitcode = arena_memdup(arena, (const char *)data + sizeof h, h.size),
                           .size = h.size};
    vec_push(arena, modules, m);
    return true;
}

// LLVM's name of the newest architecture whose code the target runs.
static const char *llvm_arch(const char *arch) {
    struct target t;
    return target_find(arch, &t) && t.number > NEWEST_KNOWN_TO_LLVM ? "sm_90" : arch;
}

typedef VEC(int) descriptors;

static int add_file(struct arena *arena, descriptors *files) {
    int fd = memory_file("lto");
    if (fd >= 0)
        vec_push(arena, files, fd);
    return fd;
}

static bool make_command(struct arena *arena, struct command *c, const lto_modules *modules,
                         descriptors *files) {
    int messages = add_file(arena, files), out = add_file(arena, files);
    if (messages < 0 || out < 0)
        return false;
    c->stdin_path = "/dev/null";
    c->stdout_path = memory_file_path(arena, out);
    c->stderr_path = memory_file_path(arena, messages);
    for (uint32_t i = 0; i < modules->len; i++) {
        const struct lto_module *m = &modules->data[i];
        int fd = add_file(arena, files);
        if (fd < 0 || !memory_file_write(fd, m->bitcode, m->size))
            return false;
        command_arg(c, "module");
        command_arg(c, m->name);
        command_arg(c, memory_file_path(arena, fd));
    }
    c->inherited = files->data;
    c->inherited_count = files->len;
    return true;
}

bool lto_compile(struct arena *arena, const lto_modules *modules, const struct lto_options *o,
                 const char *arch, const char *folder, struct strbuf *ptx, struct strbuf *log) {
    struct command c;
    descriptors files = {0};
    command_init(&c, arena, NULL, arena_printf(arena, "%s/kudzu-nvvm-compiler", folder));
    command_arg(&c, "ptx");
    command_arg(&c, llvm_arch(arch));
    command_argf(&c, "%s%s%s%s%s%s", o->debug ? "debug," : "",
                 o->no_optimization ? "" : "optimize,", o->ftz ? "ftz," : "",
                 o->no_prec_sqrt ? "" : "prec-sqrt,", o->no_prec_div ? "" : "prec-div,",
                 o->no_fma ? "" : "fma,");
    bool ok = make_command(arena, &c, modules, &files) && command_start(&c);
    if (ok) {
        command_wait(&c);
        memory_file_read(files.data[0], log);
        memory_file_read(files.data[1], ptx);
        ok = c.status <= 0 && ptx->len; // -1: somebody else has the exit status
    }
    for (uint32_t i = 0; i < files.len; i++)
        close(files.data[i]);
    return ok;
}
