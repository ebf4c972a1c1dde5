#include "bench.h"

// SHA-256 of many messages of 256 bytes each, a thread a message.
extern "C" void native_sha256(const unsigned *messages, unsigned *digests, int n);

__constant__ unsigned sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned rotate(unsigned x, int n) {
    return __funnelshift_r(x, x, n);
}

__device__ void sha256_block(unsigned h[8], unsigned w[16]) {
    unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], i = h[7];
#pragma unroll
    for (int t = 0; t < 64; t++) {
        if (t >= 16) {
            unsigned x = w[(t + 1) % 16], y = w[(t + 14) % 16];
            w[t % 16] += (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[(t + 9) % 16] +
                         (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
        }
        unsigned t1 = i + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +
                      sha256_k[t] + w[t % 16];
        unsigned t2 =
            (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        i = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
    h[5] += f;
    h[6] += g;
    h[7] += i;
}

__global__ void sha256(const uint4 *messages, unsigned *digests, int n) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n)
        return;
    unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned w[16];
    const uint4 *m = messages + (size_t)id * 16;
    for (int block = 0; block < 4; block++) {
        for (int k = 0; k < 4; k++) {
            uint4 v = m[block * 4 + k];
            w[4 * k] = __byte_perm(v.x, 0, 0x0123);
            w[4 * k + 1] = __byte_perm(v.y, 0, 0x0123);
            w[4 * k + 2] = __byte_perm(v.z, 0, 0x0123);
            w[4 * k + 3] = __byte_perm(v.w, 0, 0x0123);
        }
        sha256_block(h, w);
    }
    for (int k = 0; k < 16; k++)
        w[k] = k == 0 ? 0x80000000u : k == 15 ? 2048 : 0;
    sha256_block(h, w);
    for (int k = 0; k < 8; k++)
        digests[(size_t)k * n + id] = h[k];
}

BENCH(sha256) {
    int n = 1 << 14;
    Buffer<unsigned> messages((size_t)n * 64), digests((size_t)n * 8);
    unsigned seed = 11;
    for (size_t i = 0; i < messages.size; i++)
        messages.host[i] = bench_random(&seed);
    messages.upload();
    Row r("SHA-256", 256.0 * n, "GB/s of input");
    r.kudzu = [&] { sha256<<<n / 128, 128>>>((const uint4 *)messages.dev, digests.dev, n); };
    r.native = [&] { native_sha256(messages.host, digests.host, n); };
    r.pocl = [&] { pocl("sha256", n / 128, 128, messages, digests, n); };
    r.outputs = {&digests};
    measure(r);
}
