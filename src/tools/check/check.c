// kudzu check: runs a program whose kernels and calls are checked, and tells what was found.
#define _GNU_SOURCE // memfd_create
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cc/driver/compile.h"
#include "cc/options/options.h"
#include "cc/processes/cc.h"
#include "support/check/check_filter.h"
#include "support/check/check_tools.h"
#include "support/environment.h"
#include "support/run_report.h"
#include "tools/cached_program.h"
#include "tools/check/options.h"
#include "tools/check/records.h"
#include "tools/check/results.h"
#include "tools/check/schedules.h"
#include "tools/check/source_line.h"
#include "tools/check/suppressions.h"
#include "tools/program_cache.h"
#include "tools/supervise.h"
#include "tools/tools.h"

struct module_file {
    const char *module;
    struct debug_file *file; // NULL: it cannot be read
};

struct check {
    struct arena arena;
    struct check_options o;
    check_suppressions suppressions;
    struct check_records records;
    struct check_results results;
    FILE *text;
    VEC(struct check_record) held; // told later or not at all
    uint32_t before;               // reports of earlier runs
    uint64_t leaked, leaks, suppressed;
    const char *program_path;
    VEC(struct module_file) files;
    // Who takes the records while the program runs.
    pthread_t thread;
    bool thread_runs;
    atomic_bool ended;
    int process;
};

// ---- Reports ------------------------------------------------------------------------------

struct check_place check_place_of(const struct check_record *r) {
    for (uint32_t k = 0; k < r->nsites; k++)
        if (r->sites[k].file)
            return (struct check_place){r->sites[k].file, r->sites[k].line};
    for (uint32_t k = 0; k < r->nframes; k++)
        if (r->frames[k].file)
            return (struct check_place){r->frames[k].file, r->frames[k].line};
    return (struct check_place){0};
}

// The file of a module; that of the program may be gone.
static struct debug_file *file_of(struct check *c, const char *module) {
    for (uint32_t k = 0; k < c->files.len; k++)
        if (!strcmp(c->files.data[k].module, module))
            return c->files.data[k].file;
    const char *path = *module ? module : c->program_path;
    vec_push(&c->arena, &c->files, (struct module_file){module, debug_file_open(&c->arena, path)});
    return vec_last(&c->files).file;
}

// Names and lines of the host's frames. What lies below main is left out.
static void find_lines(struct check *c, struct check_record *r) {
    for (uint32_t k = 0; k < r->nframes; k++) {
        struct check_frame *f = &r->frames[k];
        struct debug_file *d = file_of(c, f->module);
        // The call is before the address to which it returns.
        const char *symbol = d ? debug_file_function(d, f->offset - 1) : NULL;
        f->symbol = symbol ? symbol : f->symbol;
        if (d)
            debug_file_line(d, f->offset - 1, &f->file, &f->line);
        char *written = f->symbol ? run_report_demangle(f->symbol) : NULL;
        bool is_main = f->symbol && !strcmp(f->symbol, "main");
        if (written)
            f->symbol = arena_strdup(&c->arena, written);
        free(written);
        if (is_main && !c->o.all_frames)
            r->nframes = k + 1;
    }
}

static bool is_wanted(const struct check *c, const struct check_record *r) {
    if (c->o.one_process && r->process != c->process)
        return false;
    if (!c->o.with_heap && !strcmp(r->kind, "memory.heap"))
        return false;
    if (!c->o.with_copies && !strcmp(r->kind, "memory.copy"))
        return false;
    return !c->o.ignores_missing_functions || !r->call || !strstr(r->call, "GetProcAddress");
}

static const char *without_folder(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

// The name before its parameters.
static const char *simple_name(struct arena *arena, const char *name) {
    return name ? arena_strndup(arena, name, strcspn(name, "(")) : NULL;
}

// As options have it for the text: names, paths, frames.
static struct check_record dressed(struct check *c, const struct check_record *r) {
    struct check_record d = *r;
    for (uint32_t k = 0; k < d.nsites; k++) {
        if (c->o.strips_paths)
            d.sites[k].file = without_folder(d.sites[k].file);
        if (c->o.simple_names)
            d.sites[k].function = simple_name(&c->arena, d.sites[k].function);
    }
    for (uint32_t k = 0; k < d.nframes && c->o.strips_paths; k++)
        d.frames[k].file = without_folder(d.frames[k].file);
    if (c->o.simple_names)
        d.kernel = simple_name(&c->arena, d.kernel);
    if (!c->o.host_frames)
        d.nframes = 0;
    if (c->o.most_frames && d.nframes > c->o.most_frames)
        d.nframes = c->o.most_frames;
    return d;
}

static bool is_same(const struct check_record *a, const struct check_record *b) {
    bool same = !strcmp(a->what, b->what) && a->nsites == b->nsites && a->nframes == b->nframes;
    for (uint32_t k = 0; same && k < a->nsites; k++)
        same = !strcmp(a->sites[k].function, b->sites[k].function) &&
               a->sites[k].line == b->sites[k].line && a->sites[k].offset == b->sites[k].offset;
    for (uint32_t k = 0; same && k < a->nframes; k++)
        same = a->frames[k].offset == b->frames[k].offset;
    return same && (a->nsites || a->nframes);
}

// Has an earlier run told of it?
static bool is_again(const struct check *c, const struct check_record *r) {
    for (uint32_t k = 0; k < c->before; k++)
        if (is_same(&c->results.records.data[k], r))
            return true;
    return false;
}

static void tell(struct check *c, const struct check_record *r) {
    if (!is_wanted(c, r) || is_again(c, r))
        return;
    if (check_suppressed(&c->suppressions, r)) {
        c->suppressed++;
        return;
    }
    c->leaked += r->leaked;
    c->leaks += r->leaked > 0;
    vec_push(&c->arena, &c->results.records, *r);
    if (c->o.print_limit && c->results.records.len > c->o.print_limit)
        return;
    struct check_record d = dressed(c, r);
    check_record_print(&d, c->o.prefix, c->text);
    fflush(c->text);
}

// Ends what is held of a thread: it is told, or forgotten.
static void end_held(struct check *c, const struct check_record *of, bool calls_alone, bool tells) {
    uint32_t left = 0;
    for (uint32_t k = 0; k < c->held.len; k++) {
        struct check_record *r = &c->held.data[k];
        bool ends = r->process == of->process && r->host_thread == of->host_thread &&
                    (!calls_alone || !strcmp(r->held, "call"));
        if (ends && tells)
            tell(c, r);
        if (!ends)
            c->held.data[left++] = *r;
    }
    c->held.len = left;
}

static void take(void *data, struct check_record *r) {
    struct check *c = data;
    if (!strcmp(r->kind, "seen")) {
        end_held(c, r, false, false);
    } else if (!strcmp(r->kind, "next")) {
        end_held(c, r, true, true);
    } else {
        find_lines(c, r);
        if (r->held)
            vec_push(&c->arena, &c->held, *r);
        else
            tell(c, r);
    }
}

// ---- The run ------------------------------------------------------------------------------

static uint64_t seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec;
}

static void *take_all(void *data) {
    struct check *c = data;
    enum { SLICE_US = 20000 };
    uint64_t began = seconds_now(), told = 0;
    while (!atomic_load(&c->ended)) {
        check_records_take(&c->records);
        usleep(SLICE_US);
        uint64_t now = seconds_now() - began;
        if (!c->o.progress || now < told + c->o.progress)
            continue;
        told = now;
        fprintf(stderr, "%s %" PRIu64 " seconds so far, %zu errors\n", c->o.prefix, now,
                (size_t)c->results.records.len);
    }
    return NULL;
}

static void started(void *data, int process) {
    struct check *c = data;
    c->process = process;
    c->thread_runs = !pthread_create(&c->thread, NULL, take_all, c);
}

static void set_environment(struct check *c) {
    setenv(CHECK_TOOLS_VARIABLE, c->o.tools, 1);
    if (c->o.kernels.len)
        setenv(CHECK_FILTER_VARIABLE, strbuf_str(&c->o.kernels), 1);
    else
        unsetenv(CHECK_FILTER_VARIABLE);
    if (c->o.blocking)
        setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    if (c->o.host_access)
        setenv("KUDZU_HOST_ACCESS", "1", 1);
    if (c->o.preload) {
        const char *before = environment_get("LD_PRELOAD");
        setenv("LD_PRELOAD",
               before && *before ? arena_printf(&c->arena, "%s:%s", c->o.preload, before)
                                 : c->o.preload,
               1);
    }
    setenv("KUDZU_DEVICE", "cpu", 1);
    setenv("KUDZU_HANG_SECONDS", "10", 0);
}

// The program's status of waitpid, or -1.
static int run_once(struct check *c, int fd, const char *program, char **arguments,
                    struct supervised *s) {
    s->started = started;
    s->data = c;
    int status = supervise_child(fd, program, arguments, s);
    atomic_store(&c->ended, true);
    if (c->thread_runs)
        pthread_join(c->thread, NULL);
    check_records_take(&c->records);
    for (uint32_t k = 0; k < c->held.len; k++)
        tell(c, &c->held.data[k]);
    c->held.len = 0;
    c->thread_runs = false;
    atomic_store(&c->ended, false);
    return status;
}

static void copy_to_output(int fd) {
    char piece[4096];
    off_t at = 0;
    for (ssize_t n; (n = pread(fd, piece, sizeof piece, at)) > 0; at += n)
        fwrite(piece, 1, (size_t)n, stdout);
    fflush(stdout);
}

static int new_file(void) {
    int fd = memfd_create("kudzu-check", MFD_CLOEXEC);
    if (fd < 0)
        cc_error("no file for what the program writes: %s", strerror(errno));
    return fd;
}

// One worker has one order. Lanes that __activemask names need not be at one place: in other orders
// each is alone.
static void set_schedule(struct check *c, uint64_t schedule, int outputs) {
    setenv("KUDZU_WORKERS", "1", 1);
    setenv("KUDZU_SCHEDULE", arena_printf(&c->arena, "%" PRIu64, schedule), 1);
    setenv("KUDZU_SCHEDULE_OUTPUTS",
           arena_printf(&c->arena, "/proc/%d/fd/%d", (int)getpid(), outputs), 1);
    setenv(CHECK_TOOLS_VARIABLE,
           schedule ? arena_printf(&c->arena, "%s,apart", c->o.tools) : c->o.tools, 1);
}

// Runs with threads in other orders. The output is that of the first, and so is the status.
static int run_all(struct check *c, int fd, const char *program, char **arguments,
                   struct supervised *s) {
    struct check_run first = {0};
    int outputs = new_file();
    bool differs = false; // told once
    for (uint64_t k = 0; outputs >= 0 && k < c->o.schedules; k++) {
        struct check_run run = {.schedule = check_schedule_of(c->o.seed, k), .output = new_file()};
        struct supervised later = {0}, *of = k ? &later : s;
        struct check_record r;
        if (run.output < 0)
            return -1;
        set_schedule(c, run.schedule, outputs);
        of->output = run.output;
        c->before = c->results.records.len;
        run.status = run_once(c, fd, program, arguments, of);
        if (run.status < 0)
            return -1;
        if (!k) {
            first = run;
            copy_to_output(run.output);
            continue;
        }
        if (!differs && (differs = check_runs_differ(&c->arena, &first, &run, &r)))
            tell(c, &r);
        close(run.output);
    }
    return outputs < 0 ? -1 : first.status;
}

static int run(struct check *c, int fd, const char *program, char **arguments,
               struct supervised *s) {
    int status = c->o.schedules ? run_all(c, fd, program, arguments, s)
                                : run_once(c, fd, program, arguments, s);
    check_records_close(&c->records);
    return status;
}

// ---- What is written ----------------------------------------------------------------------

static void print_summary(struct check *c) {
    const char *p = c->o.prefix;
    uint32_t n = c->results.records.len;
    if (c->o.print_limit && n > c->o.print_limit)
        fprintf(c->text, "%s WARNING: only the first %" PRIu64 " errors were printed\n", p,
                c->o.print_limit);
    if (c->suppressed && !c->o.quiet)
        fprintf(c->text, "%s Suppressed: %" PRIu64 "\n", p, c->suppressed);
    if (c->o.leaks)
        fprintf(c->text, "%s LEAK SUMMARY: %" PRIu64 " bytes leaked in %" PRIu64 " allocations\n",
                p, c->leaked, c->leaks);
    if (c->o.sanitizer && c->o.race_alone)
        fprintf(c->text,
                "%s RACECHECK SUMMARY: %" PRIu32 " hazard%s displayed (%" PRIu32
                " error%s, 0 warnings)\n",
                p, n, n == 1 ? "" : "s", n, n == 1 ? "" : "s");
    else if (!c->o.quiet || n)
        fprintf(c->text, "%s ERROR SUMMARY: %" PRIu32 " error%s\n", p, n, n == 1 ? "" : "s");
    fflush(c->text);
}

static bool write_results(struct check *c) {
    static void (*const writers[])(FILE *, const struct check_results *) = {
        [CHECK_JSON] = check_write_json,
        [CHECK_SARIF] = check_write_sarif,
        [CHECK_JUNIT] = check_write_junit,
        [CHECK_XML] = check_write_xml};
    if (c->o.format == CHECK_TEXT && !c->o.output)
        return true;
    FILE *out = c->o.output ? fopen(c->o.output, "we") : stdout;
    if (!out)
        return cc_error("%s: %s", c->o.output, strerror(errno));
    if (c->o.format != CHECK_TEXT)
        writers[c->o.format](out, &c->results);
    for (uint32_t k = 0; c->o.format == CHECK_TEXT && k < c->results.records.len; k++)
        check_record_print(&c->results.records.data[k], c->o.prefix, out);
    bool good = !ferror(out) && !fflush(out);
    if (c->o.output && fclose(out))
        good = false;
    return good || cc_error("%s cannot be written: %s",
                            c->o.output ? c->o.output : "standard output", strerror(errno));
}

static int exit_status(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int end(struct check *c, int status, struct supervised *s) {
    unsigned bad = supervise_told(s, !c->o.errors);
    int ended = exit_status(status);
    bool used = atomic_load(&s->report->started);
    c->results.status = ended;
    if (ended && c->o.tells_exit_status && !c->o.quiet)
        fprintf(c->text, "%s Target application returned an error\n", c->o.prefix);
    if (!used && c->o.needs_cuda)
        fprintf(c->text,
                "%s Error: Target application terminated before first instrumented API call\n",
                c->o.prefix);
    print_summary(c);
    if (!write_results(c))
        return 1;
    if (c->results.records.len && c->o.error_status)
        return c->o.error_status;
    if (!used && c->o.needs_cuda && !ended)
        return 1;
    return supervise_end(status, bad);
}

// ---- The command --------------------------------------------------------------------------

static bool is_executable(const char *path) {
    return *path != '-' && !cached_program_is_source(path) && !access(path, X_OK);
}

// A name without a folder is looked for as a shell does.
static const char *find_program(struct arena *arena, const char *name) {
    if (strchr(name, '/') || is_executable(name))
        return name;
    const char *path = environment_get("PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        const char *file = arena_printf(arena, "%.*s/%s", (int)n, path, name);
        if (is_executable(file))
            return file;
        path += n + (path[n] == ':');
    }
    return name;
}

// -g: lines of the host.
static const char *compile(struct check *c, int argc, char **argv, int *source) {
    char **all = arena_array(&c->arena, char *, argc + 2);
    all[0] = arena_strdup(&c->arena, "-g");
    memcpy(all + 1, argv, (size_t)argc * sizeof *argv);
    const char *program = cached_program(&c->arena, argc + 1, all, source);
    --*source;
    return program;
}

static bool open_text(struct check *c) {
    c->text = c->o.log_file ? fopen(c->o.log_file, "we") : stdout;
    if (!c->text)
        return cc_error("%s: %s", c->o.log_file, strerror(errno));
    // The format has the standard output for itself.
    if (!c->o.log_file && c->o.format != CHECK_TEXT && !c->o.output)
        c->text = stderr;
    return true;
}

static int check(struct check *c, int argc, char **argv) {
    int source = 0, fd = -1;
    struct supervised s = {0};
    if (c->o.suppressions &&
        !check_suppressions_read(&c->arena, c->o.suppressions, &c->suppressions))
        return 1;
    if (!check_records_open(&c->records) || !open_text(c))
        return 1;
    set_environment(c);
    const char *program = find_program(&c->arena, argv[c->o.at]);
    bool compiled = is_executable(program);
    if (!compiled)
        program = compile(c, argc - c->o.at, argv + c->o.at, &source);
    if (!program)
        return 1;
    char **arguments = argv + c->o.at + source;
    c->results.program = *arguments;
    if (!compiled) {
        *arguments = (char *)file_stem(&c->arena, *arguments);
        fd = open(program, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && !program_cache_discard()) {
            close(fd);
            fd = -1;
        }
    }
    if (!c->o.quiet)
        fprintf(c->text, "%s %s\n", c->o.prefix,
                c->o.sanitizer ? "COMPUTE-SANITIZER" : "KUDZU CHECK");
    fflush(c->text);
    c->program_path = fd < 0 ? program : arena_printf(&c->arena, "/proc/self/fd/%d", fd);
    int status = run(c, fd, program, arguments, &s);
    return status < 0 ? 1 : end(c, status, &s);
}

static int main_of(int argc, char **argv, bool sanitizer) {
    static struct check c;
    int status = check_options_read(&c.arena, argc, argv, sanitizer, &c.o);
    if (status)
        return status < 0 ? 0 : status;
    c.results.arena = c.records.arena = &c.arena;
    c.results.tools = c.o.tools;
    c.records.take = take;
    c.records.data = &c;
    return check(&c, argc, argv);
}

int tool_check(int argc, char **argv) {
    return main_of(argc, argv, false);
}

int tool_compute_sanitizer(int argc, char **argv) {
    return main_of(argc, argv, true);
}
