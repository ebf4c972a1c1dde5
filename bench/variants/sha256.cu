// Macros and a schedule of 64 words; rounds unrolled with renamed variables, the schedule in 16
// words, messages in a grid-stride loop; a context with update and final over bytes.
#include "bench.h"

typedef unsigned int uint;
typedef unsigned char byte;
enum { N = 1 << 14, LENGTH = 256 };

#define K_TABLE                                                                                    \
    {                                                                                              \
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,        \
            0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,    \
            0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,    \
            0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,    \
            0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,    \
            0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,    \
            0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,    \
            0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,    \
            0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,    \
            0xc67178f2                                                                             \
    }
#define H_START                                                                                    \
    {                                                                                              \
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,        \
            0x5be0cd19                                                                             \
    }

__constant__ uint constant_k[64] = K_TABLE;
__device__ const uint global_k[64] = K_TABLE;

#define ROTRIGHT(a, b) (((a) >> (b)) | ((a) << (32 - (b))))
#define CH(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJ(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))
#define EP0(x) (ROTRIGHT(x, 2) ^ ROTRIGHT(x, 13) ^ ROTRIGHT(x, 22))
#define EP1(x) (ROTRIGHT(x, 6) ^ ROTRIGHT(x, 11) ^ ROTRIGHT(x, 25))
#define SIG0(x) (ROTRIGHT(x, 7) ^ ROTRIGHT(x, 18) ^ ((x) >> 3))
#define SIG1(x) (ROTRIGHT(x, 17) ^ ROTRIGHT(x, 19) ^ ((x) >> 10))

__device__ uint big_endian(const byte *p) {
    return (uint)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

// ---- a schedule of 64 words -----------------------------------------------------------------

__device__ void transform(uint *state, const uint *m) {
    uint w[64], s[8];
    for (int i = 0; i < 16; ++i)
        w[i] = m[i];
    for (int i = 16; i < 64; ++i)
        w[i] = SIG1(w[i - 2]) + w[i - 7] + SIG0(w[i - 15]) + w[i - 16];
    for (int i = 0; i < 8; ++i)
        s[i] = state[i];
    for (int i = 0; i < 64; ++i) {
        uint t1 = s[7] + EP1(s[4]) + CH(s[4], s[5], s[6]) + constant_k[i] + w[i];
        uint t2 = EP0(s[0]) + MAJ(s[0], s[1], s[2]);
        for (int k = 7; k > 0; --k)
            s[k] = s[k - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i)
        state[i] += s[i];
}

__global__ void whole_schedule(const uint *messages, uint *digests, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= n)
        return;
    uint state[8] = H_START, m[16];
    const uint *in = messages + thread * (LENGTH / 4);
    for (int block = 0; block < LENGTH / 64; block++, in += 16) {
        for (int k = 0; k < 16; k++) {
            uint v = in[k];
            m[k] = v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
        }
        transform(state, m);
    }
    for (int k = 0; k < 16; k++)
        m[k] = 0;
    m[0] = 0x80000000;
    m[15] = LENGTH * 8;
    transform(state, m);
    for (int k = 0; k < 8; k++)
        digests[k * n + thread] = state[k];
}

// ---- rounds with renamed variables ----------------------------------------------------------

#define ROUND(a, b, c, d, e, f, g, h, i)                                                           \
    h += EP1(e) + CH(e, f, g) + global_k[t + i] + w[i];                                            \
    d += h;                                                                                        \
    h += EP0(a) + MAJ(a, b, c);
#define EIGHT_ROUNDS(i)                                                                            \
    ROUND(a, b, c, d, e, f, g, h, i)                                                               \
    ROUND(h, a, b, c, d, e, f, g, i + 1)                                                           \
    ROUND(g, h, a, b, c, d, e, f, i + 2)                                                           \
    ROUND(f, g, h, a, b, c, d, e, i + 3)                                                           \
    ROUND(e, f, g, h, a, b, c, d, i + 4)                                                           \
    ROUND(d, e, f, g, h, a, b, c, i + 5)                                                           \
    ROUND(c, d, e, f, g, h, a, b, i + 6)                                                           \
    ROUND(b, c, d, e, f, g, h, a, i + 7)

__device__ void compress(uint (&state)[8], uint (&w)[16]) {
    uint a = state[0], b = state[1], c = state[2], d = state[3];
    uint e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; t += 16) {
        if (t > 0)
#pragma unroll
            for (int i = 0; i < 16; i++)
                w[i] += SIG1(w[(i + 14) & 15]) + w[(i + 9) & 15] + SIG0(w[(i + 1) & 15]);
        EIGHT_ROUNDS(0)
        EIGHT_ROUNDS(8)
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

__global__ void renamed(const byte *messages, uint *digests, int n) {
    for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) {
        uint state[8] = H_START, w[16];
        for (int from = 0; from <= LENGTH; from += 64) {
            bool rest = from == LENGTH;
#pragma unroll
            for (int i = 0; i < 16; i++)
                w[i] = rest ? 0 : big_endian(messages + id * LENGTH + from + 4 * i);
            if (rest) {
                w[0] = 0x80000000;
                w[15] = LENGTH * 8;
            }
            compress(state, w);
        }
        for (int k = 0; k < 8; k++)
            digests[k * n + id] = state[k];
    }
}

// ---- a context over bytes -------------------------------------------------------------------

struct Context {
    byte data[64];
    uint filled = 0, bits = 0, state[8] = H_START;
    __device__ void block() {
        uint m[16];
        for (int i = 0; i < 16; i++)
            m[i] = big_endian(data + 4 * i);
        transform(state, m);
        bits += 512;
        filled = 0;
    }
    __device__ void update(const byte *from, int length) {
        for (int i = 0; i < length; i++) {
            data[filled++] = from[i];
            if (filled == 64)
                block();
        }
    }
    // Of messages whose last block has room for the length.
    __device__ void final(uint *digest, int stride) {
        uint total = bits + filled * 8;
        data[filled++] = 0x80;
        while (filled < 60)
            data[filled++] = 0;
        for (int shift = 24; shift >= 0; shift -= 8)
            data[filled++] = total >> shift;
        block();
        for (int k = 0; k < 8; k++)
            digest[k * stride] = state[k];
    }
};

__global__ void with_context(const byte *messages, uint *digests, int n) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    Context context;
    context.update(messages + (size_t)id * LENGTH, LENGTH);
    context.final(digests + id, n);
}

VARIANTS(sha256, "SHA-256") {
    const uint *messages = row_buffer<uint>(0).dev;
    uint *digests = row_buffer<uint>(1).dev;
    return {
        [=] { whole_schedule<<<(N + 255) / 256, 256>>>(messages, digests, N); },
        [=] { renamed<<<64, 64>>>((const byte *)messages, digests, N); },
        [=] { with_context<<<N / 128, 128>>>((const byte *)messages, digests, N); },
    };
}
