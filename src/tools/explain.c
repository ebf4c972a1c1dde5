// kudzu explain: how each kernel of a program becomes SIMD code, with the source line of what
// costs.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/compile.h"
#include "cc/options.h"
#include "jit/jit.h"
#include "support/environment.h"
#include "support/strbuf.h"
#include "support/whole_file.h"
#include "tools/tools.h"

static void print_help(void) {
    puts("Usage: kudzu explain [options] prog.cu [options of kudzu cc]\n\n"
         "Says of each kernel how it runs on the CPU, and line by line what stays scalar, where\n"
         "gathers, masks or stacks are needed, and why. Also reads PTX (prog.ptx).\n\n"
         "  --kernel=NAME     only kernels with NAME in their name\n"
         "  --block=X[,Y[,Z]] threads of a block; else what the kernel demands, or 256\n"
         "  --width=N         threads of a vector: 1, 8, 16 or 32; else as chosen\n"
         "  --cpu=LEVEL       x86-64-v2, x86-64-v3 or x86-64-v4; else this machine's\n"
         "  --all             also what costs nothing\n\n"
         "docs/performance.md tells what to do about each.");
}

struct request {
    const char *source, *kernel;
    bool all;
    struct kd_spec spec;
    cc_strings compiler; // options for kudzu cc
};

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

static bool read_option(struct request *r, struct arena *arena, const char *arg) {
    if (!strcmp(arg, "--all"))
        r->all = true;
    else if (!strncmp(arg, "--kernel=", 9))
        r->kernel = arg + 9;
    else if (!strncmp(arg, "--block=", 8))
        return read_block(arg + 8, r->spec.ntid) ||
               cc_error("'%s': a block has 1 to 1024 threads, written X, X,Y or X,Y,Z", arg);
    else if (!strncmp(arg, "--width=", 8))
        return read_width(arg + 8, &r->spec.width) ||
               cc_error("'%s': the width is 1, 8, 16 or 32", arg);
    else if (!strncmp(arg, "--cpu=", 6))
        return read_level(arg + 6, &r->spec.level) ||
               cc_error("'%s': the CPU is x86-64-v2, x86-64-v3 or x86-64-v4", arg);
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
    char *path = arena_printf(arena, "%s/kudzu-explain-XXXXXX", base && *base ? base : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0)
        return cc_error("cannot make the file %s: %s", path, strerror(errno)), NULL;
    close(fd);
    cc_strings args = {0};
    static const char *const before[] = {"kudzu cc", "-O3", "-lineinfo", "-ptx", "-o"};
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
    unlink(path);
    return text;
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

static struct kd_spec spec_for(const struct request *r, const struct kj_kernel *k) {
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

static bool explain_kernel(const struct request *r, struct kj_module *m, uint32_t n,
                           struct source *source) {
    const struct kj_kernel *k = &jit.info(m)->kernels[n];
    struct kd_spec s = spec_for(r, k);
    char log[2048] = "";
    char *name = jit.demangle ? jit.demangle(k->name, NULL, NULL, NULL) : NULL;
    char *report = jit.explain(m, n, &s, r->all, log, sizeof log);
    printf("%s, blocks of %u x %u x %u threads\n", name ? name : k->name, s.ntid[0], s.ntid[1],
           s.ntid[2]);
    if (report)
        print_report(report, source);
    else
        cc_error("kernel %s: %s", k->name, log);
    puts("");
    free(name);
    free(report);
    return report != NULL;
}

static bool explain(const struct request *r, const char *ptx) {
    char log[4096] = "";
    struct kj_module *m = jit.load(ptx, strlen(ptx), log, sizeof log);
    struct source source = {0};
    unsigned shown = 0;
    bool ok = true;
    if (!m)
        return cc_error("%s: %s", r->source, log);
    for (uint32_t k = 0; k < jit.info(m)->nkernels; k++)
        if (!r->kernel || strstr(jit.info(m)->kernels[k].name, r->kernel)) {
            ok &= explain_kernel(r, m, k, &source);
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
    struct request r = {0};
    for (int k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h"))
            return print_help(), 0;
        if (!read_option(&r, &arena, argv[k]))
            return 1;
    }
    if (!r.source)
        return cc_error("no program to explain; `kudzu explain --help` tells more"), 1;
    if (!open_jit())
        return 1;
    char *ptx = ends_with(r.source, ".ptx") ? read_text(r.source) : compile(&r, &arena);
    if (!ptx)
        return cc_error("%s gave no PTX to explain", r.source), 1;
    bool ok = explain(&r, ptx);
    free(ptx);
    arena_free(&arena);
    return !ok;
}
