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
