// Products of many shapes, of one word of whose factors nobody has set anything: products NAME
// [bug]. Lanes branch on the sums that do not follow from it, and with `bug` on those that do,
// which are as the PTX ISA says where elements lie (9.7.14, mma). All other words are 0, and so are
// the sums.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { LANES = 32, MOST = 20 };
enum factor { A, B, C };

// Which lane's word is not set, the first register of it.
enum { LANE_OF_A = 21, LANE_OF_B = 14, LANE_OF_C = 9 };

// Does sum k of a lane follow from it? Of 8 or 16 rows: two neighbours of a row at l / 4, and the
// same 8 rows below.
__device__ bool follows(factor f, int lane, int k) {
    int row = lane / 4 + k / 2 * 8, column = lane % 4 * 2 + k % 2;
    return f == A   ? row == LANE_OF_A / 4
           : f == B ? column == LANE_OF_B / 4
                    : lane == LANE_OF_C && k == 0;
}

// m8n8k4 of halves: four products, each of the quads of lanes that are 16 apart.
__device__ bool follows_on_quads(factor f, int lane, int k) {
    int quad = lane % 16 / 4, row = (lane & 1) + (k & 2) + lane / 16 * 4;
    int column = (k & 4) + (lane & 2) + (k & 1);
    return f == A   ? quad == LANE_OF_A % 16 / 4 && row == LANE_OF_A % 4 + LANE_OF_A / 16 * 4
           : f == B ? quad == LANE_OF_B % 16 / 4 && column == LANE_OF_B % 4 + LANE_OF_B / 16 * 4
                    : lane == LANE_OF_C && k == 0;
}

#define R2(x) "r"(x[0]), "r"(x[1])
#define R4(x) R2(x), "r"(x[2]), "r"(x[3])
#define F4(x) "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3])
#define D2 "=r"(d[0]), "=r"(d[1])
#define D4 D2, "=r"(d[2]), "=r"(d[3])
#define FD4 "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
// A shape: types of a word of factors and of a sum, counts of words.
#define SHAPE(name, in, sum, na, nb, nc, nd, where, text, ...)                                     \
    struct name {                                                                                  \
        typedef in word;                                                                           \
        typedef sum number;                                                                        \
        enum { NA = na, NB = nb, NC = nc, ND = nd };                                               \
        __device__ static void multiply(sum *d, const in *a, const in *b, const sum *c) {          \
            asm volatile(text : __VA_ARGS__);                                                      \
        }                                                                                          \
        __device__ static bool follows_from(factor f, int lane, int k) {                           \
            return where(f, lane, k);                                                              \
        }                                                                                          \
    };
#define ROWS_8(type) "mma.sync.aligned." type " {%0, %1}, {%2}, {%3}, {%4, %5};"
#define ROWS_16(type)                                                                              \
    "mma.sync.aligned." type " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, "     \
                             "%13};"

SHAPE(s8, unsigned, unsigned, 1, 1, 2, 2, follows, ROWS_8("m8n8k16.row.col.s32.s8.s8.s32"), D2
      : "r"(a[0]), "r"(b[0]), R2(c))
SHAPE(u4, unsigned, unsigned, 1, 1, 2, 2, follows,
      ROWS_8("m8n8k32.row.col.satfinite.s32.u4.s4.s32"), D2
      : "r"(a[0]), "r"(b[0]), R2(c))
SHAPE(bits, unsigned, unsigned, 1, 1, 2, 2, follows,
      ROWS_8("m8n8k128.row.col.s32.b1.b1.s32.xor.popc"), D2
      : "r"(a[0]), "r"(b[0]), R2(c))
SHAPE(more_bits, unsigned, unsigned, 4, 2, 4, 4, follows,
      ROWS_16("m16n8k256.row.col.s32.b1.b1.s32.and.popc"), D4
      : R4(a), R2(b), R4(c))
SHAPE(bytes, unsigned, unsigned, 4, 2, 4, 4, follows, ROWS_16("m16n8k32.row.col.s32.u8.s8.s32"), D4
      : R4(a), R2(b), R4(c))
SHAPE(bf16, unsigned, float, 4, 2, 4, 4, follows, ROWS_16("m16n8k16.row.col.f32.bf16.bf16.f32"), FD4
      : R4(a), R2(b), F4(c))
SHAPE(tf32, unsigned, float, 4, 2, 4, 4, follows, ROWS_16("m16n8k8.row.col.f32.tf32.tf32.f32"), FD4
      : R4(a), R2(b), F4(c))
SHAPE(e4m3, unsigned, float, 4, 2, 4, 4, follows, ROWS_16("m16n8k32.row.col.f32.e4m3.e5m2.f32"), FD4
      : R4(a), R2(b), F4(c))
SHAPE(f64, double, double, 1, 1, 2, 2, follows, ROWS_8("m8n8k4.row.col.f64.f64.f64.f64"),
      "=d"(d[0]), "=d"(d[1])
      : "d"(a[0]), "d"(b[0]), "d"(c[0]), "d"(c[1]))
SHAPE(more_f64, double, double, 4, 2, 4, 4, follows, ROWS_16("m16n8k8.row.col.f64.f64.f64.f64"),
      "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]), "d"(c[0]), "d"(c[1]),
        "d"(c[2]), "d"(c[3]))
// Sums of 16 bits, two a word.
struct f16 {
    typedef unsigned word;
    typedef unsigned number;
    enum { NA = 2, NB = 1, NC = 2, ND = 4 };
    __device__ static void multiply(unsigned *d, const unsigned *a, const unsigned *b,
                                    const unsigned *c) {
        unsigned pairs[2];
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, "
                     "{%5, %6};"
                     : "=r"(pairs[0]), "=r"(pairs[1])
                     : R2(a), "r"(b[0]), R2(c));
        for (int k = 0; k < 4; k++)
            d[k] = pairs[k / 2] >> k % 2 * 16 & 0xffff;
    }
    __device__ static bool follows_from(factor f, int lane, int k) {
        return f == C ? lane == LANE_OF_C && k < 2 : follows(f, lane, k);
    }
};
SHAPE(sparse, unsigned, unsigned, 4, 4, 4, 4, follows,
      "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, %16, 0x0;",
      D4
      : R4(a), R4(b), R4(c), "r"(0x44444444))
SHAPE(quads, unsigned, float, 2, 2, 8, 8, follows_on_quads,
      "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};",
      FD4, "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7])
      : R2(a), R2(b), F4(c), "f"(c[4]), "f"(c[5]), "f"(c[6]), "f"(c[7]))

template <class S> __global__ void multiply(const void *words, factor f, bool bug, int *out) {
    typename S::word a[S::NA], b[S::NB];
    typename S::number c[S::NC], d[S::ND];
    const typename S::word *in = (const typename S::word *)words + threadIdx.x;
    for (int k = 0; k < S::NA; k++)
        a[k] = in[k * LANES];
    for (int k = 0; k < S::NB; k++)
        b[k] = in[(S::NA + k) * LANES];
    const typename S::number *sums =
        (const typename S::number *)words + (S::NA + S::NB) * LANES + threadIdx.x;
    for (int k = 0; k < S::NC; k++)
        c[k] = sums[k * LANES];
    S::multiply(d, a, b, c);
    for (int k = 0; k < S::ND; k++)
        if (bug || !S::follows_from(f, threadIdx.x, k))
            if (d[k] != 0) // bug
                atomicAdd(out, 1);
}

template <class S> static bool run(factor f, bool bug) {
    size_t size = sizeof(typename S::word), before = f == A ? LANE_OF_A : LANE_OF_B + S::NA * LANES;
    size_t count = (S::NA + S::NB + S::NC) * LANES;
    char *words;
    int *out, n;
    if (f == C)
        before = LANE_OF_C + (S::NA + S::NB) * LANES;
    cudaMalloc(&words, MOST * LANES * sizeof(double));
    cudaMalloc(&out, sizeof n);
    cudaMemset(out, 0, sizeof n);
    cudaMemset(words, 0, before * size);
    cudaMemset(words + (before + 1) * size, 0, (count - before - 1) * size);
    multiply<S><<<1, LANES>>>(words, f, bug, out);
    cudaError_t error = cudaMemcpy(&n, out, sizeof n, cudaMemcpyDeviceToHost);
    cudaFree(words);
    cudaFree(out);
    return error == cudaSuccess && (n == 0 || bug);
}

int main(int argc, char **argv) {
    bool bug = argc > 3, right = false;
    factor f = argc > 2 && *argv[2] == 'a' ? A : argc > 2 && *argv[2] == 'b' ? B : C;
#define RUN(name)                                                                                  \
    if (argc > 1 && !strcmp(argv[1], #name))                                                       \
        right = run<name>(f, bug);
    RUN(s8)
    RUN(u4) RUN(bits) RUN(more_bits) RUN(bytes) RUN(bf16) RUN(tf32) RUN(e4m3) RUN(f64) RUN(more_f64)
        RUN(f16) RUN(sparse) RUN(quads) puts(right ? "done" : "failed");
    return !right;
}
