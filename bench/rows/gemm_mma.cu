// Matrix products by mma: 128 x 128 of c a block, four warps of 64 x 64, tiles of a and b by
// cp.async in three stages, fragments by ldmatrix. Beside oneDNN, where it is installed (sgemm for
// f16 and bf16, the fair measure on machines without instructions for them; s8 for int8); else
// beside OpenBLAS, or plain loops.
#include "bench.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

enum { TILE = 128, WARP_TILE = 64, STAGES = 3, TILE_BYTES = 128 * 128, THREADS = 128 };

__device__ static inline void copy_async(uint32_t to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

__device__ static inline void load_matrices(uint32_t *r, uint32_t at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
}

__device__ static inline void load_transposed(uint32_t *r, uint32_t at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
}

struct f16_product {
    typedef __half factor;
    typedef float sum;
    typedef float2 pair;
    enum { b_by_rows = 1 };
    __device__ static void multiply(float *c, const uint32_t *a, const uint32_t *b) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct bf16_product {
    typedef __nv_bfloat16 factor;
    typedef float sum;
    typedef float2 pair;
    enum { b_by_rows = 1 };
    __device__ static void multiply(float *c, const uint32_t *a, const uint32_t *b) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct int8_product {
    typedef int8_t factor;
    typedef int32_t sum;
    typedef int2 pair;
    enum { b_by_rows = 0 };
    __device__ static void multiply(int32_t *c, const uint32_t *a, const uint32_t *b) {
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

// A tile in shared memory has rows of whole 16-byte pieces; in row r piece p stands at p ^ r % 8,
// so that a column of pieces lies in different banks.
template <int PIECES> __device__ static inline uint32_t piece_at(int row, int piece) {
    return (uint32_t)(row * PIECES + (piece ^ (row & 7))) * 16;
}

template <int ROWS, int PIECES>
__device__ static inline void copy_tile(uint32_t to, const char *from, size_t row_bytes) {
#pragma unroll
    for (int k = 0; k < ROWS * PIECES / THREADS; k++) {
        int at = k * THREADS + threadIdx.x, row = at / PIECES, piece = at % PIECES;
        copy_async(to + piece_at<PIECES>(row, piece), from + row * row_bytes + piece * 16);
    }
}

// a: m x k by rows. b: k x n by rows, for int8 by columns. c: m x n by rows. All sizes are
// multiples of the tiles'.
template <typename P>
__global__ void __launch_bounds__(THREADS)
    gemm(const typename P::factor *a, const typename P::factor *b, typename P::sum *c, int m, int n,
         int k) {
    extern __shared__ char tiles[];
    constexpr int SIZE = sizeof(typename P::factor), DEPTH = 128 / SIZE, STEP = 32 / SIZE;
    uint32_t shared = (uint32_t)__cvta_generic_to_shared(tiles);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row0 = warp / 2 * WARP_TILE, column0 = warp % 2 * WARP_TILE;
    const char *from_a = (const char *)(a + (size_t)blockIdx.y * TILE * k);
    const char *from_b = P::b_by_rows ? (const char *)(b + blockIdx.x * TILE)
                                      : (const char *)(b + (size_t)blockIdx.x * TILE * k);
    typename P::sum sum[4][8][4] = {};

    auto copy = [&](int tile) {
        uint32_t to = shared + tile % STAGES * 2 * TILE_BYTES;
        copy_tile<TILE, 8>(to, from_a + (size_t)tile * 128, (size_t)k * SIZE);
        if (P::b_by_rows)
            copy_tile<DEPTH, 16>(to + TILE_BYTES, from_b + (size_t)tile * DEPTH * n * SIZE,
                                 (size_t)n * SIZE);
        else
            copy_tile<TILE, 8>(to + TILE_BYTES, from_b + (size_t)tile * 128, (size_t)k * SIZE);
    };
    int count = k / DEPTH;
    for (int t = 0; t < STAGES - 1; t++) {
        if (t < count)
            copy(t);
        asm volatile("cp.async.commit_group;");
    }
    for (int t = 0; t < count; t++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        if (t + STAGES - 1 < count)
            copy(t + STAGES - 1);
        asm volatile("cp.async.commit_group;");
        uint32_t tile_a = shared + t % STAGES * 2 * TILE_BYTES, tile_b = tile_a + TILE_BYTES;
#pragma unroll
        for (int step = 0; step < DEPTH / STEP; step++) {
            uint32_t fa[4][4], fb[8][2];
#pragma unroll
            for (int i = 0; i < 4; i++)
                load_matrices(
                    fa[i], tile_a + piece_at<8>(row0 + i * 16 + lane % 16, step * 2 + lane / 16));
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (P::b_by_rows)
                    load_transposed(fb[j * 2],
                                    tile_b + piece_at<16>(step * 16 + lane % 16,
                                                          column0 / 8 + j * 2 + lane / 16));
                else
                    load_matrices(fb[j * 2],
                                  tile_b + piece_at<8>(column0 + j * 16 + lane / 16 * 8 + lane % 8,
                                                       step * 2 + lane / 8 % 2));
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    P::multiply(sum[i][j], fa[i], fb[j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            size_t row = (size_t)blockIdx.y * TILE + row0 + i * 16 + lane / 4;
            size_t column = blockIdx.x * TILE + column0 + j * 8 + lane % 4 * 2;
            typename P::pair *to = (typename P::pair *)(c + row * n + column);
            to[0] = {sum[i][j][0], sum[i][j][1]};
            to[4 * n] = {sum[i][j][2], sum[i][j][3]};
        }
    }
}

extern "C" void native_sgemm(const float *a, const float *b, float *c, int n);
extern "C" void native_igemm(const int8_t *a, const int8_t *b, int32_t *c, int n);

template <typename P>
static void run(const char *name, int n, const std::function<void()> &native,
                Buffer<typename P::factor> &a, Buffer<typename P::factor> &b,
                Buffer<typename P::sum> &c) {
    int bytes = STAGES * 2 * TILE_BYTES;
    CHECK(cudaFuncSetAttribute(gemm<P>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    Row r(name, 2.0 * n * n * n, "op");
    r.kudzu = [&] {
        gemm<P><<<dim3(n / TILE, n / TILE), THREADS, bytes>>>(a.dev, b.dev, c.dev, n, n, n);
    };
    r.native = native;
    r.outputs = {&c};
    r.tolerance = 1e-4;
    measure(r);
}

template <typename P> static void floats(const char *name, int n) {
    Buffer<typename P::factor> a((size_t)n * n), b((size_t)n * n);
    Buffer<float> c((size_t)n * n);
    a.random(-1, 1);
    b.random(-2, 1);
    std::vector<float> fa(a.host, a.host + a.size), fb(b.host, b.host + b.size);
    run<P>(name, n, [&] { native_sgemm(fa.data(), fb.data(), c.host, n); }, a, b, c);
}

BENCH(gemm_mma) {
    int n = 1024;
    floats<f16_product>("gemm_f16_mma", n);
    floats<bf16_product>("gemm_bf16_mma", n);
    Buffer<int8_t> a((size_t)n * n), b((size_t)n * n);
    Buffer<int32_t> c((size_t)n * n);
    a.random(-100, 100);
    b.random(-50, 100);
    run<int8_product>(
        "gemm_int8_mma", n, [&] { native_igemm(a.host, b.host, c.host, n); }, a, b, c);
}
