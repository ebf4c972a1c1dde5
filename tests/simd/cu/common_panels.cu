// Warps of a block that multiply with the same rows of shared memory, and what they must not take
// for the same: rows that are written anew behind a barrier, by the warp itself, or by one that
// another warp has told to.
// also: KUDZU_TILES=plain
// run: square_bytes grid=2 block=128 args=buf:4096:rand,buf:4096:rand,buf:32768:zero,u32:3
// run: square_bytes grid=1 block=192 args=buf:4096:rand,buf:4096:rand,buf:32768:zero,u32:3
// run: square_halves grid=2 block=128 args=buf:4096:rand,buf:4096:rand,buf:32768:zero,u32:3
// run: by_turns grid=2 block=128 args=buf:4096:rand,buf:4096:rand,buf:32768:zero,u32:5
// run: rewritten grid=1 block=96 args=buf:4096:rand,buf:4096:rand,buf:32768:zero,u32:3
// run: last_arrives grid=2 block=128 args=buf:4096:rand,buf:4096:rand,buf:32768:zero,u32:3
// run: told grid=1 block=64 args=buf:4096:rand,buf:4096:rand,buf:32768:zero,u32:2
// run: many grid=1 block=320 args=buf:4096:rand,buf:4096:rand,buf:32768:zero,u32:3
// run: apart_then_common grid=1 block=128 args=buf:4096:rand,buf:4096:rand,buf:32768:zero,u32:6
// run: waiting grid=1 block=128 args=buf:4096:rand,buf:4096:rand,buf:32768:zero,u32:3
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

// Of a's rows and b's columns a block has 64 each, of 128 bytes; a product has 32 of both.
enum { ROWS = 64, HALF = 32, ROW_WORDS = 32, WORDS = ROWS * ROW_WORDS };

__device__ static unsigned piece(const void *s, unsigned row, unsigned piece) {
    return (unsigned)__cvta_generic_to_shared(s) + (row * 8 + (piece ^ (row & 7))) * 16;
}

__device__ static void fill(unsigned *s, const unsigned *in, unsigned n, unsigned t, unsigned first,
                            unsigned step) {
    for (unsigned k = first; k < n; k += step)
        s[k] = in[(k + t * 96) % 4096] & 0xbfffbfffu;
}

// Rows of a from `row`, columns of b from `column` on.
#define MULTIPLY(MMA, c, sa, row, sb, column)                                                      \
    _Pragma("unroll") for (int step = 0; step < 4; step++) {                                       \
        unsigned fa[2][4], fb[4][2], lane = threadIdx.x % 32;                                      \
        _Pragma("unroll") for (int i = 0; i < 2; i++)                                              \
            LOAD(fa[i], piece(sa, (row) + i * 16 + lane % 16, step * 2 + lane / 16));              \
        _Pragma("unroll") for (int j = 0; j < 2; j++) LOAD(                                        \
            fb[j * 2],                                                                             \
            piece(sb, (column) + j * 16 + lane / 16 * 8 + lane % 8, step * 2 + lane / 8 % 2));     \
        _Pragma("unroll") for (int i = 0; i < 2; i++)                                              \
            _Pragma("unroll") for (int j = 0; j < 4; j++) MMA(c[i][j], fa[i], fb[j]);              \
    }

template <typename T> __device__ static void put(T *out, const T (*c)[4][4]) {
    out += (blockIdx.x * blockDim.x + threadIdx.x) * 32;
#pragma unroll
    for (int k = 0; k < 32; k++)
        out[k] = c[k / 16][k / 4 % 4][k % 4];
}

#define TILES __shared__ __align__(128) unsigned sa[WORDS], sb[WORDS]
#define FILL_ALL                                                                                   \
    __syncthreads();                                                                               \
    fill(sa, a, WORDS, t + blockIdx.x, threadIdx.x, blockDim.x);                                   \
    fill(sb, b, WORDS, t, threadIdx.x, blockDim.x);                                                \
    __syncthreads();

// Two by two warps; six have rows and columns in another order.
#define SQUARE(MMA, T)                                                                             \
    TILES;                                                                                         \
    T c[2][4][4] = {};                                                                             \
    int warp = threadIdx.x / 32;                                                                   \
    for (unsigned t = 0; t < turns; t++) {                                                         \
        FILL_ALL                                                                                   \
        MULTIPLY(MMA, c, sa, warp / 2 % 2 * HALF, sb, (warp + warp / 4) % 2 * HALF)                \
    }                                                                                              \
    put(out, c);

extern "C" __global__ void square_bytes(const unsigned *a, const unsigned *b, int *out,
                                        unsigned turns) {
    SQUARE(MMA_BYTES, int)
}

extern "C" __global__ void square_halves(const unsigned *a, const unsigned *b, float *out,
                                         unsigned turns) {
    SQUARE(MMA_HALVES, float)
}

// Each turn another warp is left out, and who makes a panel in one turn uses it in the next.
extern "C" __global__ void by_turns(const unsigned *a, const unsigned *b, int *out,
                                    unsigned turns) {
    TILES;
    int c[2][4][4] = {};
    unsigned warp = threadIdx.x / 32;
    for (unsigned t = 0; t < turns; t++) {
        FILL_ALL
        if ((t + blockIdx.x) % 4 != warp)
            MULTIPLY(MMA_BYTES, c, sa, warp / 2 * HALF, sb, 0)
    }
    put(out, c);
}

// A warp's own columns, which it writes again and again between two barriers.
extern "C" __global__ void rewritten(const unsigned *a, const unsigned *b, int *out,
                                     unsigned turns) {
    __shared__ __align__(128) unsigned sa[WORDS], sb[3 * WORDS / 2];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned *own = sb + warp * WORDS / 2;
    int c[2][4][4] = {};
    fill(sa, a, WORDS, 0, threadIdx.x, blockDim.x);
    __syncthreads();
    for (unsigned t = 0; t < turns * 3; t++) {
        __syncwarp();
        fill(own, b, WORDS / 2, t + warp, lane, 32);
        __syncwarp();
        MULTIPLY(MMA_BYTES, c, sa, 0, own, 0)
        if (t % 3 == 2)
            __syncthreads();
    }
    put(out, c);
}

// All multiply with the same columns; the warp that does so last writes them anew and goes on.
// Which one that is nobody knows: its second sums go to the block's place.
extern "C" __global__ void last_arrives(const unsigned *a, const unsigned *b, int *out,
                                        unsigned turns) {
    TILES;
    __shared__ unsigned arrived;
    int c[2][4][4] = {}, more[2][4][4] = {};
    unsigned lane = threadIdx.x % 32;
    for (unsigned t = 0; t < turns; t++) {
        FILL_ALL
        if (threadIdx.x == 0)
            arrived = 0;
        __syncthreads();
        bool last = false;
        for (int twice = 0; twice < 2; twice++) {
            if (twice)
                fill(sb, b, WORDS, t + 7, lane, 32);
            __syncwarp();
            MULTIPLY(MMA_BYTES, c, sa, 0, sb, 0)
            unsigned n = lane == 0 ? atomicAdd(&arrived, 1) : 0;
            last = __shfl_sync(~0u, n, 0) == blockDim.x / 32 - 1;
            if (!last)
                break;
        }
        if (last) {
#pragma unroll
            for (int k = 0; k < 32; k++) {
                more[k / 16][k / 4 % 4][k % 4] += c[k / 16][k / 4 % 4][k % 4];
                c[k / 16][k / 4 % 4][k % 4] = 0;
            }
            for (int k = 0; k < 32; k++)
                out[16384 + (blockIdx.x * 32 + lane) * 32 + k] += more[k / 16][k / 4 % 4][k % 4];
        }
    }
    if (threadIdx.x / 32 == 0 && turns == 77)
        put(out, c);
}

// One warp waits until the other one has multiplied, writes the rows and multiplies itself.
extern "C" __global__ void told(const unsigned *a, const unsigned *b, int *out, unsigned turns) {
    TILES;
    __shared__ volatile unsigned state;
    int c[2][4][4] = {};
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        state = 0;
    for (unsigned t = 0; t < turns; t++) {
        FILL_ALL
        if (warp) {
            while (state <= t) {
            }
            __threadfence_block();
            fill(sb, b, WORDS, t + 5, lane, 32);
            __syncwarp();
        }
        MULTIPLY(MMA_BYTES, c, sa, 0, sb, 0)
        __threadfence_block();
        if (threadIdx.x == 0)
            state = t + 1;
    }
    put(out, c);
}

// More different rows than are kept; each warp has three products in a turn.
extern "C" __global__ void many(const unsigned *a, const unsigned *b, int *out, unsigned turns) {
    __shared__ __align__(128) unsigned sa[WORDS], sb[2 * WORDS];
    int c[2][4][4] = {};
    unsigned warp = threadIdx.x / 32;
    for (unsigned t = 0; t < turns; t++) {
        __syncthreads();
        fill(sa, a, WORDS, t, threadIdx.x, blockDim.x);
        fill(sb, b, 2 * WORDS, t, threadIdx.x, blockDim.x);
        __syncthreads();
        for (unsigned k = 0; k < 3; k++)
            MULTIPLY(MMA_BYTES, c, sa, warp % 2 * HALF, sb, ((warp + k * 5) & 3) * HALF)
    }
    put(out, c);
}

// First all have other columns, later the same ones.
extern "C" __global__ void apart_then_common(const unsigned *a, const unsigned *b, int *out,
                                             unsigned turns) {
    __shared__ __align__(128) unsigned sa[WORDS], sb[2 * WORDS];
    int c[2][4][4] = {};
    unsigned warp = threadIdx.x / 32;
    for (unsigned t = 0; t < turns; t++) {
        __syncthreads();
        fill(sa, a, WORDS, t, threadIdx.x, blockDim.x);
        fill(sb, b, 2 * WORDS, t, threadIdx.x, blockDim.x);
        __syncthreads();
        MULTIPLY(MMA_BYTES, c, sa, warp / 2 * HALF, sb, (t < 3 ? warp : t % 2) * HALF)
    }
    put(out, c);
}

// Warps meet in pairs: the first of a pair multiplies before, the second one writes the rows in
// between.
extern "C" __global__ void waiting(const unsigned *a, const unsigned *b, int *out,
                                   unsigned turns) {
    __shared__ __align__(128) unsigned sa[WORDS], sb[2 * WORDS];
    int c[2][4][4] = {};
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned *mine = sb + warp / 2 * WORDS;
    for (unsigned t = 0; t < turns; t++) {
        __syncthreads();
        fill(sa, a, WORDS, t, threadIdx.x, blockDim.x);
        fill(sb, b, 2 * WORDS, t, threadIdx.x, blockDim.x);
        __syncthreads();
        if (warp % 2 == 0)
            MULTIPLY(MMA_BYTES, c, sa, 0, mine, 0)
        asm volatile("bar.sync %0, 64;" ::"r"(warp / 2 + 1) : "memory");
        if (warp % 2) {
            fill(mine, b, WORDS, t + 9, lane, 32);
            __syncwarp();
            MULTIPLY(MMA_BYTES, c, sa, 0, mine, 0)
        }
    }
    put(out, c);
}
