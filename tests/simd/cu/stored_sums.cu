// Sums of products that begin with zeros and are stored in pairs, as mma's layout has them, to rows
// a distance apart that only the launch knows; the same where something else is done to them first.
// also: KUDZU_TILES=plain
// run: halves grid=2 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:40,u32:3
// run: halves grid=1 block=96 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:36,u32:0
// run: bytes grid=2 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:40,u32:2
// run: partly grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:40,u32:2,u32:1
// run: partly grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:38,u32:2,u32:21
// run: begun grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:40,u32:2
// run: changed grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:40,u32:2
// run: bytes grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:32,u32:2
// run: ways grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:40,u32:2
// run: ways grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:42,u32:2
// run: own_order grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:40,u32:2,u32:0
// run: own_order grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:40,u32:2,u32:8
// run: own_order grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:64,u32:2,u32:24
// run: own_order grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:72,u32:2,u32:32
// run: between grid=1 block=64 args=buf:2048:rand,buf:2048:rand,buf:16384:zero,u32:40,u32:2
#define LOAD(r, at)                                                                                \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                   \
                 : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3])                          \
                 : "r"(at)                                                                         \
                 : "memory")
#define MMA_HALVES(c, a, b)                                                                        \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "               \
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                          \
                 : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])                          \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))
#define MMA_BYTES(c, a, b)                                                                         \
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, "                 \
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                          \
                 : "+r"((c)[0]), "+r"((c)[1]), "+r"((c)[2]), "+r"((c)[3])                          \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))

enum { ROWS = 32, COLUMNS = 32, ROW_WORDS = 32 };

__device__ static unsigned piece(const void *s, unsigned row, unsigned piece) {
    return (unsigned)__cvta_generic_to_shared(s) + (row * 8 + (piece ^ (row & 7))) * 16;
}

__device__ static void fill(unsigned *s, const unsigned *in, unsigned t) {
    for (unsigned k = threadIdx.x; k < ROWS * ROW_WORDS; k += blockDim.x)
        s[k] = in[(k + t * 96) % 2048] & (k % 509 == 7 ? ~0u : 0xbfffbfffu);
}

#define MULTIPLY(MMA, c, sa, sb)                                                                   \
    _Pragma("unroll") for (int step = 0; step < 4; step++) {                                       \
        unsigned fa[2][4], fb[4][2], lane = threadIdx.x % 32;                                      \
        _Pragma("unroll") for (int i = 0; i < 2; i++)                                              \
            LOAD(fa[i], piece(sa, i * 16 + lane % 16, step * 2 + lane / 16));                      \
        _Pragma("unroll") for (int j = 0; j < 2; j++) LOAD(                                        \
            fb[j * 2], piece(sb, j * 16 + lane / 16 * 8 + lane % 8, step * 2 + lane / 8 % 2));     \
        _Pragma("unroll") for (int i = 0; i < 2; i++)                                              \
            _Pragma("unroll") for (int j = 0; j < 4; j++) MMA(c[i][j], fa[i], fb[j]);              \
    }

#define LOOP(MMA, c)                                                                               \
    __shared__ __align__(128) unsigned sa[ROWS * ROW_WORDS], sb[COLUMNS * ROW_WORDS];              \
    for (unsigned t = 0; t < turns; t++) {                                                         \
        __syncthreads();                                                                           \
        fill(sa, a, t + blockIdx.x);                                                               \
        fill(sb, b, t);                                                                            \
        __syncthreads();                                                                           \
        MULTIPLY(MMA, c, sa, sb)                                                                   \
    }

// Each warp has 32 rows of its own.
template <typename T> __device__ static T *row_of(T *out, unsigned pitch, int i) {
    unsigned lane = threadIdx.x % 32, row = threadIdx.x / 32 * ROWS + i * 16 + lane / 4;
    return out + ((size_t)blockIdx.x * blockDim.x + row) * pitch + lane % 4 * 2;
}

#define FOR_EACH                                                                                   \
    _Pragma("unroll") for (int i = 0; i < 2; i++) _Pragma("unroll") for (int j = 0; j < 4; j++)

extern "C" __global__ void halves(const unsigned *a, const unsigned *b, float *out, unsigned pitch,
                                  unsigned turns) {
    float c[2][4][4] = {};
    LOOP(MMA_HALVES, c)
    FOR_EACH {
        float2 *to = (float2 *)(row_of(out, pitch, i) + j * 8);
        to[0] = make_float2(c[i][j][0], c[i][j][1]);
        to[4 * pitch] = make_float2(c[i][j][2], c[i][j][3]);
    }
}

extern "C" __global__ void bytes(const unsigned *a, const unsigned *b, int *out, unsigned pitch,
                                 unsigned turns) {
    int c[2][4][4] = {};
    LOOP(MMA_BYTES, c)
    FOR_EACH {
        int2 *to = (int2 *)(row_of(out, pitch, i) + j * 8);
        to[0] = make_int2(c[i][j][0], c[i][j][1]);
        to[4 * pitch] = make_int2(c[i][j][2], c[i][j][3]);
    }
}

// Some lanes store; one place for all; registers in another order, and of several products.
extern "C" __global__ void partly(const unsigned *a, const unsigned *b, float *out, unsigned pitch,
                                  unsigned turns, unsigned some) {
    float c[2][4][4] = {};
    LOOP(MMA_HALVES, c)
    FOR_EACH {
        float2 *to = (float2 *)(row_of(out, pitch, i) + j * 8);
        if (j == 0 && threadIdx.x % 32 < some)
            to[0] = make_float2(c[i][j][0], c[i][j][1]);
        if (j == 1)
            to[0] = make_float2(c[i][j][1], c[i][j][0]);
        if (j == 2)
            to[0] = make_float2(c[i][j][0], c[i][3][1]);
        if (j == 3)
            to[0] = make_float2(c[i][j][1], c[i][j][2]);
        ((float2 *)(out + 8192))[threadIdx.x + (i * 4 + j) * blockDim.x] =
            make_float2(c[i][j][2], c[i][j][3]);
    }
}

// Not all of a tile's sums begin with zero.
extern "C" __global__ void begun(const unsigned *a, const unsigned *b, float *out, unsigned pitch,
                                 unsigned turns) {
    float c[2][4][4] = {};
    c[0][0][1] = 1;
    c[1][1][2] = -0.0f;
    c[1][2][0] = threadIdx.x;
    LOOP(MMA_HALVES, c)
    FOR_EACH {
        float2 *to = (float2 *)(row_of(out, pitch, i) + j * 8);
        to[0] = make_float2(c[i][j][0], c[i][j][1]);
        to[4 * pitch] = make_float2(c[i][j][2], c[i][j][3]);
    }
}

// Sums that are looked at, and changed, before they are stored.
extern "C" __global__ void changed(const unsigned *a, const unsigned *b, float *out, unsigned pitch,
                                   unsigned turns) {
    float c[2][4][4] = {};
    LOOP(MMA_HALVES, c)
    float most = 0;
    FOR_EACH {
        if (j < 2)
            most = fmaxf(most, c[i][j][0]);
        float2 *to = (float2 *)(row_of(out, pitch, i) + j * 8);
        to[0] = make_float2(c[i][j][0], c[i][j][1]);
        to[4 * pitch] = make_float2(c[i][j][2] * 2, c[i][j][3]);
    }
    out[12288 + blockIdx.x * blockDim.x + threadIdx.x] = most;
}

// Rows from below to above, lower ones before upper ones, one row after the other, a line that begins
// amid a tile's, the same place twice, places with gaps.
extern "C" __global__ void ways(const unsigned *a, const unsigned *b, int *out, unsigned pitch,
                                unsigned turns) {
    int c[2][4][4] = {};
    LOOP(MMA_BYTES, c)
    unsigned lane = threadIdx.x % 32, row = threadIdx.x / 32 * ROWS + lane / 4;
    int p = pitch;
    int2 *up = (int2 *)(out + 7000 - (int)row * p + lane % 4 * 2);
    FOR_EACH up[j * 4 - 8 * i * p] = make_int2(c[i][j][0], c[i][j][1]);
    int2 *down = (int2 *)(out + 8000 + row * p + lane % 4 * 2);
    FOR_EACH {
        down[j * 4 + 4 * p] = make_int2(c[i][j][2], c[i][j][3]);
        down[j * 4] = make_int2(c[i][j][0], c[i][j][1]);
        down += j == 3 ? 8 * p : 0;
    }
    int2 *by_rows = (int2 *)(out + 11000 + row * p + lane % 4 * 2);
#pragma unroll
    for (int half = 0; half < 4; half++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            by_rows[half * 4 * p + (3 - j) * 4] =
                make_int2(c[half / 2][3 - j][half % 2 * 2], c[half / 2][3 - j][half % 2 * 2 + 1]);
    int2 *shifted = (int2 *)(out + 14000 + row * p + lane % 4 * 2);
    shifted[0] = make_int2(c[0][1][0], c[0][1][1]);
    shifted[4] = make_int2(c[0][2][0], c[0][2][1]);
    shifted[8] = make_int2(c[0][3][0], c[0][3][1]);
    shifted[8] = make_int2(c[1][3][0], c[1][3][1]);
    shifted[12] = make_int2(c[1][2][0], c[1][2][1]);
    shifted[16] = make_int2(c[1][3][2], c[1][3][3]);
}

// Each thread's second pair goes to the same row, over what it has stored there or will store.
extern "C" __global__ void own_order(const unsigned *a, const unsigned *b, int *out, unsigned pitch,
                                     unsigned turns, int distance) {
    int c[2][4][4] = {};
    LOOP(MMA_BYTES, c)
    FOR_EACH {
        int *to = row_of(out, pitch, i) + j * 8;
        *(int2 *)to = make_int2(c[i][j][0], c[i][j][1]);
        *(int2 *)(to + distance) = make_int2(c[i][j][2], c[i][j][3]);
    }
}

// What else happens between the stores of pairs: a load that sees one of them, an atomic, a store of
// something else to the same place, a product's sum that is changed.
extern "C" __global__ void between(const unsigned *a, const unsigned *b, int *out, unsigned pitch,
                                   unsigned turns) {
    int c[2][4][4] = {};
    LOOP(MMA_BYTES, c)
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int *rows = out + (warp * ROWS + lane / 4) * pitch + lane % 4 * 2;
    int seen = 0;
    FOR_EACH {
        int2 *to = (int2 *)(rows + 16 * i * pitch + j * 8);
        to[0] = make_int2(c[i][j][0], c[i][j][1]);
        if (i == 0 && j == 1)
            seen += ((volatile int *)rows)[1];
        if (i == 0 && j == 2)
            seen += rows[j * 8] + rows[8 * pitch];
        if (i == 1 && j == 0)
            rows[j * 8 + 16 * pitch] = seen;
        if (i == 1 && j == 2)
            atomicAdd(rows + 16 * pitch, 3);
        to[4 * pitch] = make_int2(c[i][j][2], c[i][j][3] + (j == 3));
    }
    out[12288 + blockIdx.x * blockDim.x + threadIdx.x] = seen;
}
