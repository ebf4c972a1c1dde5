// Products of halves whose sums stay in one place through loops, as rows of tiles, and those whose
// sums do not. A few numbers are infinite or NaN, more are subnormal.
// run: types grid=1 block=64 args=buf:4096:rand,buf:4096:rand,buf:16384:zero,u32:3
// run: depths grid=2 block=32 args=buf:4096:rand,buf:4096:rand,buf:32768:zero,u32:2
// run: alone grid=2 block=32 args=buf:4096:rand,buf:4096:rand,buf:8192:zero,u32:3
// run: odd grid=1 block=64 args=buf:4096:rand,buf:4096:rand,buf:24576:zero,u32:2
// run: begun grid=1 block=64 args=buf:4096:rand,buf:4096:rand,buf:8192:zero,u32:3
// run: seen grid=1 block=64 args=buf:4096:rand,buf:4096:rand,buf:16384:zero,u32:3
// run: chosen grid=4 block=64 args=buf:4096:rand,buf:4096:rand,buf:8192:zero,u32:4
// run: diverged grid=1 block=64 args=buf:4096:rand,buf:4096:rand,buf:8192:zero,u32:3
// run: with_bytes grid=1 block=64 args=buf:4096:rand,buf:4096:rand,buf:16384:zero,u32:3
// run: half_sums grid=1 block=32 args=buf:4096:rand,buf:4096:rand,buf:4096:zero,u32:3
// run: fragments grid=1 block=64 args=buf:4096:rand,buf:4096:rand,buf:8192:zero,u32:3
#include <mma.h>

#define LDMATRIX(trans, r, at)                                                                     \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 {%0,%1,%2,%3}, [%4];"          \
                 : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3])                          \
                 : "r"(at)                                                                         \
                 : "memory")
#define MMA(type, c, a, b)                                                                         \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 {%0,%1,%2,%3}, "     \
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                          \
                 : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])                          \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))
#define MMA_K8(c, a, b)                                                                            \
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, " \
                 "{%0,%1,%2,%3};"                                                                  \
                 : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])                          \
                 : "r"((a)[0]), "r"((a)[1]), "r"((b)[0]))
#define MMA_BYTES(c, a, b)                                                                         \
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, "                 \
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                          \
                 : "+r"((c)[0]), "+r"((c)[1]), "+r"((c)[2]), "+r"((c)[3])                          \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))
#define MMA_HALF_SUMS(c, a, b)                                                                     \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, "                     \
                 "{%2,%3,%4,%5}, {%6,%7}, {%0,%1};"                                                \
                 : "+r"((c)[0]), "+r"((c)[1])                                                      \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))

__device__ static unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

// Most numbers are less than 2.
__device__ static unsigned number(unsigned k, unsigned bits) {
    return k % 509 == 7 ? bits : bits & 0xbfffbfff;
}

__device__ static void fill(unsigned *s, const unsigned *in, unsigned n) {
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x)
        s[k] = number(k, in[k % 2048]);
}

__device__ static float *own_part(float *out, unsigned words) {
    return out + (blockIdx.x * blockDim.x + threadIdx.x) * words;
}

// Pieces of rows of 128 bytes stand at other places in each row.
__device__ static unsigned piece(const void *s, unsigned row, unsigned piece) {
    return shared_address(s) + (row * 8 + (piece ^ (row & 7))) * 16;
}

// 32 rows of a, 8 * across columns of b, `steps` times 16 of k: a by rows (or by columns), b by
// columns (or by rows).
#define PRODUCTS(type, trans_a, trans_b, sa, sb, c, across, steps)                                 \
    _Pragma("unroll") for (int step = 0; step < steps; step++) {                                   \
        unsigned fa[2][4], fb[across][2], lane = threadIdx.x % 32;                                 \
        _Pragma("unroll") for (int i = 0; i < 2; i++) {                                            \
            if (sizeof trans_a > 1)                                                                \
                LDMATRIX(trans_a, fa[i],                                                           \
                         piece(sa, step * 16 + lane / 16 * 8 + lane % 8, i * 2 + lane / 8 % 2));   \
            else                                                                                   \
                LDMATRIX(trans_a, fa[i], piece(sa, i * 16 + lane % 16, step * 2 + lane / 16));     \
        }                                                                                          \
        _Pragma("unroll") for (int j = 0; j < across / 2; j++) {                                   \
            if (sizeof trans_b > 1)                                                                \
                LDMATRIX(trans_b, fb[j * 2], piece(sb, step * 16 + lane % 16, j * 2 + lane / 16)); \
            else                                                                                   \
                LDMATRIX(trans_b, fb[j * 2],                                                       \
                         piece(sb, j * 16 + lane / 16 * 8 + lane % 8, step * 2 + lane / 8 % 2));   \
        }                                                                                          \
        _Pragma("unroll") for (int i = 0; i < 2; i++)                                              \
            _Pragma("unroll") for (int j = 0; j < across; j++) MMA(type, c[i][j], fa[i], fb[j]);   \
    }

template <int N> __device__ static void put(float *out, const float (*c)[N][4]) {
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < N; j++)
#pragma unroll
            for (int r = 0; r < 4; r++)
                out[(i * N + j) * 4 + r] = c[i][j][r];
}

// Types and ways to load, through barriers: sums wait in what is saved of groups.
#define THROUGH_BARRIERS(type, trans_a, trans_b)                                                   \
    {                                                                                              \
        float c[2][4][4] = {};                                                                     \
        for (int t = 0; t < turns; t++) {                                                          \
            __syncthreads();                                                                       \
            fill(sa, a + t * 64, 2048);                                                            \
            fill(sb, b + t * 32, 2048);                                                            \
            __syncthreads();                                                                       \
            PRODUCTS(type, trans_a, trans_b, sa, sb, c, 4, 2)                                      \
        }                                                                                          \
        put(to, c);                                                                                \
        to += 32;                                                                                  \
    }

extern "C" __global__ void types(const unsigned *a, const unsigned *b, float *out, int turns) {
    __shared__ __align__(16) unsigned sa[2048], sb[2048];
    float *to = own_part(out, 64);
    THROUGH_BARRIERS("f16", "", "")
    THROUGH_BARRIERS("bf16", ".trans", ".trans")
}

// 16 to 48 of k, more than a chain has, and instructions of 8.
#define WITH_DEPTH(steps)                                                                          \
    {                                                                                              \
        float c[2][4][4] = {};                                                                     \
        for (int t = 0; t < turns; t++)                                                            \
            PRODUCTS("f16", "", ".trans", sa + t * 8, sb, c, 4, steps)                             \
        put(to, c);                                                                                \
        to += 32;                                                                                  \
    }

extern "C" __global__ void depths(const unsigned *a, const unsigned *b, float *out, int turns) {
    __shared__ __align__(16) unsigned sa[2560], sb[3072];
    fill(sa, a, 2560);
    fill(sb, b + blockIdx.x, 3072);
    __syncthreads();
    float *to = own_part(out, 128);
    WITH_DEPTH(1)
    WITH_DEPTH(3)
    WITH_DEPTH(5)
    float c[2][4][4] = {};
    unsigned lane = threadIdx.x;
    for (int t = 0; t < turns; t++) {
        unsigned fa[2][4], fb[4];
        LDMATRIX("", fa[0], piece(sa, lane % 16, lane / 16 + t));
        LDMATRIX("", fa[1], piece(sa, 16 + lane % 16, lane / 16 + t));
        LDMATRIX("", fb, piece(sb, lane, t));
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                MMA_K8(c[i][j], fa[i], fb + j);
    }
    put(to, c);
}

// Factors in registers, no shared memory.
extern "C" __global__ void alone(const unsigned *a, const unsigned *b, float *out, int turns) {
    float c[2][4][4] = {};
    unsigned lane = threadIdx.x;
    for (int t = 0; t < turns; t++) {
        unsigned fa[2][4], fb[4][2];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            unsigned at = (t * 8 + k) * 32 + lane;
            fa[k / 4][k % 4] = number(at, a[at + blockIdx.x]);
            fb[k / 2][k % 2] = number(at, b[at]) ^ t;
        }
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                MMA("bf16", c[i][j], fa[i], fb[j]);
    }
    put(own_part(out, 32), c);
}

// Three tiles of columns.
extern "C" __global__ void odd(const unsigned *a, const unsigned *b, float *out, int turns) {
    __shared__ __align__(16) unsigned sa[2048], sb[2048];
    float c[2][6][4] = {};
    for (int t = 0; t < turns; t++) {
        __syncthreads();
        fill(sa, a + t, 2048);
        fill(sb, b + t, 2048);
        __syncthreads();
        PRODUCTS("f16", "", ".trans", sa, sb, c, 6, 1)
    }
    put(own_part(out, 48), c);
}

// Sums that begin with numbers, and come from memory.
extern "C" __global__ void begun(const unsigned *a, const unsigned *b, float *out, int turns) {
    __shared__ __align__(16) unsigned sa[2048], sb[2048];
    fill(sa, a, 2048);
    fill(sb, b, 2048);
    __syncthreads();
    float c[2][4][4];
#pragma unroll
    for (int i = 0; i < 32; i++)
        c[i / 16][i / 4 % 4][i % 4] = __uint_as_float(number(i + 1, a[i * 32 + threadIdx.x]));
    for (int t = 0; t < turns; t++)
        PRODUCTS("bf16", "", "", sa, sb, c, 4, 2)
    put(own_part(out, 32), c);
}

// Sums that are looked at in the loop: as numbers, as bits.
extern "C" __global__ void seen(const unsigned *a, const unsigned *b, float *out, int turns) {
    __shared__ __align__(16) unsigned sa[2048], sb[2048];
    fill(sa, a, 2048);
    fill(sb, b, 2048);
    __syncthreads();
    float c[2][4][4] = {}, d[2][4][4] = {};
    unsigned bits = 0;
    for (int t = 0; t < turns; t++) {
        PRODUCTS("f16", "", "", sa, sb, c, 4, 1)
        PRODUCTS("f16", "", ".trans", sa, sb, d, 4, 2)
#pragma unroll
        for (int i = 0; i < 32; i++) {
            c[i / 16][i / 4 % 4][i % 4] *= 0.75f;
            bits = bits * 31 + __float_as_uint(d[i / 16][i / 4 % 4][i % 4]);
        }
    }
    d[1][3][3] = __uint_as_float(bits & 0x3fffffff);
    float *to = own_part(out, 64);
    put(to, c);
    put(to + 32, d);
}

// A condition that a block, and one that a warp, decides.
extern "C" __global__ void chosen(const unsigned *a, const unsigned *b, float *out, int turns) {
    __shared__ __align__(16) unsigned sa[2048], sb[2048];
    fill(sa, a, 2048);
    fill(sb, b, 2048);
    __syncthreads();
    float c[2][4][4] = {};
    for (int t = 0; t < turns; t++) {
        if ((blockIdx.x + t) % 2)
            PRODUCTS("f16", "", ".trans", sa, sb, c, 4, 2)
        if ((threadIdx.x / 32 + t) % 2)
            PRODUCTS("f16", "", "", sa, sb, c, 4, 1)
    }
    put(own_part(out, 32), c);
}

// Behind a branch that lanes take apart.
extern "C" __global__ void diverged(const unsigned *a, const unsigned *b, float *out, int turns) {
    __shared__ __align__(16) unsigned sa[2048], sb[2048];
    fill(sa, a, 2048);
    fill(sb, b, 2048);
    __syncthreads();
    float c[2][4][4] = {};
    for (int t = 0; t < turns; t++) {
        PRODUCTS("bf16", "", ".trans", sa, sb, c, 4, 1)
        if (sa[threadIdx.x] & 1 << t)
            c[0][t % 4][1] += 1.5f;
        __syncwarp();
    }
    put(own_part(out, 32), c);
}

// Bytes and halves in one loop.
extern "C" __global__ void with_bytes(const unsigned *a, const unsigned *b, float *out, int turns) {
    __shared__ __align__(16) unsigned sa[2048], sb[2048];
    float c[2][4][4] = {};
    int d[2][4][4] = {};
    for (int t = 0; t < turns; t++) {
        __syncthreads();
        fill(sa, a + t, 2048);
        fill(sb, b + t, 2048);
        __syncthreads();
        PRODUCTS("f16", "", ".trans", sa, sb, c, 4, 1)
#pragma unroll
        for (int step = 0; step < 2; step++) {
            unsigned fa[2][4], fb[4][2], lane = threadIdx.x % 32;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                LDMATRIX("", fa[i], piece(sa, i * 16 + lane % 16, step * 2 + lane / 16));
                LDMATRIX("", fb[i * 2],
                         piece(sb, i * 16 + lane / 16 * 8 + lane % 8, step * 2 + lane / 8 % 2));
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    MMA_BYTES(d[i][j], fa[i], fb[j]);
        }
    }
    float *to = own_part(out, 64);
    put(to, c);
#pragma unroll
    for (int i = 0; i < 32; i++)
        to[32 + i] = (float)(d[i / 16][i / 4 % 4][i % 4] & 0xffffff);
}

extern "C" __global__ void half_sums(const unsigned *a, const unsigned *b, unsigned *out,
                                     int turns) {
    __shared__ __align__(16) unsigned sa[2048], sb[2048];
    fill(sa, a, 2048);
    fill(sb, b, 2048);
    __syncthreads();
    unsigned c[2][4][2] = {}, lane = threadIdx.x;
    for (int t = 0; t < turns; t++) {
        unsigned fa[2][4], fb[4][2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            LDMATRIX("", fa[i], piece(sa, i * 16 + lane % 16, t * 2 + lane / 16));
            LDMATRIX("", fb[i * 2],
                     piece(sb, i * 16 + lane / 16 * 8 + lane % 8, t * 2 + lane / 8 % 2));
        }
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                MMA_HALF_SUMS(c[i][j], fa[i], fb[j]);
    }
#pragma unroll
    for (int i = 0; i < 16; i++)
        out[lane * 16 + i] = c[i / 8][i / 2 % 4][i % 2];
}

// Fragments of 16 by 16: two of a, two of b.
extern "C" __global__ void fragments(const unsigned *a, const unsigned *b, float *out, int turns) {
    using namespace nvcuda;
    __shared__ __align__(32) unsigned sa[2048], sb[2048];
    fill(sa, a, 2048);
    fill(sb, b, 2048);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb[2];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(c[i / 2][i % 2], 0.25f * i);
    for (int t = 0; t < turns; t++) {
        for (int i = 0; i < 2; i++) {
            wmma::load_matrix_sync(fa[i], (const half *)sa + i * 1024 + t * 16, 64);
            wmma::load_matrix_sync(fb[i], (const half *)sb + i * 1024 + t * 16, 64);
        }
        for (int i = 0; i < 4; i++)
            wmma::mma_sync(c[i / 2][i % 2], fa[i / 2], fb[i % 2], c[i / 2][i % 2]);
    }
    for (int i = 0; i < 4; i++)
        wmma::store_matrix_sync(out + threadIdx.x / 32 * 1024 + i / 2 * 512 + i % 2 * 16,
                                c[i / 2][i % 2], 32, wmma::mem_row_major);
}
