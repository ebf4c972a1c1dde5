#include <immintrin.h>

// Sixteen messages at a time, one in each lane.
static const unsigned k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTATE(x, n) _mm512_ror_epi32(x, n)
#define XOR3(a, b, c) _mm512_ternarylogic_epi32(a, b, c, 0x96)
#define CHOOSE(a, b, c) _mm512_ternarylogic_epi32(a, b, c, 0xca)
#define MAJORITY(a, b, c) _mm512_ternarylogic_epi32(a, b, c, 0xe8)
#define ADD(a, b) _mm512_add_epi32(a, b)

static inline void block(__m512i h[8], __m512i w[16]) {
    __m512i s[8];
    for (int i = 0; i < 8; i++)
        s[i] = h[i];
#pragma clang loop unroll(full)
    for (int t = 0; t < 64; t++) {
        __m512i a = s[-t & 7], b = s[(1 - t) & 7], c = s[(2 - t) & 7], e = s[(4 - t) & 7];
        __m512i f = s[(5 - t) & 7], g = s[(6 - t) & 7];
        if (t >= 16) {
            __m512i x = w[(t + 1) % 16], y = w[(t + 14) % 16];
            __m512i s0 = XOR3(ROTATE(x, 7), ROTATE(x, 18), _mm512_srli_epi32(x, 3));
            __m512i s1 = XOR3(ROTATE(y, 17), ROTATE(y, 19), _mm512_srli_epi32(y, 10));
            w[t % 16] = ADD(ADD(w[t % 16], s0), ADD(w[(t + 9) % 16], s1));
        }
        __m512i t1 = ADD(ADD(s[(7 - t) & 7], XOR3(ROTATE(e, 6), ROTATE(e, 11), ROTATE(e, 25))),
                         ADD(CHOOSE(e, f, g), ADD(_mm512_set1_epi32((int)k[t]), w[t % 16])));
        __m512i t2 = ADD(XOR3(ROTATE(a, 2), ROTATE(a, 13), ROTATE(a, 22)), MAJORITY(a, b, c));
        s[(3 - t) & 7] = ADD(s[(3 - t) & 7], t1);
        s[(7 - t) & 7] = ADD(t1, t2);
    }
    for (int i = 0; i < 8; i++)
        h[i] = ADD(h[i], s[i]);
}

void native_sha256(const unsigned *messages, unsigned *digests, int n) {
    const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const __m512i lane = _mm512_setr_epi32(0, 64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704,
                                           768, 832, 896, 960);
    const __m512i swap =
        _mm512_broadcast_i32x4(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i += 16) {
        __m512i h[8], w[16];
        for (int j = 0; j < 8; j++)
            h[j] = _mm512_set1_epi32((int)start[j]);
        for (int b = 0; b < 4; b++) {
            for (int j = 0; j < 16; j++)
                w[j] = _mm512_shuffle_epi8(
                    _mm512_i32gather_epi32(lane, messages + (size_t)i * 64 + b * 16 + j, 4), swap);
            block(h, w);
        }
        for (int j = 0; j < 16; j++)
            w[j] = _mm512_set1_epi32(j == 0 ? (int)0x80000000u : j == 15 ? 2048 : 0);
        block(h, w);
        for (int j = 0; j < 8; j++)
            _mm512_storeu_si512(digests + (size_t)j * n + i, h[j]);
    }
}
