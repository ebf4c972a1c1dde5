// One compilation: files in memory, clang on them, and what it printed. Where that shows words that
// NVRTC reads a source without (lenient_words.h), they join the sources, and clang is run again.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cc/compat/attribute_lists.h"
#include "cc/compat/launch_tokens.h"
#include "cc/compat/unroll_counts.h"
#include "cc/headers/clang_flags.h"
#include "cc/link/device_text.h"
#include "cc/link/target_directive.h"
#include "cc/messages/host_calls.h"
#include "cc/options/warning_numbers.h"
#include "cc/processes/file_io.h"
#include "image/image.h"
#include "nvrtc/log.h"
#include "nvrtc/names.h"
#include "nvrtc/options.h"
#include "nvrtc/program.h"
#include "nvrtc/virtual_files.h"
#include "nvvm/lto_ir.h"
#include "support/memory.h"

struct job {
    struct _nvrtcProgram *program;
    struct arena arena; // what lives as long as the compilation
    struct rtc_options options;
    struct toolchain toolchain;
    struct compilation compilation;
    struct virtual_files files;
    memory_texts texts; // of the source and the headers, by the paths that clang shows
    struct device_launches no_launches; // all three empty, as text in memory is rewritten by itself
    struct declared_spaces no_spaces;
    struct unroll_counts no_counts;
    const char *source;       // path of the program's text: clang's driver looks for it on disk
    const char *overlay;      // what shows clang the headers in memory
    const char *library;      // the folder `cuda` of the program's libcu++; NULL: none is on disk
    bool memory_library;      // headers in memory are of libcu++: they alone come before kudzu's
    int out, err;             // what clang prints
    struct strbuf host_calls; // what the attempt before the one that took them said
};

// ---- The source -----------------------------------------------------------------------------

static void put_line_marker(struct strbuf *source, const char *name) {
    strbuf_puts(source, "#line 1 \"");
    for (; *name; ++name)
        strbuf_printf(source, *name == '"' || *name == '\\' ? "\\%c" : "%c",
                      *name == '\n' ? ' ' : *name);
    strbuf_puts(source, "\"\n");
}

// The precompiled header is one for sm_90: what it says otherwise for this architecture.
static void put_architecture(const struct job *j, struct strbuf *source) {
    uint32_t number = j->options.cc.architectures.list.data[0].number;
    if (!j->compilation.precompiled || number == 90)
        return;
    strbuf_printf(source, "#undef __CUDA_ARCH__\n#define __CUDA_ARCH__ %u\n", number * 10);
    if (number < 90) // no clusters
        strbuf_puts(source, "#define __isClusterShared __isShared\n");
}

// The built-in declarations are compiled as version 12.9's, in which device code has the same.
static void put_version(const struct job *j, struct strbuf *source) {
    int version = j->options.cc.cuda_version;
    if (version < 13000)
        return;
    const struct {
        const char *macro;
        int value;
    } macros[] = {{"__CUDACC_VER_MAJOR__", version / 1000},
                  {"__CUDACC_VER_MINOR__", version % 1000 / 10},
                  {"CUDART_VERSION", version},
                  {"KUDZU_CUDA_VERSION", version}};
    for (size_t i = 0; i < sizeof macros / sizeof macros[0]; ++i)
        strbuf_printf(source, "#undef %s\n#define %s %d\n", macros[i].macro, macros[i].macro,
                      macros[i].value);
}

// What clang reads in another way; all launches are of device code here.
static char *as_clang_reads(struct job *j, const char *given, size_t *size) {
    char *text = arena_strdup(&j->arena, given);
    *size = strlen(text);
    launch_tokens_rewrite(&j->arena, &text, size, true, NULL, NULL);
    unroll_counts_rewrite_written(&j->arena, &text, size);
    attribute_lists_rewrite(&j->arena, &text, size);
    return text;
}

// The same with the lenient words that an earlier attempt found in the file of this path.
static const char *with_words(struct job *j, const char *given, const char *path, size_t *size) {
    char *text = as_clang_reads(j, given, size);
    vec_push(&j->arena, &j->texts, ((struct memory_text){path, text}));
    lenient_words_rewrite(&j->arena, &text, size, &j->compilation.lenient_words, path);
    return text;
}

static bool add_header(struct job *j, const char *name, const char *given) {
    size_t size;
    const char *text = with_words(j, given, virtual_files_path(&j->arena, name), &size);
    return virtual_files_add(&j->files, &j->arena, name, text, size);
}

// A header of libcu++ in memory is found before kudzu's, too.
static bool is_of_library(const char *name) {
    return !strncmp(name, "cuda/", 5);
}

static bool add_headers(struct job *j) {
    const struct _nvrtcProgram *p = j->program;
    for (uint32_t i = 0; i < p->headers.len; ++i) {
        const char *name = p->headers.data[i].name, *text = p->headers.data[i].text;
        const char *other = arena_printf(&j->arena, LIBRARY_FOLDER "/%s", name);
        if (!add_header(j, name, text) ||
            (j->memory_library && is_of_library(name) && !add_header(j, other, text)))
            return false;
    }
    return true;
}

static struct rewrites rewrites_of(const struct job *j) {
    return (struct rewrites){&j->no_launches, &j->no_spaces,
                             &j->no_counts,   &j->compilation.lenient_words,
                             &j->texts,       NULL};
}

// Where a file of the program's libcu++ on disk is found before its own path; NULL: it is none.
static const char *path_in_library(struct job *j, const char *path) {
    size_t n = j->library ? strlen(j->library) : 0;
    return n && !strncmp(path, j->library, n) && path[n] == '/'
               ? arena_printf(&j->arena, LIBRARY_FOLDER "/cuda%s", path + n)
               : NULL;
}

// The files on disk that have lenient words.
static bool add_files(struct job *j) {
    const struct lenient_words *words = &j->compilation.lenient_words;
    const struct rewrites found = rewrites_of(j);
    cc_strings done = {0};
    for (uint32_t i = 0; i < words->list.len; ++i) {
        const char *path = words->list.data[i].path, *shown = words->list.data[i].shown;
        char *text;
        size_t size;
        bool known = memory_text_find(&j->arena, &found, shown) != NULL;
        for (uint32_t k = 0; k < done.len && !known; ++k)
            known = !strcmp(done.data[k], path);
        vec_push(&j->arena, &done, path);
        if (known || !launch_tokens_read(&j->arena, path, &found, &text, &size))
            continue;
        const char *other = virtual_files_path(&j->arena, shown); // by way of a link
        const char *library = path_in_library(j, path);
        if (library && !virtual_files_add(&j->files, &j->arena, library, text, size))
            return false;
        if (!virtual_files_add(&j->files, &j->arena, path, text, size) ||
            (*shown == '/' && strcmp(other, path) != 0 &&
             !virtual_files_add(&j->files, &j->arena, other, text, size)))
            return false;
    }
    return true;
}

static bool add_source(struct job *j) {
    const struct _nvrtcProgram *p = j->program;
    struct strbuf text = {0};
    size_t size;
    const char *path = path_without_dots(&j->arena, p->name);
    const char *program = with_words(j, p->source, path, &size);
    put_architecture(j, &text);
    put_version(j, &text);
    if (j->options.default_device)
        strbuf_puts(&text, "#pragma clang force_cuda_host_device begin\n"
                           "#pragma clang attribute push(__attribute__((device)), apply_to = "
                           "variable(is_global))\n");
    put_line_marker(&text, p->name);
    strbuf_append(&text, program, size);
    if (j->options.default_device)
        strbuf_puts(&text, "\n#pragma clang attribute pop\n"
                           "#pragma clang force_cuda_host_device end\n");
    rtc_names_add(p, &text);
    strbuf_puts(&text, "\n");
    j->source = virtual_files_main(&j->files, &j->arena, strbuf_str(&text), text.len);
    strbuf_free(&text);
    return j->source && add_headers(j) && add_files(j);
}

// ---- clang ----------------------------------------------------------------------------------

// Options that show clang the headers in memory, before those of the program.
static void add_search(struct job *j) {
    cc_strings given = j->options.cc.preprocessor, all = {0};
    vec_push(&j->arena, &all, "-iquote" VIRTUAL_FOLDER);
    vec_push(&j->arena, &all, "-I" VIRTUAL_FOLDER);
    if (!j->options.no_source_include) {
        vec_push(&j->arena, &all, "-iquote");
        const char *slash = strrchr(j->program->name, '/');
        vec_push(&j->arena, &all,
                 slash ? arena_strndup(&j->arena, j->program->name,
                                       (size_t)(slash - j->program->name) + 1)
                       : ".");
    }
    for (uint32_t i = 0; i < given.len; ++i)
        vec_push(&j->arena, &all, given.data[i]);
    if (j->options.no_move_forward)
        vec_push(&j->arena, &all, "-DKUDZU_RTC_NO_MOVE_FORWARD");
    if (j->options.no_initializer_list)
        vec_push(&j->arena, &all, "-DKUDZU_RTC_NO_INITIALIZER_LIST");
    j->options.cc.preprocessor = all;
}

// The first of the program's folders that has libcu++. A toolkit's has other headers beside it,
// which kudzu's come before: `cuda` alone is taken out of it. Programs that name kudzu's own folder
// (CUDA_HOME's) mean no other library than the one that is there anyway.
static void find_library(struct job *j) {
    const struct _nvrtcProgram *p = j->program;
    for (uint32_t i = 0; i < p->headers.len; ++i)
        j->memory_library |= !strncmp(p->headers.data[i].name, "cuda/std/", 9);
    const cc_strings *given = &j->options.cc.preprocessor;
    for (uint32_t i = 0; i < given->len && !j->library && !j->memory_library; ++i) {
        const char *option = given->data[i];
        if (strncmp(option, "-I", 2) != 0 ||
            !is_readable_file(arena_printf(&j->arena, "%s/cuda/std/type_traits", option + 2)))
            continue;
        char *folder = realpath(arena_printf(&j->arena, "%s/cuda", option + 2), NULL);
        char *own = realpath(arena_printf(&j->arena, "%s/cuda", j->toolchain.include), NULL);
        if (folder && !(own && !strcmp(folder, own)))
            j->library = arena_strdup(&j->arena, folder);
        free(folder);
        free(own);
    }
}

// Code for link time is LLVM's; names are looked for in its text, which is as good to what links
// it.
static bool is_bitcode(const struct job *j) {
    return j->options.lto && !j->program->names.len;
}

static bool make_command(struct job *j, struct command *cmd, bool system_headers) {
    static const char *const style[] = {
        "-fno-color-diagnostics",
        "-fno-diagnostics-show-line-numbers",
        "-fno-diagnostics-show-option",
        "-ferror-limit=100",
        "-fno-spell-checking", // "did you mean" in place of a missing header
        "-fmacro-prefix-map=" VIRTUAL_FOLDER "/=",
        "-fmacro-prefix-map=" LIBRARY_FOLDER "/="};
    j->out = memory_file("ptx");
    j->err = memory_file("messages");
    if (j->out < 0 || j->err < 0)
        return false;
    clang_rtc_pass(cmd, &j->compilation, &j->options.cc.architectures.list.data[0], j->source,
                   system_headers);
    for (size_t i = 0; i < sizeof style / sizeof style[0]; ++i)
        command_arg(cmd, style[i]);
    if (j->options.default_device) // the attribute may meet no variable
        command_arg(cmd, "-Wno-pragma-clang-attribute");
    command_arg(cmd, "-ivfsoverlay");
    command_arg(cmd, j->overlay);
    if (j->options.lto)
        command_arg(cmd, "-emit-llvm");
    command_arg(cmd, j->options.syntax_only ? "-fsyntax-only" : is_bitcode(j) ? "-c" : "-S");
    command_arg(cmd, "-o");
    command_arg(cmd, "-");
    cmd->inherited = j->files.descriptors.data;
    cmd->inherited_count = j->files.descriptors.len;
    cmd->stdin_path = "/dev/null";
    cmd->stdout_path = memory_file_path(&j->arena, j->out);
    cmd->stderr_path = memory_file_path(&j->arena, j->err);
    return true;
}

static bool add_all(struct job *j) {
    virtual_files_close(&j->files);
    j->texts.len = 0;
    if (!add_source(j))
        return false;
    if (j->library)
        virtual_files_add_library(&j->files, "cuda", j->library);
    j->overlay = virtual_files_overlay(&j->files, &j->arena);
    return j->overlay;
}

static bool prepare(struct job *j) {
    find_library(j);
    add_search(j);
    compilation_init_rtc(&j->compilation, &j->options.cc, &j->toolchain, &j->arena);
    j->compilation.own_libcudacxx = j->library || j->memory_library ? LIBRARY_FOLDER : NULL;
    return add_all(j);
}

// True: it ended by itself. The program's callback can end it.
static bool wait_for(const struct _nvrtcProgram *p, struct command *cmd) {
    while (p->callback && !command_poll(cmd)) {
        if (p->callback(p->payload, NULL) == 1) {
            command_kill(cmd);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    command_wait(cmd);
    return true;
}

// ---- What came out --------------------------------------------------------------------------

static void take_link_time_code(struct job *j) {
    struct _nvrtcProgram *p = j->program;
    struct strbuf module = {0};
    memory_file_read(j->out, &module);
    if (p->names.len) {
        struct strbuf text = module;
        module = (struct strbuf){0};
        rtc_names_take_llvm(p, strbuf_str(&text), &module);
        strbuf_free(&text);
    }
    struct lto_ir_header header = {.magic = LTO_IR_MAGIC, .size = (uint32_t)module.len};
    memcpy(header.kind, LTO_IR_KIND, sizeof header.kind);
    strbuf_append(&p->lto_ir, (const char *)&header, sizeof header);
    strbuf_append(&p->lto_ir, strbuf_str(&module), module.len);
    strbuf_free(&module);
    p->compiled = true;
}

static nvrtcResult take_code(struct job *j) {
    struct _nvrtcProgram *p = j->program;
    size_t size;
    memory_file_read(j->out, &p->ptx);
    const char *text = target_directive_apply(&j->arena, &j->options.cc.architectures.list.data[0],
                                              strbuf_str(&p->ptx), &size);
    text = device_text(&j->arena, &j->options.cc, text, &size);
    if (text != strbuf_str(&p->ptx)) {
        strbuf_free(&p->ptx);
        p->ptx = (struct strbuf){0};
        strbuf_append(&p->ptx, text, size);
    }
    rtc_names_take(p);
    p->compiled = true;
    if (!j->options.real_architecture)
        return NVRTC_SUCCESS;
    struct kimg_entry e = {.kind = KIMG_PTX,
                           .arch = j->options.cc.architectures.list.data[0].number,
                           .ptx_major = 8,
                           .ptx_minor = 5,
                           .data = strbuf_str(&p->ptx),
                           .size = p->ptx.len,
                           .name = p->name};
    return kimg_build(&e, 1, &p->cubin, &p->cubin_size) ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

// Without an exit status (a program that waits for all its children may have taken it) the messages
// and the code tell how it went.
static bool has_failed(const struct job *j, const struct command *cmd) {
    if (cmd->status >= 0)
        return cmd->status > 0;
    struct strbuf messages = {0};
    memory_file_read(j->err, &messages);
    bool errors = strstr(strbuf_str(&messages), "error: ") != NULL;
    strbuf_free(&messages);
    return errors || (!j->options.syntax_only && lseek(j->out, 0, SEEK_END) == 0);
}

static bool is_hidden(const struct job *j, unsigned warning) {
    bool hidden = false;
    for (uint32_t i = 0; i < j->options.cc.warnings.len; ++i)
        hidden |= !strcmp(j->options.cc.warnings.data[i], "-w");
    for (uint32_t i = 0; i < j->options.own_warnings.len; ++i)
        if (j->options.own_warnings.data[i].number == warning)
            hidden = j->options.own_warnings.data[i].hidden;
    return hidden;
}

// What NVRTC warns of where clang has errors. A line ends with the warning's name.
static void add_own_warnings(const struct job *j, struct strbuf *messages) {
    struct strbuf own = {0};
    lenient_words_warn(&j->compilation.lenient_words, &own);
    for (const char *line = strbuf_str(&own), *next; *line; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        const char *name = memmem(line, n, "[-W", 3);
        unsigned number = name ? warning_number(name + 3, (size_t)(line + n - 1 - (name + 3))) : 0;
        if (!number || !is_hidden(j, number))
            strbuf_append(messages, line, (size_t)(next - line));
    }
    strbuf_free(&own);
}

static bool is_context(const char *line) {
    return !strncmp(line, "In file included from ", 22);
}

static bool has_word(const char *line, const char *word) {
    return memmem(line, strcspn(line, "\n"), word, strlen(word)) != NULL;
}

static const char *next_line(const char *line) {
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

// The diagnostic that begins here: what leads to it, and the lines of source below it.
static size_t diagnostic_length(const char *text) {
    const char *end = text;
    while (is_context(end))
        end = next_line(end);
    do
        end = next_line(end);
    while (*end && !is_context(end) && !has_word(end, ": warning: ") &&
           !has_word(end, ": error: "));
    return (size_t)(end - text);
}

// Puts what the attempt before said of calls of the host in front, unless that is hidden. What both
// say is there once.
static void add_host_calls(struct job *j, struct strbuf *messages) {
    struct strbuf all = {0}, *before = &j->host_calls;
    const char *first = strbuf_str(before);
    bool hidden = is_hidden(j, HOST_CALL);
    for (const char *s = first; *s; s += diagnostic_length(s)) {
        size_t n = diagnostic_length(s);
        if (!hidden || !is_host_call_warning(arena_strndup(&j->arena, s, n)))
            strbuf_append(&all, s, n);
    }
    for (const char *s = strbuf_str(messages); *s; s += diagnostic_length(s)) {
        size_t n = diagnostic_length(s);
        if (!strstr(first, arena_strndup(&j->arena, s, n)))
            strbuf_append(&all, s, n);
    }
    strbuf_free(messages);
    *messages = all;
}

// clang's messages follow those of the options.
static nvrtcResult finish(struct job *j, const struct command *cmd) {
    struct strbuf messages = {0}, *log = &j->program->log;
    const bool failed = has_failed(j, cmd);
    memory_file_read(j->err, &messages);
    if (!failed && j->compilation.host_calls)
        add_host_calls(j, &messages);
    if (!failed)
        add_own_warnings(j, &messages);
    rtc_log_append(log, strbuf_str(&messages), j->program->name);
    strbuf_free(&messages);
    if (failed)
        return NVRTC_ERROR_COMPILATION;
    if (!j->options.lto)
        return take_code(j);
    take_link_time_code(j);
    return NVRTC_SUCCESS;
}

static nvrtcResult write_time(const struct job *j, const struct command *cmd) {
    const char *path = j->options.time_file;
    if (!path)
        return NVRTC_SUCCESS;
    FILE *f = strcmp(path, "-") ? fopen(path, "a") : stdout;
    if (!f)
        return NVRTC_ERROR_TIME_FILE_WRITE_FAILED;
    fprintf(f, "%s,nvrtc,%s,%.3f,ms\n", j->program->name,
            j->options.cc.architectures.list.data[0].name,
            (double)(cmd->end_us - cmd->start_us) / 1000);
    return (f == stdout ? fflush(f) : fclose(f)) ? NVRTC_ERROR_TIME_FILE_WRITE_FAILED
                                                 : NVRTC_SUCCESS;
}

static void close_output(struct job *j) {
    if (j->out >= 0)
        close(j->out);
    if (j->err >= 0)
        close(j->err);
    j->out = j->err = -1;
}

static nvrtcResult run_clang(struct job *j, struct command *cmd, bool system_headers) {
    close_output(j);
    if (!make_command(j, cmd, system_headers))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    if (!command_start(cmd))
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    return wait_for(j->program, cmd) ? NVRTC_SUCCESS : NVRTC_ERROR_CANCELLED;
}

// A header of kudzu's (<cuda/atomic>) is written on the C++ library, which programs do not see, or
// includes one of clang's that is: the headers that lead to a message are told in lines before it.
static bool own_header_lacks_another(const struct job *j) {
    static const char included[] = "In file included from ";
    struct strbuf messages = {0};
    memory_file_read(j->err, &messages);
    const char *text = strbuf_str(&messages), *at = strstr(text, ": fatal error: '");
    const char *include = j->toolchain.include;
    bool found = false;
    for (bool first = true; at && !found; first = false) {
        while (at > text && at[-1] != '\n')
            at--;
        if (!first && strncmp(at, included, strlen(included)) != 0)
            break;
        found = !strncmp(first ? at : at + strlen(included), include, strlen(include));
        at = at > text ? at - 1 : NULL;
    }
    strbuf_free(&messages);
    return found;
}

// Whether clang's messages show what it reads in another way than NVRTC: another attempt is due.
static bool learn(struct job *j) {
    const struct rewrites read = rewrites_of(j);
    cc_strings messages = {0};
    vec_push(&j->arena, &messages, memory_file_path(&j->arena, j->err));
    if (lenient_words_find(&j->arena, &messages, true, &read, &j->compilation.lenient_words))
        return true;
    if (j->compilation.host_calls || !host_calls_told(&j->arena, &messages))
        return false;
    struct strbuf text = {0};
    memory_file_read(j->err, &text);
    host_calls_warn(strbuf_str(&text), &j->host_calls);
    strbuf_free(&text);
    return j->compilation.host_calls = true;
}

static nvrtcResult run(struct job *j, const char *library) {
    struct command cmd;
    if (!toolchain_find(&j->toolchain, &j->arena, library))
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    if (!prepare(j))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    nvrtcResult result = run_clang(j, &cmd, false);
    for (bool system = false; result == NVRTC_SUCCESS;) {
        bool lacking = !system && own_header_lacks_another(j);
        if (!lacking && !(has_failed(j, &cmd) && learn(j)))
            break;
        system |= lacking;
        if (!lacking && !add_all(j))
            return NVRTC_ERROR_OUT_OF_MEMORY;
        result = run_clang(j, &cmd, system);
    }
    if (result != NVRTC_SUCCESS)
        return result;
    result = finish(j, &cmd);
    nvrtcResult written = write_time(j, &cmd);
    return result == NVRTC_SUCCESS ? written : result;
}

static void forget_results(struct _nvrtcProgram *p) {
    strbuf_free(&p->log);
    strbuf_free(&p->ptx);
    strbuf_free(&p->lto_ir);
    p->log = p->ptx = p->lto_ir = (struct strbuf){0};
    free(p->cubin);
    p->cubin = NULL;
    p->compiled = false;
    for (uint32_t i = 0; i < p->names.len; ++i)
        p->names.data[i].lowered = NULL;
}

// A call of rtc_compile.
struct request {
    struct job job;
    const char *loaded_from;
    int count;
    const char *const *options;
    nvrtcResult result;
};

static void close_files(struct job *j) {
    virtual_files_close(&j->files);
    strbuf_free(&j->host_calls);
    close_output(j);
}

static void undo(void *arg) {
    struct job *j = &((struct request *)arg)->job;
    cc_capture_messages(NULL);
    close_files(j);
}

static void compile_request(void *arg) {
    struct request *r = arg;
    struct job *j = &r->job;
    cc_capture_messages(&j->program->log);
    r->result = rtc_options_parse(&j->options, &j->arena, r->count, r->options)
                    ? run(j, r->loaded_from)
                    : NVRTC_ERROR_INVALID_OPTION;
    cc_capture_messages(NULL);
    close_files(j);
    arena_free(&j->arena);
}

nvrtcResult rtc_compile(struct _nvrtcProgram *p, const char *library, int count,
                        const char *const *options) {
    struct request r = {.job = {.program = p, .out = -1, .err = -1},
                        .loaded_from = library,
                        .count = count,
                        .options = options};
    forget_results(p);
    p->attempted = true;
    if (memory_scope_run(compile_request, undo, &r))
        return r.result;
    p->log = p->ptx = p->lto_ir = (struct strbuf){0}; // they are gone
    forget_results(p);
    return NVRTC_ERROR_OUT_OF_MEMORY;
}
