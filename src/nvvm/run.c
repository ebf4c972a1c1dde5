// One compilation: the modules as memory files, the compiler on them, and what it printed.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cc/processes/command.h"
#include "cc/processes/memory_file.h"
#include "nvvm/lto_ir.h"
#include "nvvm/options.h"
#include "nvvm/program.h"
#include "support/memory.h"

struct job {
    struct _nvvmProgram *program;
    const char *self; // libnvvm's own path
    bool verify_only;
    int count;
    const char *const *options;
    nvvmResult result;

    struct arena arena; // what lives as long as the compilation
    struct nvvm_options parsed;
    struct command command;
    VEC(int) files; // of the modules, of the messages, and last of what comes out
};

static int add_file(struct job *j) {
    vec_push(&j->arena, &j->files, -1); // first, since there may be no memory for it
    int fd = vec_last(&j->files) = memory_file("nvvm");
    if (fd < 0)
        j->files.len--;
    return fd;
}

static const char *flags(const struct job *j) {
    const struct nvvm_options *o = &j->parsed;
    return arena_printf(&((struct job *)j)->arena, "%s%s%s%s%s%s", o->debug ? "debug," : "",
                        o->optimize ? "optimize," : "", o->ftz ? "ftz," : "",
                        o->prec_sqrt ? "prec-sqrt," : "", o->prec_div ? "prec-div," : "",
                        o->fma ? "fma," : "");
}

static bool add_modules(struct job *j) {
    const struct _nvvmProgram *p = j->program;
    for (uint32_t i = 0; i < p->modules.len; ++i) {
        const struct nvvm_module *m = &p->modules.data[i];
        int fd = add_file(j);
        if (fd < 0 || !memory_file_write(fd, m->data, m->size))
            return false;
        command_arg(&j->command, m->lazy ? "library" : "module");
        command_arg(&j->command, m->name);
        command_arg(&j->command, memory_file_path(&j->arena, fd));
    }
    return true;
}

static bool make_command(struct job *j) {
    char *folder = arena_strdup(&j->arena, j->self);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    const char *program = arena_printf(&j->arena, "%s/kudzu-nvvm-compiler", folder);
    if (access(program, X_OK)) // a copy in nvvm/lib64, where packages have no links
        program = arena_printf(&j->arena, "%s/../../lib/kudzu-nvvm-compiler", folder);
    command_init(&j->command, &j->arena, NULL, program);
    int messages = add_file(j), out = add_file(j);
    if (messages < 0 || out < 0)
        return false;
    command_arg(&j->command, j->verify_only ? "verify" : j->parsed.lto ? "bitcode" : "ptx");
    command_arg(&j->command, j->parsed.arch);
    command_arg(&j->command, flags(j));
    j->command.stdin_path = "/dev/null";
    j->command.stdout_path = memory_file_path(&j->arena, out);
    j->command.stderr_path = memory_file_path(&j->arena, messages);
    if (!add_modules(j))
        return false;
    j->command.inherited = j->files.data;
    j->command.inherited_count = j->files.len;
    return true;
}

static void take_result(struct job *j, struct strbuf *out) {
    struct _nvvmProgram *p = j->program;
    p->is_lto = j->parsed.lto;
    if (j->parsed.lto) {
        struct lto_ir_header header = {.magic = LTO_IR_MAGIC, .size = (uint32_t)out->len};
        memcpy(header.kind, LTO_IR_KIND, sizeof header.kind);
        strbuf_append(&p->result, (const char *)&header, sizeof header);
    }
    strbuf_append(&p->result, out->data, out->len);
}

// Without an exit status (a program that waits for all its children may have taken it) what came
// out tells how it went: a mere check writes a line, too.
static nvvmResult finish(struct job *j) {
    struct strbuf out = {0};
    memory_file_read(j->files.data[0], &j->program->log);
    memory_file_read(j->files.data[1], &out);
    int status = j->command.status;
    bool failed = status > 0 || !out.len;
    if (!failed && !j->verify_only)
        take_result(j, &out);
    strbuf_free(&out);
    if (!failed)
        return NVVM_SUCCESS;
    if (status == NVVM_ERROR_IR_VERSION_MISMATCH ||
        (status == NVVM_ERROR_INVALID_IR && j->verify_only))
        return (nvvmResult)status;
    return NVVM_ERROR_COMPILATION;
}

// The log begins as NVIDIA's does, and has no end of line.
static nvvmResult refuse_options(struct strbuf *log) {
    struct strbuf said = *log;
    *log = (struct strbuf){0};
    strbuf_printf(log, "libnvvm : %.*s", (int)said.len - 1, said.data);
    strbuf_free(&said);
    return NVVM_ERROR_INVALID_OPTION;
}

static nvvmResult compile(struct job *j) {
    if (!nvvm_options_parse(&j->parsed, &j->arena, j->count, j->options))
        return refuse_options(&j->program->log);
    if (!make_command(j))
        return NVVM_ERROR_OUT_OF_MEMORY;
    if (!command_start(&j->command))
        return NVVM_ERROR_COMPILATION;
    command_wait(&j->command);
    return finish(j);
}

static void close_files(struct job *j) {
    cc_capture_messages(NULL);
    for (uint32_t i = 0; i < j->files.len; ++i)
        close(j->files.data[i]);
}

static void undo(void *arg) {
    close_files(arg);
}

static void run(void *arg) {
    struct job *j = arg;
    cc_capture_messages(&j->program->log);
    j->result = compile(j);
    close_files(j);
    arena_free(&j->arena);
}

static bool has_module(const struct _nvvmProgram *p) {
    for (uint32_t i = 0; i < p->modules.len; ++i)
        if (!p->modules.data[i].lazy)
            return true;
    return false;
}

nvvmResult nvvm_run(struct _nvvmProgram *p, const char *library, bool verify_only, int count,
                    const char *const *options) {
    struct job j = {.program = p,
                    .self = library,
                    .verify_only = verify_only,
                    .count = count,
                    .options = options};
    strbuf_free(&p->log);
    strbuf_free(&p->result);
    p->log = p->result = (struct strbuf){0};
    p->is_lto = false;
    if (!has_module(p))
        return NVVM_ERROR_NO_MODULE_IN_PROGRAM;
    if (memory_scope_run(run, undo, &j))
        return j.result;
    p->log = p->result = (struct strbuf){0};
    p->is_lto = false;
    return NVVM_ERROR_OUT_OF_MEMORY;
}
