// Fragments of nvcuda::wmma: sums that stay where they are through a loop and such as cannot,
// fragments that are used where they were loaded and elsewhere.
// run: product grid=1 block=128 args=buf:4096:small,buf:4096:small,buf:4096:zero,u32:64,u32:64
// run: product grid=1 block=32 args=buf:4096:small,buf:4096:small,buf:4096:zero,u32:64,u32:0
// run: exchanged grid=1 block=64 args=buf:2048:small,buf:2048:small,buf:4096:float,u32:3
// run: kept grid=1 block=32 args=buf:2048:small,buf:2048:small,buf:4096:float,u32:2
// run: elsewhere grid=1 block=64 args=buf:2048:small,buf:2048:small,buf:4096:zero,u32:1
// run: elsewhere grid=1 block=64 args=buf:2048:small,buf:2048:small,buf:4096:zero,u32:0
// run: overwritten grid=1 block=32 args=buf:2048:small,buf:2048:small,buf:4096:zero
// run: halves grid=1 block=32 args=buf:2048:small,buf:2048:small,buf:4096:zero
// run: numbers grid=1 block=32 args=buf:2048:rand,buf:2048:rand,buf:4096:rand
// run: doubles grid=1 block=32 args=buf:2048:rand,buf:2048:rand,buf:4096:rand
// run: integers grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:4096:rand
// run: some grid=1 block=96 args=buf:2048:small,buf:2048:small,buf:4096:zero,u32:2
// run: words grid=1 block=64 args=buf:2048:rand,buf:2048:special,buf:2048:zero,u32:3
// run: words grid=1 block=64 args=buf:2048:rand,buf:2048:special,buf:2048:zero,u32:0
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda::wmma;

typedef fragment<accumulator, 16, 16, 16, float> sums;
typedef fragment<matrix_a, 16, 16, 16, half, row_major> rows;
typedef fragment<matrix_b, 16, 16, 16, half, row_major> columns;

static __device__ const half *as_halves(const unsigned *p) {
    return (const half *)p;
}

// Words below 256 become pairs of small numbers. One warp needs no barrier.
static __device__ void prepare(unsigned *a, unsigned *b, bool many) {
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) {
        half2 x = __floats2half2_rn(a[k] * 0.125f - 9, 3 - (a[k] % 16) * 0.5f);
        half2 y = __floats2half2_rn(2 - (b[k] % 32) * 0.25f, b[k] * 0.0625f);
        a[k] = *(unsigned *)&x;
        b[k] = *(unsigned *)&y;
    }
    if (many)
        __syncthreads();
    else
        __syncwarp();
}

extern "C" __global__ void product(unsigned *a, unsigned *b, float *c, int n, int depth) {
    prepare(a, b, true);
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    sums s[2];
    fill_fragment(s[0], 0.0f);
    fill_fragment(s[1], 1e-3f);
    for (int k = 0; k < depth; k += 16) {
        rows fa;
        load_matrix_sync(fa, as_halves(a) + warp % 2 * 16 * n + k, n);
        for (int t = 0; t < 2; t++) {
            columns fb;
            load_matrix_sync(fb, as_halves(b) + k * n + t * 16, n);
            mma_sync(s[t], fa, fb, s[t]);
        }
    }
    for (int t = 0; t < 2; t++)
        store_matrix_sync(c + warp * 512 + t * 16, s[t], 32, mem_row_major);
}

// Two sums that change places in each turn.
extern "C" __global__ void exchanged(unsigned *a, unsigned *b, float *c, int turns) {
    prepare(a, b, true);
    int warp = threadIdx.x / 32;
    sums x, y;
    rows fa;
    columns fb;
    load_matrix_sync(x, c + warp * 1024, 16, mem_row_major);
    load_matrix_sync(y, c + warp * 1024 + 256, 16, mem_col_major);
    for (int t = 0; t < turns; t++) {
        load_matrix_sync(fa, as_halves(a) + t * 256, 16);
        load_matrix_sync(fb, as_halves(b) + t * 16 * (1 + warp), 32);
        sums z = x;
        mma_sync(x, fa, fb, y);
        mma_sync(y, fa, fb, z);
    }
    store_matrix_sync(c + warp * 1024, x, 16, mem_col_major);
    store_matrix_sync(c + warp * 1024 + 256, y, 16, mem_row_major);
}

// What a product adds to is used behind it, too.
extern "C" __global__ void kept(unsigned *a, unsigned *b, float *c, int turns) {
    prepare(a, b, false);
    sums x, y, z;
    rows fa;
    columns fb;
    fill_fragment(x, 0.5f);
    for (int t = 0; t < turns; t++) {
        load_matrix_sync(fa, as_halves(a) + t * 64, 32);
        load_matrix_sync(fb, as_halves(b) + t * 64, 32);
        mma_sync(y, fa, fb, x);
        mma_sync(z, fa, fb, y);
        for (int k = 0; k < x.num_elements; k++)
            x.x[k] = y.x[k] - z.x[k] * 0.25f + x.x[k];
        store_matrix_sync(c + 1024 + t * 256, y, 16, mem_row_major);
    }
    store_matrix_sync(c, x, 16, mem_row_major);
    store_matrix_sync(c + 256, z, 16, mem_col_major);
}

// Fragments loaded in front of a branch, used in one of its ways and behind it.
extern "C" __global__ void elsewhere(unsigned *a, unsigned *b, float *c, int way) {
    prepare(a, b, true);
    int warp = threadIdx.x / 32;
    sums s;
    rows fa;
    columns fb;
    fill_fragment(s, 0.0f);
    load_matrix_sync(fa, as_halves(a) + warp * 256, 16);
    load_matrix_sync(fb, as_halves(b), 16);
    if (way) {
        mma_sync(s, fa, fb, s);
        load_matrix_sync(fb, as_halves(b) + 256, 16);
    }
    for (int t = 0; t < 2 + way; t++)
        mma_sync(s, fa, fb, s);
    for (int k = 0; k < fa.num_elements; k++)
        s.x[k % s.num_elements] += __half2float(fa.x[k]);
    store_matrix_sync(c + warp * 256, s, 16, mem_row_major);
}

// Memory changes between the load of a fragment and its use; one address is loaded twice.
extern "C" __global__ void overwritten(unsigned *a, unsigned *b, float *c) {
    prepare(a, b, false);
    sums s;
    rows fa, again;
    columns fb;
    fill_fragment(s, 0.0f);
    load_matrix_sync(fa, as_halves(a), 16);
    load_matrix_sync(fb, as_halves(b), 16);
    a[threadIdx.x] = 0x3c003c00;
    __syncwarp();
    load_matrix_sync(again, as_halves(a), 16);
    mma_sync(s, fa, fb, s);
    mma_sync(s, again, fb, s);
    store_matrix_sync(c, s, 16, mem_row_major);
    store_matrix_sync((float *)a + 512, s, 20, mem_row_major);
    load_matrix_sync(fa, as_halves(a) + 1024, 40);
    mma_sync(s, fa, fb, s);
    store_matrix_sync(c + 256, s, 16, mem_col_major);
}

extern "C" __global__ void halves(unsigned *a, unsigned *b, half *c) {
    prepare(a, b, false);
    fragment<accumulator, 32, 8, 16, half> s;
    fragment<matrix_a, 32, 8, 16, half, col_major> fa;
    fragment<matrix_b, 32, 8, 16, half, col_major> fb;
    fill_fragment(s, __float2half(0.25f));
    for (int t = 0; t < 3; t++) {
        load_matrix_sync(fa, as_halves(a) + t * 128, 32);
        load_matrix_sync(fb, as_halves(b) + t * 128, 16);
        mma_sync(s, fa, fb, s);
    }
    store_matrix_sync(c, s, 8, mem_row_major);
    store_matrix_sync(c + 512, s, 32, mem_col_major);
}

extern "C" __global__ void numbers(const unsigned *a, const unsigned *b, float *c) {
    fragment<accumulator, 16, 16, 8, float> s;
    fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> fa;
    fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> fb;
    load_matrix_sync(s, c, 16, mem_row_major);
    for (int t = 0; t < 3; t++) {
        load_matrix_sync(fa, (const float *)a + t * 32, 8);
        load_matrix_sync(fb, (const float *)b + t * 32, 12);
        mma_sync(s, fa, fb, s);
    }
    store_matrix_sync(c, s, 16, mem_col_major);
    fragment<accumulator, 8, 32, 16, float> x;
    fragment<matrix_a, 8, 32, 16, __nv_bfloat16, row_major> ga;
    fragment<matrix_b, 8, 32, 16, __nv_bfloat16, row_major> gb;
    fill_fragment(x, 0.0f);
    load_matrix_sync(ga, (const __nv_bfloat16 *)a, 16);
    load_matrix_sync(gb, (const __nv_bfloat16 *)b, 32);
    mma_sync(x, ga, gb, x);
    mma_sync(x, ga, gb, x);
    store_matrix_sync(c + 512, x, 32, mem_row_major);
}

extern "C" __global__ void doubles(const double *a, const double *b, double *c) {
    fragment<accumulator, 8, 8, 4, double> s;
    fragment<matrix_a, 8, 8, 4, double, row_major> fa;
    fragment<matrix_b, 8, 8, 4, double, col_major> fb;
    load_matrix_sync(s, c, 8, mem_row_major);
    for (int t = 0; t < 4; t++) {
        load_matrix_sync(fa, a + t * 4, 16);
        load_matrix_sync(fb, b + t * 4, 16);
        mma_sync(s, fa, fb, s);
    }
    store_matrix_sync(c, s, 8, mem_row_major);
    store_matrix_sync(c + 64, s, 10, mem_col_major);
}

extern "C" __global__ void integers(const signed char *a, const signed char *b, int *c) {
    int warp = threadIdx.x / 32;
    fragment<accumulator, 16, 16, 16, int> s;
    fragment<matrix_a, 16, 16, 16, signed char, row_major> fa;
    fragment<matrix_b, 16, 16, 16, signed char, col_major> fb;
    load_matrix_sync(s, c + warp * 256, 16, mem_row_major);
    for (int t = 0; t < 4; t++) {
        load_matrix_sync(fa, a + warp * 1024 + t * 16, 64);
        load_matrix_sync(fb, b + t * 16, 64);
        mma_sync(s, fa, fb, s);
    }
    store_matrix_sync(c + warp * 256, s, 16, mem_row_major);
}

// Warps that take no part.
extern "C" __global__ void some(unsigned *a, unsigned *b, float *c, int warps) {
    prepare(a, b, true);
    int warp = threadIdx.x / 32;
    sums s;
    fill_fragment(s, 2.0f);
    if (warp < warps) {
        for (int t = 0; t <= warp; t++) {
            rows fa;
            columns fb;
            load_matrix_sync(fa, as_halves(a) + t * 256, 16);
            load_matrix_sync(fb, as_halves(b) + t * 256, 16);
            mma_sync(s, fa, fb, s);
        }
    }
    store_matrix_sync(c + warp * 256, s, 16, mem_row_major);
}

// Sums that are words behind the loop, which may not run: a NaN's bits are seen there.
extern "C" __global__ void words(const unsigned *a, const unsigned *b, unsigned *out, int turns) {
    unsigned lane = threadIdx.x % 32;
    float c[4] = {};
    __syncthreads();
    for (int t = 0; t < turns; t++) {
        unsigned fa[4], fb[2];
        for (int k = 0; k < 4; k++)
            fa[k] = b[k * 32 + lane + t * 7];
        for (int k = 0; k < 2; k++)
            fb[k] = a[k * 32 + threadIdx.x + t];
        __syncthreads();
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    }
    for (int k = 0; k < 4; k++)
        out[threadIdx.x * 4 + k] = __float_as_uint(c[k]) + turns;
}
