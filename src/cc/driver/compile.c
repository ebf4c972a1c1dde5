#include "cc/driver/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cc/compat/device_launches.h"
#include "cc/compat/device_operators.h"
#include "cc/compat/group_atomics.h"
#include "cc/compat/host_statics.h"
#include "cc/compat/inline_hints.h"
#include "cc/compat/late_templates.h"
#include "cc/compat/references.h"
#include "cc/headers/cached_headers.h"
#include "cc/headers/precompiled.h"
#include "cc/link/device_check.h"
#include "cc/link/device_image.h"
#include "cc/link/device_text.h"
#include "cc/link/target_directive.h"
#include "cc/messages/clang_failures.h"
#include "cc/messages/clang_messages.h"
#include "cc/messages/diagnostics.h"
#include "cc/messages/host_calls.h"
#include "cc/processes/temporaries.h"

const char *file_stem(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return arena_strndup(arena, name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

// ---- Device passes ------------------------------------------------------------------------

struct device_passes {
    struct command *commands;
    device_codes codes;
    cc_strings diagnostics; // files
    cc_strings asm_marks;   // of bitcode: files by which the passes say that there is inline PTX
    bool failed;
};

static void add_pass_dependencies(struct command *cmd, const struct compilation *c,
                                  const char *pass) {
    if (!c->options->extra_dep_prefix)
        return;
    command_arg(cmd, "-MD");
    command_arg(cmd, "-MF");
    command_argf(cmd, "%s%s", c->options->extra_dep_prefix, pass);
}

static void prepare_device_passes(struct device_passes *d, const struct compilation *c,
                                  const char *source, bool bitcode) {
    const struct architectures *a = &c->options->architectures;
    const char *stem = file_stem(c->arena, source);
    memset(d, 0, sizeof *d);
    d->commands = arena_array(c->arena, struct command, a->list.len);
    for (uint32_t i = 0; i < a->list.len; ++i) {
        const struct architecture *arch = &a->list.data[i];
        struct command *cmd = &d->commands[i];
        clang_device_pass(cmd, c, arch, source);
        const char *path = temporary_path(
            c->arena, arena_printf(c->arena, "%s.%s", stem, arch->name), bitcode ? "bc" : "ptx");
        command_arg(cmd, bitcode ? "-emit-llvm" : "-S");
        if (bitcode)
            command_arg(cmd, "-c");
        command_arg(cmd, "-o");
        command_arg(cmd, path);
        add_pass_dependencies(cmd, c, arch->name);
        if (bitcode) {
            vec_push(c->arena, &d->asm_marks, scratch_path(c->arena, "asm"));
            cmd->environment = arena_printf(c->arena, "KUDZU_RELOCATABLE=%s", d->asm_marks.data[i]);
        }
        cmd->stderr_path = scratch_path(c->arena, "err");
        vec_push(c->arena, &d->diagnostics, cmd->stderr_path);
        vec_push(c->arena, &d->codes, (struct device_code){*arch, path});
    }
}

// What came of them, as NVIDIA's assembler would look at it.
static bool check_device_code(const struct compilation *c, struct device_passes *d,
                              const char *source) {
    for (uint32_t i = 0; i < d->codes.len && !command_mode.dry_run; ++i)
        d->failed |= !device_check(c, &d->codes.data[i], source,
                                   d->asm_marks.len ? d->asm_marks.data[i] : NULL, &d->diagnostics);
    return !d->failed;
}

// Runs them, as many at a time as there are processors besides the one for the host pass.
static bool run_device_passes(struct device_passes *d) {
    uint32_t n = d->codes.len, started = 0;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t at_once = cpus > 2 ? (uint32_t)cpus - 1 : 1;
    bool ok = true;
    for (uint32_t i = 0; i < n; ++i) {
        while (started < n && started < i + at_once && ok)
            ok = command_start(&d->commands[started++]);
        if (i < started && command_wait(&d->commands[i]) != 0)
            ok = false;
    }
    for (uint32_t i = 0; i < n && ok && !d->asm_marks.len && !command_mode.dry_run; ++i)
        ok = target_directive_apply_to_file(d->commands[i].arena, &d->codes.data[i].arch,
                                            d->codes.data[i].path);
    d->failed = !ok;
    return ok;
}

// ---- The host pass ------------------------------------------------------------------------

static void sleep_ms(void) {
    nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

// Hands the image to the host pass, which waits for it at the end of its work. False: the pass
// has ended before (its own errors), or writing failed.
static bool feed_image(struct command *host, const char *fifo, const void *image, size_t size) {
    int fd;
    while ((fd = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
        if (errno != ENXIO && errno != EINTR)
            return cc_error("cannot open %s: %s", fifo, strerror(errno));
        if (command_poll(host))
            return host->status == 0;
        sleep_ms();
    }
    fcntl(fd, F_SETFL, 0);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    const char *p = image;
    for (ssize_t n; size && ((n = write(fd, p, size)) > 0 || errno == EINTR);)
        if (n > 0)
            p += n, size -= (size_t)n;
    signal(SIGPIPE, before);
    close(fd);
    return true;
}

static bool build_image(const struct compilation *c, const device_codes *codes, const char *source,
                        void **image, size_t *size) {
    const struct cc_options *o = c->options;
    const char *slash = strrchr(source, '/');
    return device_image_build(c->arena, o, codes, o->rdc, slash ? slash + 1 : source, image, size);
}

// Both sides at once: the host pass reads the image from a pipe with a name.
static bool run_passes_together(const struct compilation *c, struct device_passes *d,
                                struct command *host, const char *fifo, const char *source) {
    if (mkfifo(fifo, 0600))
        return cc_error("cannot make the pipe %s: %s", fifo, strerror(errno));
    void *image = NULL;
    size_t size = 0;
    bool ok = command_start(host) && run_device_passes(d) && check_device_code(c, d, source) &&
              build_image(c, &d->codes, source, &image, &size) &&
              feed_image(host, fifo, image, size);
    free(image);
    if (!ok)
        command_kill(host);
    return command_wait(host) == 0 && ok;
}

// One after the other, with the image in a file that stays (-keep).
static bool run_passes_in_turn(const struct compilation *c, struct device_passes *d,
                               struct command *host, const char *image_path, const char *source) {
    if (!run_device_passes(d) || !check_device_code(c, d, source))
        return false;
    if (command_mode.dry_run)
        return command_run(host);
    void *image;
    size_t size;
    if (!build_image(c, &d->codes, source, &image, &size))
        return false;
    bool ok = write_file(image_path, image, size);
    free(image);
    return ok && command_run(host);
}

// ---- What only the text shows -------------------------------------------------------------

// The source as the host's compiler sees it, where specifiers are words. NULL: it has errors.
static const char *preprocessed(const struct compilation *c, const char *source) {
    struct compilation plain = *c;
    struct command cmd;
    const char *path = scratch_path(c->arena, "ii");
    plain.precompiled = false;
    clang_host_pass(&cmd, &plain, source, NULL);
    command_arg(&cmd, "-include");
    command_arg(&cmd, "kudzu/specifier_words.h");
    command_arg(&cmd, "-E");
    command_arg(&cmd, "-o");
    command_arg(&cmd, path);
    cmd.stderr_path = scratch_path(c->arena, "err");
    return command_run(&cmd) ? path : NULL;
}

// Prints those variables that are in the preprocessed text, too.
static bool has_host_statics(const struct compilation *c, const host_statics *seen,
                             const char *text) {
    host_statics compiled = {0};
    bool any = false;
    host_statics_find(c->arena, text, NULL, &compiled);
    for (uint32_t i = 0; i < seen->len; i++) {
        const struct host_static *v = &seen->data[i];
        bool found = false;
        for (uint32_t k = 0; k < compiled.len && !found; k++)
            found = !strcmp(compiled.data[k].name, v->name);
        if (found)
            fprintf(stderr,
                    "%s:%u:%u: error: the variable '%s' of a function that runs on the host is "
                    "marked as the device's\n",
                    v->path, v->line, v->column, v->name);
        any |= found;
    }
    return any;
}

static bool has_inline_conflicts(const struct compilation *c, const inline_conflicts *seen,
                                 const char *text) {
    inline_conflicts compiled = {0};
    bool any = false;
    inline_conflicts_find(c->arena, text, NULL, &compiled);
    for (uint32_t i = 0; i < seen->len; i++) {
        const struct inline_conflict *v = &seen->data[i];
        bool found = false;
        for (uint32_t k = 0; k < compiled.len && !found; k++)
            found = !strcmp(compiled.data[k].name, v->name);
        if (found)
            fprintf(stderr, "%s:%u:%u: error: '%s' is both %s and %s, which exclude each other\n",
                    v->path, v->line, v->column, v->name, v->first, v->second);
        any |= found;
    }
    return any;
}

static bool text_is_refused(const struct compilation *c, const char *source) {
    host_statics statics = {0};
    inline_conflicts conflicts = {0};
    host_statics_find(c->arena, source, &c->options->preprocessor, &statics);
    inline_conflicts_find(c->arena, source, &c->options->preprocessor, &conflicts);
    const char *text = statics.len || conflicts.len ? preprocessed(c, source) : NULL;
    bool refused = text && has_host_statics(c, &statics, text);
    return (text && has_inline_conflicts(c, &conflicts, text)) || refused;
}

// ---- With precompiled headers, and without ------------------------------------------------

typedef bool (*cuda_action)(const struct compilation *c, const char *source, const char *output,
                            cc_strings *diagnostics);

static bool write_object(const struct compilation *c, const char *source, const char *object,
                         cc_strings *diagnostics);

// Whether clang's messages show what it reads in another way than nvcc: another attempt is due.
static bool learn(struct compilation *c, const char *source, const cc_strings *diagnostics) {
    // The host pass is heard when the device passes have succeeded.
    bool device_passed = diagnostics->len > c->options->architectures.list.len;
    struct rewrites read = compilation_rewrites(c); // before others change
    bool words = lenient_words_find(c->arena, diagnostics, c->options->relaxed_constexpr, &read,
                                    &c->lenient_words);
    bool spaces = declared_spaces_find(c->arena, diagnostics, c->options->relaxed_constexpr,
                                       device_passed, &c->device_launches, &c->declared_spaces);
    bool launches = device_launches_find(c->arena, diagnostics, &c->device_launches);
    bool spelled = launch_tokens_find(c->arena, source, diagnostics, &c->spelled_files);
    bool counts = unroll_counts_find(c->arena, diagnostics, &c->unroll_counts);
    bool own = !c->own_names && references_are_in_the_way(c->arena, diagnostics);
    bool atomics = !c->group_atomics && group_atomics_are_missing(c->arena, diagnostics);
    bool crash = !c->no_hints && clang_failures_told(c->arena, diagnostics);
    bool lines = !c->with_lines && clang_messages_lack_places(c->arena, diagnostics, "error: ");
    bool operators = !c->device_operators && device_operators_told(c->arena, diagnostics);
    bool known =
        operators || spaces || launches || spelled || counts || words || own || atomics || crash;
    known |= lines;
    bool late = !known && !c->late_templates && late_templates_told(c->arena, diagnostics, &read);
    bool host = !known && !late && !c->host_calls && host_calls_told(c->arena, diagnostics);
    c->own_names |= own;
    c->group_atomics |= atomics;
    c->precompiled &= !c->group_atomics; // the headers were read without
    c->no_hints |= crash;
    c->device_operators |= operators;
    c->with_lines |= lines;
    c->late_templates |= late;
    c->host_calls |= host;
    c->precompiled &= !c->late_templates; // clang compares how templates are parsed
    return known || late || host;
}

static bool warnings_are_shown(const struct cc_options *o) {
    for (uint32_t i = 0; i < o->warnings.len; ++i)
        if (!strcmp(o->warnings.data[i], "-w"))
            return false;
    return true;
}

// What nvcc warns of where clang would have errors.
static void add_own_warnings(const struct compilation *c, cc_strings *diagnostics) {
    struct strbuf messages = {0};
    lenient_words_warn(&c->lenient_words, &messages);
    declared_spaces_warn(&c->declared_spaces, &messages);
    const char *path = messages.len ? scratch_path(c->arena, "err") : NULL;
    if (path && warnings_are_shown(c->options) && write_file(path, messages.data, messages.len))
        vec_push(c->arena, diagnostics, path);
    strbuf_free(&messages);
}

// The messages of an attempt before the one that took calls of the host come first: what both say
// is shown once.
static void add_host_calls(const struct compilation *c, const cc_strings *before,
                           cc_strings *diagnostics) {
    cc_strings all = {0};
    for (uint32_t i = 0; i < before->len; ++i) {
        struct strbuf warnings = {0};
        char *text;
        size_t size;
        const char *path = scratch_path(c->arena, "err");
        if (read_file(c->arena, before->data[i], &text, &size)) {
            host_calls_warn(text, &warnings);
            if (path && write_file(path, strbuf_str(&warnings), warnings.len))
                vec_push(c->arena, &all, path);
        }
        strbuf_free(&warnings);
    }
    for (uint32_t i = 0; i < diagnostics->len; ++i)
        vec_push(c->arena, &all, diagnostics->data[i]);
    *diagnostics = all;
}

// Whatever is wrong with a precompiled header, nobody hears of it.
static bool run_cuda_action(cuda_action action, const struct compilation *given, const char *source,
                            const char *output) {
    cc_strings diagnostics = {0};
    struct compilation relaxed = *given, *c = &relaxed;
    if (c->options->relaxed_constexpr)
        declared_spaces_relax(c->arena, source, &c->options->preprocessor, &c->device_launches,
                              &c->declared_spaces);
    bool host = action == write_object;
    bool ok = action(c, source, output, &diagnostics);
    if (!ok && c->precompiled && precompiled_header_refused(c->arena, &diagnostics)) {
        struct compilation plain = *c;
        cached_headers_discard(c, host);
        plain.precompiled = false;
        diagnostics = (cc_strings){0};
        ok = action(&plain, source, output, &diagnostics);
    }
    struct compilation again = *c;
    cc_strings host_calls = {0}; // what was said before they were taken
    while (!ok && !command_mode.dry_run && learn(&again, source, &diagnostics)) {
        if (again.host_calls && !host_calls.len)
            host_calls = diagnostics;
        diagnostics = (cc_strings){0};
        ok = action(&again, source, output, &diagnostics);
    }
    if (!ok && host_calls.len)
        diagnostics = host_calls;
    else if (host_calls.len && warnings_are_shown(c->options))
        add_host_calls(c, &host_calls, &diagnostics);
    if (ok)
        add_own_warnings(&again, &diagnostics);
    bool refused = diagnostics_print(c->arena, c->options, source, &diagnostics);
    if (!ok)
        declared_spaces_advise(c->arena, &diagnostics, &again.device_launches,
                               &again.declared_spaces);
    refused |= ok && !command_mode.dry_run && text_is_refused(c, source);
    if (refused)
        remove_output(output);
    cached_headers_make(c, source, host);
    return ok && !refused;
}

// ---- Objects ------------------------------------------------------------------------------

// Host code's warnings once more, with their places, where the pass that made the object knew none.
static void place_warnings(const struct compilation *c, const char *source,
                           const struct command *host) {
    struct compilation lines = *c;
    struct command again;
    cc_strings told = {0};
    vec_push(c->arena, &told, host->stderr_path);
    if (command_mode.dry_run || !clang_messages_lack_places(c->arena, &told, "warning: "))
        return;
    const char *image = scratch_path(c->arena, "fatbin"); // without one no variable is registered
    if (!write_file(image, "none", 4))
        return;
    lines.with_lines = true;
    clang_host_pass(&again, &lines, source, image);
    static const char *const args[] = {"-Wno-ignored-attributes", "-emit-llvm", "-c", "-o",
                                       "/dev/null"};
    for (size_t i = 0; i < sizeof args / sizeof args[0]; ++i)
        command_arg(&again, args[i]);
    again.stderr_path = host->stderr_path;
    command_run(&again);
}

static bool write_object(const struct compilation *c, const char *source, const char *object,
                         cc_strings *diagnostics) {
    const struct cc_options *o = c->options;
    struct device_passes d;
    struct command host;
    bool in_turn = o->keep || command_mode.dry_run;
    const char *stem = file_stem(c->arena, source);
    const char *image =
        in_turn ? temporary_path(c->arena, stem, "fatbin") : scratch_path(c->arena, "fatbin");
    prepare_device_passes(&d, c, source, o->rdc);
    clang_host_pass(&host, c, source, image);
    command_arg(&host, "-Wno-ignored-attributes"); // of device code: the device pass tells
    clang_dependency_flags(&host, c, source, o->phase == CC_COMPILE ? object : NULL);
    add_pass_dependencies(&host, c, "host");
    command_arg(&host, "-c");
    command_arg(&host, "-o");
    command_arg(&host, object);
    host.stderr_path = scratch_path(c->arena, "err");
    bool ok = in_turn ? run_passes_in_turn(c, &d, &host, image, source)
                      : run_passes_together(c, &d, &host, image, source);
    if (ok)
        place_warnings(c, source, &host);
    *diagnostics = d.diagnostics;
    // When device code has errors the host pass was ended, sooner or later: what it could say by
    // then would change from run to run.
    if (!d.failed)
        vec_push(c->arena, diagnostics, host.stderr_path);
    if (!ok && !command_mode.dry_run)
        remove_output(object);
    return ok;
}

bool compile_object(const struct compilation *c, const struct cc_input *in, const char *object) {
    if (in->language == CC_CUDA)
        return run_cuda_action(write_object, c, in->path, object);
    struct command cmd;
    clang_plain_pass(&cmd, c, in->path, in->language);
    clang_dependency_flags(&cmd, c, in->path, c->options->phase == CC_COMPILE ? object : NULL);
    add_pass_dependencies(&cmd, c, "host");
    command_arg(&cmd, "-c");
    command_arg(&cmd, "-o");
    command_arg(&cmd, object);
    return command_run(&cmd);
}

// ---- Device code alone --------------------------------------------------------------------

// Of what clang has written kernels with __cluster_dims__ lack their directives.
static bool complete_ptx(const struct compilation *c, const char *from, const char *to) {
    char *text;
    size_t size;
    if (!read_file(c->arena, from, &text, &size))
        return false;
    const char *full = device_text(c->arena, c->options, text, &size);
    return write_file(strcmp(to, "-") ? to : "/dev/stdout", full, size);
}

static bool write_ptx(const struct compilation *c, const char *source, const char *output,
                      cc_strings *diagnostics) {
    const struct cc_options *o = c->options;
    if (o->architectures.list.len != 1)
        return cc_error("-ptx: PTX text is for one architecture; give one with -arch");
    struct device_passes d;
    prepare_device_passes(&d, c, source, false);
    clang_dependency_flags(&d.commands[0], c, source, output);
    bool ok = run_device_passes(&d) && check_device_code(c, &d, source);
    *diagnostics = d.diagnostics;
    return ok && (command_mode.dry_run || complete_ptx(c, d.codes.data[0].path, output));
}

static bool write_image(const struct compilation *c, const char *source, const char *output,
                        cc_strings *diagnostics) {
    const struct cc_options *o = c->options;
    if (o->phase == CC_CUBIN && o->architectures.list.len != 1)
        return cc_error("-cubin: the image is for one architecture; give one with -arch");
    struct device_passes d;
    prepare_device_passes(&d, c, source, false);
    clang_dependency_flags(&d.commands[0], c, source, output);
    bool ok = run_device_passes(&d) && check_device_code(c, &d, source);
    *diagnostics = d.diagnostics;
    void *image;
    size_t size;
    if (!ok || command_mode.dry_run)
        return ok;
    if (!device_image_build(c->arena, o, &d.codes, false, file_stem(c->arena, source), &image,
                            &size))
        return false;
    ok = write_file(output, image, size);
    free(image);
    return ok;
}

// The text stands for the architecture that it names, whatever -arch says: so drivers take it.
bool assemble_ptx(const struct compilation *c, const char *source, const char *output) {
    char *text;
    size_t size;
    void *image;
    if (command_mode.dry_run)
        return true;
    if (!read_file(c->arena, source, &text, &size) || !device_check_text(c, source, text, size))
        return false;
    const char *target = strstr(text, ".target ");
    size_t n = target ? strcspn(target + 8, ", \t\r\n") : 0;
    const char *name = target ? arena_strndup(c->arena, target + 8, n) : "sm_90";
    device_codes codes = {0};
    vec_push(c->arena, &codes, ((struct device_code){architecture_named(name), source}));
    if (!device_image_build(c->arena, c->options, &codes, false, file_stem(c->arena, source),
                            &image, &size))
        return false;
    bool ok = write_file(output, image, size);
    free(image);
    return ok;
}

bool compile_device_output(const struct compilation *c, const char *source, const char *output) {
    return run_cuda_action(c->options->phase == CC_PTX ? write_ptx : write_image, c, source,
                           output);
}

bool compile_preprocess(const struct compilation *c, const struct cc_input *in,
                        const char *output) {
    struct command cmd;
    if (in->language == CC_CUDA)
        clang_host_pass(&cmd, c, in->path, NULL);
    else
        clang_plain_pass(&cmd, c, in->path, in->language);
    clang_dependency_flags(&cmd, c, in->path, NULL);
    if (c->options->phase == CC_PREPROCESS)
        command_arg(&cmd, "-E");
    if (output) {
        command_arg(&cmd, "-o");
        command_arg(&cmd, output);
    }
    return command_run(&cmd);
}
