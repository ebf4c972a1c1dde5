// Products of bytes whose sums stay in one place through loops: what tile registers compute where a
// machine has them, and what they do not.
// also: KUDZU_TILES=plain
// run: signs grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:3
// run: chains grid=2 block=32 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:2
// run: alone grid=2 block=32 args=buf:2048:rand,buf:2048:rand,buf:4096:zero,u32:3
// run: waiting grid=1 block=128 args=buf:2048:rand,buf:2048:rand,buf:8192:zero,u32:3
// run: waiting grid=1 block=80 args=buf:2048:rand,buf:2048:rand,buf:8192:zero,u32:2
// run: shapes grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:8192:zero,u32:2
// run: wide grid=1 block=64 args=buf:4096:rand,buf:4096:rand,buf:16384:zero,u32:2
// run: in_part grid=1 block=32 args=buf:2048:rand,buf:2048:rand,buf:4096:zero,u32:3
// run: paired_anew grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:8192:zero,u32:3
// run: seen grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:8192:zero,u32:3
// run: chosen grid=4 block=64 args=buf:2048:rand,buf:2048:rand,buf:8192:zero,u32:4
// run: diverged grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:8192:zero,u32:3
// run: saturated grid=1 block=32 args=buf:2048:rand,buf:2048:rand,buf:4096:zero,u32:3
// run: transposed grid=1 block=32 args=buf:2048:rand,buf:2048:rand,buf:4096:zero,u32:3
// run: fragments grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:8192:zero,u32:3
#include <mma.h>

#define SIGNS_SS "s8.s8"
#define SIGNS_SU "s8.u8"
#define SIGNS_US "u8.s8"
#define SIGNS_UU "u8.u8"

#define LDMATRIX(r, at)                                                                            \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                   \
                 : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3])                          \
                 : "r"(at)                                                                         \
                 : "memory")
#define LDMATRIX_T(r, at)                                                                          \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"             \
                 : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3])                          \
                 : "r"(at)                                                                         \
                 : "memory")
#define MMA(signs, c, a, b)                                                                        \
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32." signs ".s32 {%0,%1,%2,%3}, "             \
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                          \
                 : "+r"((c)[0]), "+r"((c)[1]), "+r"((c)[2]), "+r"((c)[3])                          \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))
#define MMA_SATURATED(c, a, b)                                                                     \
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, "       \
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                          \
                 : "+r"((c)[0]), "+r"((c)[1]), "+r"((c)[2]), "+r"((c)[3])                          \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))
#define MMA_K16(c, a, b)                                                                           \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "  \
                 "{%0,%1,%2,%3};"                                                                  \
                 : "+r"((c)[0]), "+r"((c)[1]), "+r"((c)[2]), "+r"((c)[3])                          \
                 : "r"((a)[0]), "r"((a)[1]), "r"((b)[0]))
#define MMA_M8(c, a, b)                                                                            \
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"    \
                 : "+r"((c)[0]), "+r"((c)[1])                                                      \
                 : "r"((a)[0]), "r"((b)[0]))

__device__ static unsigned shared_address(void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ static void fill(unsigned *s, const unsigned *in, unsigned n) {
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x)
        s[k] = in[k % 2048];
}

__device__ static int *own_part(int *out, unsigned words) {
    return out + (blockIdx.x * blockDim.x + threadIdx.x) * words;
}

// Pieces of rows of 128 bytes stand at other places in each row.
__device__ static unsigned piece(const void *s, unsigned row, unsigned piece) {
    return shared_address((void *)s) + (row * 8 + (piece ^ (row & 7))) * 16;
}

// 32 rows of a, 32 columns of b, `steps` times 32 bytes of k.
#define PRODUCTS(signs, sa, sb, c, steps)                                                          \
    _Pragma("unroll") for (int step = 0; step < steps; step++) {                                   \
        unsigned fa[2][4], fb[4][2], lane = threadIdx.x % 32;                                      \
        _Pragma("unroll") for (int i = 0; i < 2; i++)                                              \
            LDMATRIX(fa[i], piece(sa, i * 16 + lane % 16, step * 2 + lane / 16));                  \
        _Pragma("unroll") for (int j = 0; j < 2; j++) LDMATRIX(                                    \
            fb[j * 2], piece(sb, j * 16 + lane / 16 * 8 + lane % 8, step * 2 + lane / 8 % 2));     \
        _Pragma("unroll") for (int i = 0; i < 2; i++)                                              \
            _Pragma("unroll") for (int j = 0; j < 4; j++) MMA(signs, c[i][j], fa[i], fb[j]);       \
    }

__device__ static void put(int *out, const int (*c)[4][4], int down) {
#pragma unroll
    for (int i = 0; i < down; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int r = 0; r < 4; r++)
                out[(i * 4 + j) * 4 + r] = c[i][j][r];
}

// The four ways of signs, through barriers: sums wait in what is saved of groups.
#define WITH_SIGNS(signs, steps)                                                                   \
    {                                                                                              \
        int c[2][4][4] = {};                                                                       \
        for (int t = 0; t < turns; t++) {                                                          \
            __syncthreads();                                                                       \
            fill(sa, a + t * 64, 1024);                                                            \
            fill(sb, b + t * 32, 1024);                                                            \
            __syncthreads();                                                                       \
            PRODUCTS(signs, sa, sb, c, steps)                                                      \
        }                                                                                          \
        put(to, c, 2);                                                                             \
        to += 32;                                                                                  \
    }

extern "C" __global__ void signs(const unsigned *a, const unsigned *b, int *out, int turns) {
    __shared__ __align__(16) unsigned sa[1024], sb[1024];
    int *to = own_part(out, 128);
    WITH_SIGNS(SIGNS_SS, 4)
    WITH_SIGNS(SIGNS_SU, 1)
    WITH_SIGNS(SIGNS_US, 2)
    WITH_SIGNS(SIGNS_UU, 1)
}

// One step and three: half a row of a tile, one and a half. Sums that do not begin with zero.
#define WITH_STEPS(steps)                                                                          \
    {                                                                                              \
        int c[2][4][4];                                                                            \
        _Pragma("unroll") for (int i = 0; i < 32; i++) c[i / 16][i / 4 % 4][i % 4] =               \
            1000 * i + threadIdx.x - 0x7fffff00;                                                   \
        for (int t = 0; t < turns; t++)                                                            \
            PRODUCTS(SIGNS_SU, sa + t * 8, sb, c, steps)                                           \
        put(to, c, 2);                                                                             \
        to += 32;                                                                                  \
    }

extern "C" __global__ void chains(const unsigned *a, const unsigned *b, int *out, int turns) {
    __shared__ __align__(16) unsigned sa[1152], sb[1152];
    fill(sa, a, 1152);
    fill(sb, b + blockIdx.x, 1152);
    __syncthreads();
    int *to = own_part(out, 96);
    WITH_STEPS(1)
    WITH_STEPS(3)
    WITH_STEPS(5) // a chain of four, and another one
}

// Factors in registers, no shared memory.
extern "C" __global__ void alone(const unsigned *a, const unsigned *b, int *out, int turns) {
    int c[2][4][4] = {};
    unsigned lane = threadIdx.x;
    for (int t = 0; t < turns; t++) {
        unsigned fa[2][4], fb[4][2];
        for (int k = 0; k < 8; k++)
            fa[k / 4][k % 4] = a[k * 32 + lane + t * 7];
        for (int k = 0; k < 8; k++)
            fb[k / 2][k % 2] = b[k * 32 + lane + blockIdx.x];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                MMA(SIGNS_UU, c[i][j], fa[i], fb[j]);
    }
    put(own_part(out, 32), c, 2);
}

// The same behind barriers, also where the last warp is not whole.
extern "C" __global__ void waiting(const unsigned *a, const unsigned *b, int *out, int turns) {
    __shared__ unsigned box[128];
    int c[2][4][4] = {};
    unsigned lane = threadIdx.x % 32;
    for (int t = 0; t < turns; t++) {
        unsigned fa[2][4], fb[4][2];
        box[threadIdx.x] = a[threadIdx.x + t];
        __syncthreads();
        for (int k = 0; k < 8; k++)
            fa[k / 4][k % 4] = a[k * 32 + lane + t * 7] ^ box[k];
        for (int k = 0; k < 8; k++)
            fb[k / 2][k % 2] = b[k * 32 + lane];
        if (threadIdx.x / 32 * 32 + 32 <= blockDim.x) {
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    MMA(SIGNS_US, c[i][j], fa[i], fb[j]);
        }
        __syncthreads();
    }
    put(own_part(out, 32), c, 2);
}

// Products of 16 bytes of k, and of 8 rows: two of those are a tile.
extern "C" __global__ void shapes(const unsigned *a, const unsigned *b, int *out, int turns) {
    int c[2][2][4] = {}, d[4][4][2] = {};
    unsigned lane = threadIdx.x;
    for (int t = 0; t < turns; t++) {
        unsigned f[8];
        for (int k = 0; k < 8; k++)
            f[k] = (k < 4 ? a : b)[k * 64 + lane + t * 5];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 2; j++)
                MMA_K16(c[i][j], f + i * 2, f + 4 + j);
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                MMA_M8(d[i][j], f + i, f + 4 + j);
    }
    int *to = own_part(out, 48);
    for (int k = 0; k < 16; k++)
        to[k] = c[k / 8][k / 4 % 2][k % 4];
    for (int k = 0; k < 32; k++)
        to[16 + k] = d[k / 8][k / 2 % 4][k % 2];
}

// 48 rows by 48 columns: tiles that have no neighbour.
extern "C" __global__ void wide(const unsigned *a, const unsigned *b, int *out, int turns) {
    __shared__ __align__(16) unsigned sa[1536], sb[1536];
    int c[3][6][4] = {};
    unsigned lane = threadIdx.x % 32;
    for (int t = 0; t < turns; t++) {
        __syncthreads();
        fill(sa, a + t * 64, 1536);
        fill(sb, b + t * 32, 1536);
        __syncthreads();
        unsigned fa[3][4], fb[6][2];
#pragma unroll
        for (int i = 0; i < 3; i++) {
            LDMATRIX(fa[i], piece(sa, i * 16 + lane % 16, t * 2 + lane / 16));
            LDMATRIX(fb[i * 2], piece(sb, i * 16 + lane / 16 * 8 + lane % 8, t * 2 + lane / 8 % 2));
        }
#pragma unroll
        for (int i = 0; i < 3; i++)
#pragma unroll
            for (int j = 0; j < 6; j++)
                MMA(SIGNS_SS, c[i][j], fa[i], fb[j]);
    }
    int *to = own_part(out, 72);
#pragma unroll
    for (int k = 0; k < 72; k++)
        to[k] = c[k / 24][k / 4 % 6][k % 4];
}

// One product of the rectangle is missing; three columns are no whole tiles.
extern "C" __global__ void in_part(const unsigned *a, const unsigned *b, int *out, int turns) {
    int c[2][4][4] = {}, d[4][4] = {};
    unsigned lane = threadIdx.x;
    for (int t = 0; t < turns; t++) {
        unsigned fa[2][4], fb[4][2];
        for (int k = 0; k < 8; k++)
            fa[k / 4][k % 4] = a[k * 32 + lane + t * 7];
        for (int k = 0; k < 8; k++)
            fb[k / 2][k % 2] = b[k * 32 + lane + t];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (i * 4 + j != 6)
                    MMA(SIGNS_SS, c[i][j], fa[i], fb[j]);
        asm volatile("bar.warp.sync 0xffffffff;");
#pragma unroll
        for (int j = 0; j < 3; j++)
            MMA(SIGNS_SS, d[j], fa[0], fb[j]);
    }
    int *to = own_part(out, 48);
    put(to, c, 2);
    for (int k = 0; k < 16; k++)
        to[32 + k] = d[k / 4][k % 4];
}

// Sums that are a tile with other neighbours each time, and are so no tile the second time.
extern "C" __global__ void paired_anew(const unsigned *a, const unsigned *b, int *out, int turns) {
    __shared__ unsigned box[64];
    int c[2][4][4] = {};
    unsigned lane = threadIdx.x % 32;
    for (int t = 0; t < turns; t++) {
        unsigned fa[2][4], fb[4][2];
        for (int k = 0; k < 8; k++)
            fa[k / 4][k % 4] = a[k * 32 + lane + t * 7];
        for (int k = 0; k < 8; k++)
            fb[k / 2][k % 2] = b[k * 32 + threadIdx.x];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                MMA(SIGNS_SU, c[i][j], fa[i], fb[j]);
        box[threadIdx.x] = t;
        __syncthreads();
        fb[0][0] ^= box[threadIdx.x ^ 33];
#pragma unroll
        for (int i = 1; i >= 0; i--)
#pragma unroll
            for (int j = 1; j < 5; j++)
                MMA(SIGNS_SU, c[i][j % 4], fa[i], fb[j % 4]);
        __syncthreads();
    }
    put(own_part(out, 32), c, 2);
}

// Sums that each turn looks at, and changes.
extern "C" __global__ void seen(const unsigned *a, const unsigned *b, int *out, int turns) {
    __shared__ __align__(16) unsigned sa[1024], sb[1024];
    int c[2][4][4] = {}, all = 0;
    fill(sa, a, 1024);
    fill(sb, b, 1024);
    __syncthreads();
    for (int t = 0; t < turns; t++) {
        PRODUCTS(SIGNS_US, sa, sb, c, 2)
        all ^= c[0][1][2] + c[1][3][1];
        __syncthreads();
        sa[threadIdx.x * 4] ^= (unsigned)all;
        c[1][0][3] += 5;
        if (t % 2)
            c[0][2][0] = all;
        __syncthreads();
    }
    int *to = own_part(out, 33);
    put(to, c, 2);
    to[32] = all;
}

// Blocks and turns that choose between products, all with the same sums.
extern "C" __global__ void chosen(const unsigned *a, const unsigned *b, int *out, int turns) {
    __shared__ __align__(16) unsigned sa[1024], sb[1024];
    int c[2][4][4] = {};
    fill(sa, a, 1024);
    fill(sb, b, 1024);
    __syncthreads();
    for (int t = 0; t < turns; t++) {
        if ((blockIdx.x + t) % 3 == 0)
            PRODUCTS(SIGNS_SS, sa, sb, c, 2)
        else if (blockIdx.x != 2)
            PRODUCTS(SIGNS_UU, sa, sb, c, 1)
        __syncthreads();
    }
    put(own_part(out, 32), c, 2);
}

// Warps that do not all multiply, and lanes that leave the loop earlier than others.
extern "C" __global__ void diverged(const unsigned *a, const unsigned *b, int *out, int turns) {
    __shared__ __align__(16) unsigned sa[1024], sb[1024];
    int c[2][4][4] = {}, n = 0;
    fill(sa, a, 1024);
    fill(sb, b, 1024);
    __syncthreads();
    for (int t = 0; t < turns; t++) {
        if (threadIdx.x / 32 != (unsigned)t)
            PRODUCTS(SIGNS_SS, sa, sb, c, 2)
        if (threadIdx.x % 5 == (unsigned)t)
            n += c[0][0][0];
        __syncthreads();
    }
    int *to = own_part(out, 33);
    put(to, c, 2);
    to[32] = n;
}

extern "C" __global__ void saturated(const unsigned *a, const unsigned *b, int *out, int turns) {
    int c[2][4][4];
    unsigned lane = threadIdx.x;
    for (int k = 0; k < 32; k++)
        c[k / 16][k / 4 % 4][k % 4] = k % 2 ? 0x7fffff00 : -0x7fffff00;
    for (int t = 0; t < turns; t++) {
        unsigned fa[2][4], fb[4][2];
        for (int k = 0; k < 8; k++)
            fa[k / 4][k % 4] = a[k * 32 + lane + t * 7];
        for (int k = 0; k < 8; k++)
            fb[k / 2][k % 2] = b[k * 32 + lane];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                MMA_SATURATED(c[i][j], fa[i], fb[j]);
    }
    put(own_part(out, 32), c, 2);
}

// Rows that are loaded transposed.
extern "C" __global__ void transposed(const unsigned *a, const unsigned *b, int *out, int turns) {
    __shared__ __align__(16) unsigned sa[1024], sb[1024];
    int c[2][4][4] = {};
    unsigned lane = threadIdx.x;
    fill(sa, a, 1024);
    fill(sb, b, 1024);
    __syncthreads();
    for (int t = 0; t < turns; t++) {
        unsigned fa[2][4], fb[4][2];
        for (int i = 0; i < 2; i++)
            LDMATRIX(fa[i], piece(sa, i * 16 + lane % 16, t * 2 + lane / 16));
        for (int j = 0; j < 2; j++)
            LDMATRIX_T(fb[j * 2], piece(sb, j * 16 + lane / 16 * 8 + lane % 8, lane / 8 % 2));
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                MMA(SIGNS_SS, c[i][j], fa[i], fb[j]);
    }
    put(own_part(out, 32), c, 2);
}

// wmma: fragments whose sums are added to in loops, of all three shapes.
template <int M, int N, typename A, typename B>
__device__ static void multiply_fragments(const unsigned *sa, const unsigned *sb, int *out,
                                          int turns) {
    using namespace nvcuda::wmma;
    fragment<accumulator, M, N, 16, int> c[2];
    fill_fragment(c[0], 3);
    fill_fragment(c[1], 0);
    for (int t = 0; t < turns; t++) {
#pragma unroll
        for (int k = 0; k < 3; k++) {
            fragment<matrix_a, M, N, 16, A, row_major> a[2];
            fragment<matrix_b, M, N, 16, B, col_major> b;
            load_matrix_sync(a[0], (const A *)sa + k * 16, 64);
            load_matrix_sync(a[1], (const A *)sa + k * 16 + 1024, 64);
            load_matrix_sync(b, (const B *)sb + k * 16 + t * 128, 64);
            mma_sync(c[0], a[0], b, c[0]);
            mma_sync(c[1], a[1], b, c[1]);
        }
        __syncthreads();
    }
    for (int k = 0; k < c[0].num_elements; k++) {
        out[k] = c[0].x[k];
        out[8 + k] = c[1].x[k];
    }
}

extern "C" __global__ void fragments(const unsigned *a, const unsigned *b, int *out, int turns) {
    __shared__ __align__(32) unsigned sa[1024], sb[1024];
    fill(sa, a, 1024);
    fill(sb, b, 1024);
    __syncthreads();
    int *to = own_part(out, 48);
    multiply_fragments<16, 16, signed char, signed char>(sa, sb, to, turns);
    multiply_fragments<32, 8, unsigned char, unsigned char>(sa, sb, to + 16, turns);
    multiply_fragments<8, 32, signed char, signed char>(sa, sb, to + 32, turns);
}
