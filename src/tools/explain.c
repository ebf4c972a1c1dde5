// kudzu explain: how each kernel of a program becomes SIMD code, with the source line of what
// costs.
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/jit.h"
#include "cc/driver/compile.h"
#include "cc/options/options.h"
#include "cc/processes/file_io.h"
#include "cc/processes/temporaries.h"
#include "support/environment.h"
#include "support/strbuf.h"
#include "support/whole_file.h"
#include "tools/cached_program.h"
#include "tools/launched_shapes.h"
#include "tools/tools.h"

static void print_help(void) {
    puts("Usage: kudzu explain [options] prog.cu [options of kudzu cc] [-- arguments]\n\n"
         "Says of each kernel how it runs on the CPU, and line by line what stays scalar, where\n"
         "gathers, masks or stacks are needed, and why. For that the program is run, with the\n"
         "arguments: a kernel is explained for each shape of blocks that it is launched with.\n"
         "Without a main function, for kernels that are not launched, and for PTX (prog.ptx)\n"
         "blocks are what the kernel demands, or 256 threads.\n\n"
         "  --kernel=NAME     only kernels with NAME in their name\n"
         "  --block=X[,Y[,Z]] threads of a block; the program is not run\n"
         "  --seconds=N       end the program after so long (10); what it launched counts\n"
         "  --width=N         threads of a vector: 1, 8, 16 or 32; else as chosen\n"
         "  --cpu=LEVEL       x86-64-v2, x86-64-v3 or x86-64-v4; else this machine's\n"
         "  --all             also what costs nothing\n"
         "  --plan            instead: each operation's representation, mask and access\n\n"
         "docs/performance.md tells what to do about each.");
}

static const char *const own_options[] = {"kernel", "block", "seconds", "width",
                                          "cpu",    "all",   "plan",    "help"};

struct request {
    const char *source, *kernel;
    enum kj_explained what;
    struct kd_spec spec;
    unsigned seconds;
    cc_strings compiler;  // options for kudzu cc
    cc_strings arguments; // of the program
};

enum { DEFAULT_SECONDS = 10, SHAPES = 8 }; // shapes of a kernel that are explained

// ---- the command line ------------------------------------------------------------------------

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

static bool read_block(const char *text, uint32_t n[3]) {
    unsigned x = 0, y = 1, z = 1;
    char rest;
    int got = sscanf(text, "%u,%u,%u%c", &x, &y, &z, &rest);
    n[0] = x;
    n[1] = y;
    n[2] = z;
    return got >= 1 && got <= 3 && x && y && z && (uint64_t)x * y * z <= 1024;
}

static bool read_level(const char *text, uint32_t *level) {
    static const char *const names[] = {[KD_LEVEL_X86_64_V2] = "x86-64-v2",
                                        [KD_LEVEL_X86_64_V3] = "x86-64-v3",
                                        [KD_LEVEL_X86_64_V4] = "x86-64-v4"};
    for (uint32_t k = KD_LEVEL_X86_64_V2; k <= KD_LEVEL_X86_64_V4; k++)
        if (!strcmp(text, names[k])) {
            *level = k;
            return true;
        }
    return false;
}

static bool read_width(const char *text, uint32_t *width) {
    *width = (uint32_t)atoi(text);
    return *width == 1 || *width == 8 || *width == 16 || *width == 32;
}

static bool read_seconds(const char *text, unsigned *seconds) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    *seconds = (unsigned)n;
    return end != text && !*end && n >= 1 && n <= 3600;
}

// The value of `--name=value`; NULL: arg is another option.
static const char *value_of(const char *arg, const char *name) {
    size_t n = strlen(name);
    return !strncmp(arg, name, n) && arg[n] == '=' ? arg + n + 1 : NULL;
}

// The option at argv[*k]; one of explain's own with its value behind it, as in `--block 16,16`, is
// both words.
static const char *option_at(struct arena *arena, int argc, char **argv, int *k) {
    static const char *const with_value[] = {"--kernel", "--block", "--seconds", "--width",
                                             "--cpu"};
    const char *arg = argv[*k];
    for (size_t n = 0; n < sizeof with_value / sizeof *with_value; n++)
        if (!strcmp(arg, with_value[n]) && *k + 1 < argc)
            return arena_printf(arena, "%s=%s", arg, argv[++*k]);
    return arg;
}

static bool read_option(struct request *r, struct arena *arena, const char *arg) {
    const char *value;
    if (!strcmp(arg, "--all"))
        r->what = KJ_EXPLAIN_ALL;
    else if (!strcmp(arg, "--plan"))
        r->what = KJ_EXPLAIN_PLAN;
    else if ((value = value_of(arg, "--kernel")))
        r->kernel = value;
    else if ((value = value_of(arg, "--block")))
        return read_block(value, r->spec.ntid) ||
               cc_error("'%s': a block has 1 to 1024 threads, written X, X,Y or X,Y,Z", arg);
    else if ((value = value_of(arg, "--width")))
        return read_width(value, &r->spec.width) ||
               cc_error("'%s': the width is 1, 8, 16 or 32", arg);
    else if ((value = value_of(arg, "--cpu")))
        return read_level(value, &r->spec.level) ||
               cc_error("'%s': the CPU is x86-64-v2, x86-64-v3 or x86-64-v4", arg);
    else if ((value = value_of(arg, "--seconds")))
        return read_seconds(value, &r->seconds) ||
               cc_error("'%s': a number of seconds from 1 to 3600", arg);
    else if (*arg != '-' && !r->source && is_folder(arg))
        return cc_error("%s is a folder; name the program's source in it (.cu or .ptx)", arg);
    else if (*arg != '-' && (ends_with(arg, ".cu") || ends_with(arg, ".ptx")) && !r->source)
        r->source = arg;
    else
        vec_push(arena, &r->compiler, arg);
    return true;
}

// ---- from source to PTX ----------------------------------------------------------------------

static char *read_text(const char *path) {
    struct whole_file f;
    if (!whole_file_read(&f, path, WHOLE_FILE_PIPES, 1ull << 32))
        cc_error("cannot read %s: %s", path, f.why);
    return f.data;
}

static char *compile(const struct request *r, struct arena *arena) {
    const char *base = environment_get("TMPDIR");
    char *folder = arena_printf(arena, "%s/kudzu-explain-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        return cc_error("cannot make the folder %s: %s", folder, strerror(errno)), NULL;
    temporaries_add(folder);
    const char *path = arena_printf(arena, "%s/program.ptx", folder);
    cc_strings args = {0};
    static const char *const before[] = {"kudzu", "-O3", "-lineinfo", "-ptx", "-o"};
    for (size_t k = 0; k < sizeof before / sizeof *before; k++)
        vec_push(arena, &args, before[k]);
    vec_push(arena, &args, path);
    for (uint32_t k = 0; k < r->compiler.len; k++)
        vec_push(arena, &args, r->compiler.data[k]);
    vec_push(arena, &args, r->source);
    struct cc_options o;
    char *text = NULL;
    if (options_parse(&o, arena, (int)args.len, (char **)args.data) &&
        kudzu_cc_options(&o, arena) == 0)
        text = read_text(path);
    temporaries_remove(folder);
    return text;
}

// ---- the shapes that are launched --------------------------------------------------------------

static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void note(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fputs("kudzu explain: note: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
}

// Whether the text has `main(`: comments and strings count, too.
static bool has_main(const char *path) {
    char *text = read_text(path);
    bool found = false;
    for (const char *p = text; p && !found && (p = strstr(p, "main")); p += 4) {
        bool whole = p == text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_');
        found = whole && p[4 + strspn(p + 4, " \t\n")] == '(';
    }
    free(text);
    return found;
}

static void print_last_line(int file) {
    char text[1024];
    off_t size = lseek(file, 0, SEEK_END),
          from = size > (off_t)sizeof text - 1 ? size - (off_t)sizeof text + 1 : 0;
    ssize_t n = pread(file, text, sizeof text - 1, from);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    if (n <= 0)
        return;
    text[n] = 0;
    char *line = strrchr(text, '\n');
    note("the last that it printed: %s", line ? line + 1 : text);
}

static void note_end(const struct request *r, const struct launched_shapes *l) {
    bool more;
    if (l->stopped)
        note("%s was ended after %u s (--seconds=N gives it more time): what it launched until "
             "then counts",
             r->source, r->seconds);
    else if (WIFSIGNALED(l->status))
        note("%s was ended by a signal: %s", r->source, strsignal(WTERMSIG(l->status)));
    else if (l->status)
        note("%s ended with status %d (its arguments go behind --)", r->source,
             WEXITSTATUS(l->status));
    if (l->stopped || l->status)
        print_last_line(l->output);
    if (!launched_shapes_count(l, &more))
        note("%s launched no kernel: blocks of 256 threads are assumed where a kernel demands none "
             "(--block=X,Y,Z gives another shape; arguments of the program go behind --)",
             r->source);
    else if (more)
        note("there are more shapes than are kept; the first ones are explained");
}

static void find_shapes(const struct request *r, struct arena *arena, struct launched_shapes *l) {
    cc_strings args = {0};
    int source;
    if (r->spec.ntid[0])
        return;
    if (ends_with(r->source, ".ptx") || !has_main(r->source)) {
        note("%s has no main function that could be run: blocks of 256 threads are assumed where a "
             "kernel demands none (--block=X,Y,Z gives another shape)",
             r->source);
        return;
    }
    vec_push(arena, &args, "-w"); // warnings have been shown
    for (uint32_t k = 0; k < r->compiler.len; k++)
        vec_push(arena, &args, r->compiler.data[k]);
    vec_push(arena, &args, r->source);
    const char *program = cached_program(arena, (int)args.len, (char **)args.data, &source);
    if (!program) {
        note("%s cannot be run: blocks of 256 threads are assumed where a kernel demands none "
             "(--block=X,Y,Z gives another shape)",
             r->source);
        return;
    }
    cc_strings argv = {0};
    vec_push(arena, &argv, file_stem(arena, r->source));
    for (uint32_t k = 0; k < r->arguments.len; k++)
        vec_push(arena, &argv, r->arguments.data[k]);
    vec_push(arena, &argv, NULL);
    launched_shapes_run(l, program, (char **)argv.data, r->seconds);
    if (l->report)
        note_end(r, l);
}

// ---- the report ------------------------------------------------------------------------------

static struct {
    __typeof__(kj_module_load) *load;
    __typeof__(kj_module_free) *free;
    __typeof__(kj_module_info) *info;
    __typeof__(kj_explain) *explain;
    char *(*demangle)(const char *, char *, size_t *, int *);
} jit;

static bool open_jit(void) {
    void *lib = dlopen("libkudzu-jit.so", RTLD_NOW | RTLD_LOCAL);
    void *cxx = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return cc_error("explaining needs libkudzu-jit.so: %s", dlerror());
    *(void **)&jit.load = dlsym(lib, "kj_module_load");
    *(void **)&jit.free = dlsym(lib, "kj_module_free");
    *(void **)&jit.info = dlsym(lib, "kj_module_info");
    *(void **)&jit.explain = dlsym(lib, "kj_explain");
    if (cxx)
        *(void **)&jit.demangle = dlsym(cxx, "__cxa_demangle");
    return (jit.load && jit.free && jit.info && jit.explain) ||
           cc_error("libkudzu-jit.so is of another version");
}

// The text of a file's line, without what stands before and after it; NULL: not to be had.
struct source {
    char *path, *text;
};

static void print_source_line(struct source *s, const char *path, unsigned line) {
    if (!s->path || strcmp(s->path, path) != 0) {
        free(s->path);
        free(s->text);
        s->path = strdup(path);
        s->text = read_text(path);
    }
    const char *p = s->text;
    for (unsigned n = 1; p && n < line; n++)
        p = (p = strchr(p, '\n')) ? p + 1 : NULL;
    const char *slash = strrchr(path, '/');
    printf("  %s:%u:", slash ? slash + 1 : path, line);
    if (p)
        p += strspn(p, " \t");
    printf(p ? "  %.*s\n" : "\n", p ? (int)strcspn(p, "\n") : 0, p);
}

// "path:line: + text": splits it. False for a line about the whole kernel.
static bool split(char *text, char **path, unsigned *line, char **note) {
    char *end = strstr(text, ": - "), *good = strstr(text, ": + ");
    if (!end || (good && good < end))
        end = good;
    if (*text == '+' || *text == '-' || !end)
        return false;
    *end = 0;
    char *colon = strrchr(text, ':');
    if (!colon)
        return false;
    *colon = 0;
    *path = text;
    *line = (unsigned)strtoul(colon + 1, NULL, 10);
    *note = end + 2;
    return true;
}

static void print_report(char *report, struct source *source) {
    char last[4096] = "";
    unsigned last_line = 0;
    for (char *save = NULL, *l = strtok_r(report, "\n", &save); l;
         l = strtok_r(NULL, "\n", &save)) {
        char *path, *note;
        unsigned line;
        if (!split(l, &path, &line, &note)) {
            printf("  %s\n", l);
            continue;
        }
        if (line != last_line || strcmp(path, last) != 0)
            print_source_line(source, path, line);
        snprintf(last, sizeof last, "%s", path);
        last_line = line;
        printf("      %s\n", note);
    }
}

// A shape that the kernel has not been launched with, as far as is known.
static struct kd_spec assumed_spec(const struct request *r, const struct kj_kernel *k) {
    struct kd_spec s = r->spec;
    if (!s.ntid[0])
        memcpy(s.ntid, k->reqntid, sizeof s.ntid);
    for (int d = 0; d < 3; d++)
        if (!s.ntid[d])
            s.ntid[d] = d ? 1 : k->maxntid[0] && k->maxntid[0] < 256 ? k->maxntid[0] : 256;
    unsigned threads = s.ntid[0] * s.ntid[1] * s.ntid[2];
    s.flags = KD_SPEC_ALIGNED_PARAMS | KD_SPEC_SMALL_GRID |
              (threads % KD_WARP ? 0 : KD_SPEC_FULL_WARPS) |
              (s.ntid[1] == 1 && s.ntid[2] == 1 ? KD_SPEC_1D : 0);
    return s;
}

// The different shapes that the kernel was launched with, as the launches wanted its code.
static uint32_t launched_specs(const struct request *r, const struct launched_shapes *l,
                               const char *kernel, struct kd_spec out[SHAPES]) {
    bool more;
    uint32_t count = 0, all = launched_shapes_count(l, &more);
    for (uint32_t k = 0; k < all && count < SHAPES; k++) {
        const struct run_report_shape *shape = &l->report->shapes[k];
        bool known = !launched_shapes_is_of(l, k, kernel);
        for (uint32_t n = 0; n < count && !known; n++)
            known = !memcmp(out[n].ntid, shape->block, sizeof shape->block);
        if (known)
            continue;
        out[count] = r->spec;
        memcpy(out[count].ntid, shape->block, sizeof shape->block);
        out[count++].flags = shape->flags;
    }
    return count;
}

// "@ path:line" at the report's head, which is passed over.
static char *begin_of(char *report, char **rest) {
    *rest = report;
    if (strncmp(report, "@ ", 2) != 0)
        return "";
    char *end = strchr(report, '\n'), *slash;
    *end = 0;
    *rest = end + 1;
    slash = strrchr(report, '/');
    return slash ? slash + 1 : report + 2;
}

static void print_heading(const char *name, const char *place, const struct kd_spec *s,
                          const char *why) {
    printf("%s%s%s, blocks of %u x %u x %u threads%s\n", name, *place ? ", " : "", place,
           s->ntid[0], s->ntid[1], s->ntid[2], why);
}

// Shapes for which there is the same to say have one report.
static bool explain_specs(const struct request *r, struct kj_module *m, uint32_t n,
                          const struct kd_spec *specs, uint32_t count, const char *why,
                          struct source *source) {
    const struct kj_kernel *k = &jit.info(m)->kernels[n];
    char *name = jit.demangle ? jit.demangle(k->name, NULL, NULL, NULL) : NULL;
    char *reports[SHAPES] = {0}, *rest;
    bool ok = true;
    for (uint32_t i = 0; i < count; i++) {
        char log[2048] = "";
        reports[i] = jit.explain(m, n, &specs[i], r->what, log, sizeof log);
        if (!reports[i])
            ok = cc_error("kernel %s: %s", k->name, log);
    }
    for (uint32_t i = 0; i < count; i++) {
        bool next = i + 1 < count && reports[i] && reports[i + 1];
        bool same = next && !strcmp(reports[i], reports[i + 1]);
        char *copy = reports[i] ? strdup(reports[i]) : NULL;
        if (!copy)
            continue;
        print_heading(name ? name : k->name, begin_of(copy, &rest), &specs[i], why);
        if (!same) {
            if (r->what == KJ_EXPLAIN_PLAN)
                fputs(rest, stdout);
            else
                print_report(rest, source);
            puts("");
        }
        free(copy);
    }
    for (uint32_t i = 0; i < count; i++)
        free(reports[i]);
    free(name);
    return ok;
}

static bool explain_kernel(const struct request *r, const struct launched_shapes *l,
                           struct kj_module *m, uint32_t n, struct source *source) {
    const struct kj_kernel *k = &jit.info(m)->kernels[n];
    struct kd_spec specs[SHAPES];
    uint32_t count = launched_specs(r, l, k->name, specs);
    if (count)
        return explain_specs(r, m, n, specs, count, "", source);
    bool demanded = !r->spec.ntid[0] && k->reqntid[0];
    specs[0] = assumed_spec(r, k);
    return explain_specs(r, m, n, specs, 1,
                         r->spec.ntid[0] ? ""
                         : l->report     ? " (not launched)"
                         : demanded      ? " (demanded)"
                                         : " (assumed)",
                         source);
}

static bool explain(const struct request *r, const struct launched_shapes *l, const char *ptx) {
    char log[4096] = "";
    struct kj_module *m = jit.load(ptx, strlen(ptx), log, sizeof log);
    struct source source = {0};
    unsigned shown = 0;
    bool ok = true;
    if (!m)
        return cc_error("%s: %s", r->source, log);
    for (uint32_t k = 0; k < jit.info(m)->nkernels; k++)
        if (!r->kernel || strstr(jit.info(m)->kernels[k].name, r->kernel)) {
            ok &= explain_kernel(r, l, m, k, &source);
            shown++;
        }
    free(source.path);
    free(source.text);
    jit.free(m);
    if (!shown)
        return cc_error("%s has no kernel%s%s", r->source, r->kernel ? " with the name " : "",
                        r->kernel ? r->kernel : "");
    return ok;
}

int tool_explain(int argc, char **argv) {
    struct arena arena = {0};
    struct request r = {.seconds = DEFAULT_SECONDS};
    struct launched_shapes launched = {0};
    int k = 1;
    options_of_command(own_options, sizeof own_options / sizeof own_options[0]);
    for (; k < argc && strcmp(argv[k], "--") != 0; k++) {
        if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h"))
            return print_help(), 0;
        if (!read_option(&r, &arena, option_at(&arena, argc, argv, &k)))
            return 1;
    }
    for (k++; k < argc; k++)
        vec_push(&arena, &r.arguments, argv[k]);
    if (!r.source)
        return cc_error("no program to explain; `kudzu explain --help` tells more"), 1;
    if (!open_jit())
        return 1;
    char *ptx = ends_with(r.source, ".ptx") ? read_text(r.source) : compile(&r, &arena);
    if (!ptx)
        return 1;
    find_shapes(&r, &arena, &launched);
    bool ok = explain(&r, &launched, ptx);
    free(ptx);
    arena_free(&arena);
    return !ok;
}
