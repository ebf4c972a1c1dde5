// What quick code of long kernels costs to make: kernels of one block, made here, with accesses at
// an address a lane and arithmetic between them. Four times the kernel takes about four times as
// long, and not many times as long as reading and checking its text does, which is the measure of
// how fast the machine is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jit/jit.h"

enum { FEW = 150, MANY = 600, ROUNDS = 5, MOST_GROWTH = 7, MOST_LOADS = 30 };

static double processor_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// x = in[x & 1023] ^ rotations of it, n times; each gather depends on the one before.
static char *kernel(unsigned n) {
    size_t size = 0;
    char *text = NULL;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        exit(2);
    fprintf(f, ".version 8.5\n.target sm_90\n.address_size 64\n"
               ".visible .entry walk(.param .u64 in, .param .u64 out)\n{\n"
               "    .reg .b32 %%r<8>;\n    .reg .b64 %%rd<8>;\n"
               "    ld.param.u64 %%rd1, [in];\n    ld.param.u64 %%rd2, [out];\n"
               "    mov.u32 %%r1, %%tid.x;\n    mov.u32 %%r2, %%r1;\n");
    for (unsigned k = 0; k < n; k++)
        fprintf(f,
                "    and.b32 %%r3, %%r2, 1023;\n    mul.wide.u32 %%rd3, %%r3, 4;\n"
                "    add.s64 %%rd4, %%rd1, %%rd3;\n    ld.global.u32 %%r4, [%%rd4];\n"
                "    shl.b32 %%r5, %%r2, 7;\n    shr.u32 %%r6, %%r2, 25;\n"
                "    or.b32 %%r5, %%r5, %%r6;\n    xor.b32 %%r5, %%r5, %%r4;\n"
                "    add.s32 %%r2, %%r5, %u;\n",
                k * 2654435761u >> 8);
    fprintf(f, "    mul.wide.u32 %%rd5, %%r1, 4;\n    add.s64 %%rd6, %%rd2, %%rd5;\n"
               "    st.global.u32 [%%rd6], %%r2;\n    ret;\n}\n");
    fclose(f);
    return text;
}

struct cost {
    double load, compile; // milliseconds of the processor's time, the least of some
};

static double least(double x, double y) {
    return x && x < y ? x : y;
}

static void fail(const char *what, const char *log) {
    printf("%s: %s\n", what, log);
    exit(1);
}

static struct cost cost_of(unsigned n) {
    char log[1024] = "", *text = kernel(n);
    struct kd_spec spec = {.ntid = {256, 1, 1},
                           .flags = KD_SPEC_QUICK | KD_SPEC_ALWAYS_QUICK | KD_SPEC_ALIGNED_PARAMS};
    struct cost best = {0};
    for (int round = 0; round < ROUNDS; round++) {
        struct kd_code_info info;
        size_t bytes;
        void *object = NULL;
        double begin = processor_ms();
        struct kj_module *m = kj_module_load(text, strlen(text), log, sizeof log);
        double loaded = processor_ms();
        if (!m)
            fail("does not load", log);
        if (!kj_compile(m, 0, &spec, &object, &bytes, &info, log, sizeof log))
            fail("does not compile", log);
        best.load = least(best.load, loaded - begin);
        best.compile = least(best.compile, processor_ms() - loaded);
        free(object);
        kj_module_free(m);
    }
    free(text);
    return best;
}

int main(void) {
    cost_of(1); // LLVM's own beginning
    struct cost few = cost_of(FEW), many = cost_of(MANY);
    double growth = many.compile / few.compile, loads = many.compile / many.load;
    printf("%d accesses: %.1f ms, %d: %.1f ms, %.1f times the time of loading them\n", FEW,
           few.compile, MANY, many.compile, loads);
    if (growth > MOST_GROWTH)
        printf("four times the kernel takes %.1f times as long\n", growth);
    if (loads > MOST_LOADS)
        printf("that is more than %d times\n", MOST_LOADS);
    return growth > MOST_GROWTH || loads > MOST_LOADS;
}
