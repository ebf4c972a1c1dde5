// litmus [n [first]]: the litmus tests (each n-th combination) of the PTX memory model; launched
// once where n is given alone. Each is a kernel in which many groups of threads go through the test
// again and again, after a start together; an outcome that the model forbids fails. What it allows
// is counted only, as a sign that threads meet in their accesses.
#include <cuda.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

enum {
    MAX_THREADS = 4,
    VARIABLES = 3, // x, y, z
    REGISTERS = 4,
    SLOTS = REGISTERS + VARIABLES, // of one outcome
    LANES_OF_WARP = 32,
    TURNS = 40,
    GROUPS = 12, // more blocks than workers
    CLOSE = 8,   // launches of one group, whose threads then meet more closely
    MAX_PTX = 1 << 14
};

static void check(CUresult r, const char *what) {
    const char *name = "?";
    if (r == CUDA_SUCCESS)
        return;
    cuGetErrorName(r, &name);
    printf("%s: %s\n", what, name);
    exit(1);
}

// ---- PTX of one test ----------------------------------------------------------------------

struct text {
    char s[MAX_PTX];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->s + t->n, MAX_PTX - t->n, format, args);
    va_end(args);
    if (n < 0 || t->n + (size_t)n >= MAX_PTX)
        exit((puts("a test is too long"), 2));
    t->n += (size_t)n;
}

// An instruction of a style, with the scope and the state space in place of its %s.
static void add_head(struct text *t, const char *form, const struct setting *set) {
    const char *space = set->shared ? ".shared" : ".global", *p = strstr(form, "%s");
    bool scoped = p && strstr(p + 2, "%s"), fence = !strncmp(form, "fence", 5);
    bool membar = !strncmp(form, "membar", 6);
    const char *with[2] = {scoped || fence ? set->scope : membar ? "" : space, space};
    if (membar)
        with[0] = strcmp(set->scope, "gpu") ? set->scope : "gl";
    add(t, "    ");
    for (int k = 0; *form; form++) {
        if (form[0] == '%' && form[1] == 's') {
            add(t, "%s", with[k++]);
            form++;
        } else {
            add(t, "%c", *form);
        }
    }
}

struct writer {
    struct text *t;
    const struct style *style;
    const struct setting *set;
    unsigned reg;
};

// One access; returns what follows it in the test's text.
static const char *add_step(struct writer *w, const char *s) {
    char op = s[0];
    bool ordered = s[1] == 'r' || s[1] == 'a';
    s += ordered ? 2 : 1;
    if (op == 'F') {
        if (w->style->fence) {
            add_head(w->t, w->style->fence, w->set);
            add(w->t, ";\n");
        }
        return s;
    }
    unsigned at = (unsigned)(s[1] - 'x') * 128;
    if (op == 'W') {
        add_head(w->t, ordered && w->style->release ? w->style->release : w->style->store, w->set);
        add(w->t, " [%%at+%u], %c;\n", at, s[3]);
        return s + 4;
    }
    const char *load = ordered && w->style->acquire ? w->style->acquire : w->style->load;
    bool atomic = op == 'A' || !strncmp(load, "atom", 4);
    add_head(w->t, op == 'A' ? "atom.relaxed.%s%s.add.u32" : load, w->set);
    add(w->t, " %%v, [%%at+%u]%s;\n", at, op == 'A' ? ", 1" : atomic ? ", 0" : "");
    add(w->t, "    st.global.u32 [%%result+%u], %%v;\n", w->reg++ * 128);
    return s + 2;
}

static void add_threads(struct writer *w, const char *s) {
    for (unsigned k = 0;; k++) {
        add(w->t, "    setp.ne.u32 %%p, %%role, %u;\n    @%%p bra after%u;\n", k, k);
        while (*s && *s != '|')
            s = *s == ' ' ? s + 1 : add_step(w, s);
        add(w->t, "after%u:\n", k);
        if (!*s++)
            return;
    }
}

// All threads of the test come together; it is the `which`-th time in a turn.
static void add_meeting(struct text *t, const struct setting *set, unsigned threads, int which) {
    if (set->place != LANES)
        add(t, "    bar.warp.sync 0xffffffff;\n    setp.eq.u32 %%p, %%lane, 0;\n    @%%p ");
    else
        add(t, "    ");
    add(t, "red.release.gpu.global.add.u32 [%%meet], 1;\n");
    add(t, "    mad.lo.u32 %%v, %%turn, %u, %u;\n", 2 * threads, which * threads);
    add(t, "spin%d:\n    ld.acquire.gpu.global.u32 %%u, [%%meet];\n", which);
    add(t, "    setp.lt.u32 %%p, %%u, %%v;\n    @%%p bra spin%d;\n", which);
}

static void add_place(struct text *t, const struct setting *set, unsigned threads) {
    add(t, "    mov.u32 %%u, %%tid.x;\n    mov.u32 %%group, %%ctaid.x;\n"
           "    and.b32 %%lane, %%u, 31;\n    shr.u32 %%role, %%u, 5;\n");
    if (set->place == LANES)
        add(t,
            "    rem.u32 %%role, %%lane, %u;\n    div.u32 %%lane, %%lane, %u;\n"
            "    setp.ge.u32 %%p, %%lane, %u;\n    @%%p exit;\n",
            threads, threads, LANES_OF_WARP / threads);
    if (set->place >= CLUSTER)
        add(t, "    rem.u32 %%role, %%group, %u;\n    div.u32 %%group, %%group, %u;\n", threads,
            threads);
}

static void write_kernel(struct text *t, const struct litmus *l, const struct style *style,
                         const struct setting *set, unsigned threads) {
    struct writer w = {t, style, set, 0};
    t->n = 0;
    add(t,
        ".version 8.5\n.target sm_90\n.address_size 64\n"
        ".shared .align 128 .b8 room[%d];\n"
        ".visible .entry test(.param .u64 memory, .param .u64 meet, .param .u64 out)\n",
        TURNS * VARIABLES * 128);
    if (set->place == CLUSTER)
        add(t, ".explicitcluster .reqnctapercluster %u, 1, 1\n", threads);
    add(t, "{\n    .reg .u32 %%u, %%v, %%lane, %%role, %%group, %%turn, %%k;\n"
           "    .reg .u64 %%at, %%meet, %%result, %%a;\n    .reg .pred %%p;\n");
    add_place(t, set, threads);
    add(t,
        "    ld.param.u64 %%at, [memory];\n    ld.param.u64 %%meet, [meet];\n"
        "    ld.param.u64 %%result, [out];\n"
        "    mul.wide.u32 %%a, %%group, %d;\n    add.u64 %%at, %%at, %%a;\n"
        "    mul.wide.u32 %%a, %%group, %d;\n    add.u64 %%result, %%result, %%a;\n"
        "    mul.wide.u32 %%a, %%group, 128;\n    add.u64 %%meet, %%meet, %%a;\n",
        TURNS * VARIABLES * 128, TURNS * SLOTS * 128);
    if (set->place == LANES)
        add(t, "    mul.wide.u32 %%a, %%lane, 4;\n    add.u64 %%meet, %%meet, %%a;\n");
    add(t, "    mul.wide.u32 %%a, %%lane, 4;\n    add.u64 %%result, %%result, %%a;\n");
    if (set->shared)
        add(t, "    mov.u64 %%at, room;\n");
    add(t, "    add.u64 %%at, %%at, %%a;\n");
    if (set->shared)
        add(t,
            "    mov.u32 %%k, 0;\nclear:\n    mul.wide.u32 %%a, %%k, 128;\n"
            "    add.u64 %%a, %%a, %%at;\n    st.shared.u32 [%%a], 0;\n"
            "    add.u32 %%k, %%k, 1;\n    setp.lt.u32 %%p, %%k, %d;\n    @%%p bra clear;\n"
            "    bar.sync 0;\n",
            TURNS * VARIABLES);
    add(t, "    mov.u32 %%turn, 0;\nagain:\n");
    add_meeting(t, set, threads, 1);
    add_threads(&w, l->threads);
    add_meeting(t, set, threads, 2);
    add(t, "    setp.ne.u32 %%p, %%role, 0;\n    @%%p bra told;\n");
    for (int k = 0; k < VARIABLES; k++)
        add(t, "    ld.relaxed.gpu%s.u32 %%v, [%%at+%d];\n    st.global.u32 [%%result+%d], %%v;\n",
            set->shared ? ".shared" : ".global", k * 128, (REGISTERS + k) * 128);
    add(t,
        "told:\n    add.u64 %%at, %%at, %d;\n    add.u64 %%result, %%result, %d;\n"
        "    add.u32 %%turn, %%turn, 1;\n    setp.lt.u32 %%p, %%turn, %d;\n    @%%p bra again;\n"
        "    ret;\n}\n",
        VARIABLES * 128, SLOTS * 128, TURNS);
}

// ---- running it ---------------------------------------------------------------------------

struct counts {
    uint64_t runs, outcomes; // of the one that the test asks about
};

static unsigned threads_of(const struct litmus *l) {
    unsigned n = 1;
    for (const char *s = l->threads; *s; s++)
        n += *s == '|';
    return n;
}

// Did the outcome that the test asks about happen in this one?
static bool happened(const struct litmus *l, const uint32_t *slots) {
    for (const char *s = l->outcome; *s; s += s[3] ? 4 : 3) {
        unsigned at = s[0] >= 'x' ? REGISTERS + (unsigned)(s[0] - 'x') : (unsigned)(s[0] - '0');
        if (slots[at * LANES_OF_WARP] != (uint32_t)(s[2] - '0'))
            return false;
    }
    return true;
}

static void look(const struct litmus *l, const struct setting *set, unsigned groups,
                 unsigned threads, const uint32_t *out, struct counts *c) {
    unsigned lanes = set->place == LANES ? LANES_OF_WARP / threads : LANES_OF_WARP;
    for (unsigned k = 0; k < groups * TURNS; k++)
        for (unsigned lane = 0; lane < lanes; lane++) {
            c->runs++;
            c->outcomes += happened(l, out + k * SLOTS * LANES_OF_WARP + lane);
        }
}

struct buffers {
    CUdeviceptr memory, meet, out;
    uint32_t *host;
};
enum {
    MEMORY_BYTES = GROUPS * TURNS * VARIABLES * 128,
    MEET_BYTES = GROUPS * 128,
    OUT_BYTES = GROUPS * TURNS * SLOTS * 128
};

static void run(const struct litmus *l, const struct style *style, const struct setting *set,
                struct buffers *b, int launches, struct counts *c) {
    static struct text t;
    CUmodule m;
    CUfunction f;
    unsigned threads = threads_of(l);
    write_kernel(&t, l, style, set, threads);
    if (cuModuleLoadData(&m, t.s)) {
        printf("%s, %s: refused:\n%s", l->name, style->name, t.s);
        exit(1);
    }
    check(cuModuleGetFunction(&f, m, "test"), "cuModuleGetFunction");
    void *args[] = {&b->memory, &b->meet, &b->out};
    unsigned blocks = set->place >= CLUSTER ? threads : 1; // of a group
    unsigned size = LANES_OF_WARP * (set->place == WARPS ? threads : 1);
    for (int k = 0; k < launches; k++) {
        unsigned groups = k ? 1 : GROUPS;
        check(cuMemsetD8(b->memory, 0, MEMORY_BYTES), "cuMemsetD8");
        check(cuMemsetD8(b->meet, 0, MEET_BYTES), "cuMemsetD8");
        check(cuMemsetD8(b->out, 0xff, OUT_BYTES), "cuMemsetD8");
        check(cuLaunchKernel(f, groups * blocks, 1, 1, size, 1, 1, 0, NULL, args, NULL),
              "cuLaunchKernel");
        check(cuCtxSynchronize(), l->name);
        check(cuMemcpyDtoH(b->host, b->out, OUT_BYTES), "cuMemcpyDtoH");
        look(l, set, groups, threads, b->host, c);
    }
    check(cuModuleUnload(m), "cuModuleUnload");
}

static bool fits(const struct litmus *l, const struct style *style, const struct setting *set) {
    bool cluster = !strcmp(set->scope, "cluster"), sys = !strcmp(set->scope, "sys");
    if ((style->sys && (!sys || set->shared)) || (style->no_cluster && cluster))
        return false;
    if (style->data)
        return !strcmp(l->name, "MP") || !strcmp(l->name, "ISA2");
    // A style is tried where it decides, and the relaxed one everywhere.
    return style->strength == l->strength || style->strength == BY_SC || style == &styles[0];
}

static const char *place_name(enum place p) {
    static const char *const names[] = {"lanes", "warps", "blocks of a cluster", "blocks"};
    return names[p];
}

int main(int argc, char **argv) {
    size_t step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    size_t first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    bool once = argc == 2;
    struct buffers b;
    CUdevice d;
    CUcontext ctx;
    uint64_t runs = 0, weak = 0, failures = 0, kernels = 0;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&d, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&ctx, d), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(ctx), "cuCtxSetCurrent");
    check(cuMemAlloc(&b.memory, MEMORY_BYTES), "cuMemAlloc");
    check(cuMemAlloc(&b.meet, MEET_BYTES), "cuMemAlloc");
    check(cuMemAlloc(&b.out, OUT_BYTES), "cuMemAlloc");
    b.host = malloc(OUT_BYTES);
    for (size_t s = 0; b.host && s < sizeof settings / sizeof *settings; s++)
        for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
            for (size_t y = 0; y < sizeof styles / sizeof *styles; y++) {
                struct counts c = {0};
                if (!fits(&tests[k], &styles[y], &settings[s]) || (s + k + y) % step != first)
                    continue;
                run(&tests[k], &styles[y], &settings[s], &b,
                    once                          ? 1
                    : settings[s].place == BLOCKS ? CLOSE
                                                  : 2,
                    &c);
                kernels++;
                runs += c.runs;
                bool forbidden = tests[k].strength <= styles[y].strength;
                failures += forbidden ? c.outcomes : 0;
                weak += forbidden ? 0 : c.outcomes;
                if (c.outcomes)
                    printf("%s %s, %s, %s, scope %s%s: %llu of %llu\n",
                           forbidden ? "FORBIDDEN" : "allowed", tests[k].name, styles[y].name,
                           place_name(settings[s].place), settings[s].scope,
                           settings[s].shared ? ", shared" : "", (unsigned long long)c.outcomes,
                           (unsigned long long)c.runs);
            }
    printf("%llu kernels, %llu runs, %llu weak outcomes, %llu forbidden ones\n",
           (unsigned long long)kernels, (unsigned long long)runs, (unsigned long long)weak,
           (unsigned long long)failures);
    free(b.host);
    return failures != 0 || !runs;
}
