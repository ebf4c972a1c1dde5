#include <immintrin.h>

// Sixteen paths at a time; logarithm and exponential of the C library's vector functions.
__m512 _ZGVeN16v_logf(__m512);
__m512 _ZGVeN16v_expf(__m512);

// *high, return: the halves of the products.
static inline __m512i multiply(__m512i a, unsigned b, __m512i *high) {
    __m512i m = _mm512_set1_epi32((int)b);
    __m512i even = _mm512_mul_epu32(a, m), odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), m);
    *high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
    return _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}

static inline void philox(__m512i c[4], unsigned k0, unsigned k1) {
    for (int round = 0; round < 10; round++) {
        __m512i h0, l0 = multiply(c[0], 0xd2511f53u, &h0);
        __m512i h1, l1 = multiply(c[2], 0xcd9e8d57u, &h1);
        c[0] = _mm512_ternarylogic_epi32(h1, c[1], _mm512_set1_epi32((int)k0), 0x96);
        c[1] = l1;
        c[2] = _mm512_ternarylogic_epi32(h0, c[3], _mm512_set1_epi32((int)k1), 0x96);
        c[3] = l0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
}

static inline __m512 unit(__m512i x) {
    __m512 v = _mm512_cvtepi32_ps(_mm512_srli_epi32(x, 9));
    return (v + 0.5f) * (1.0f / (1 << 23));
}

// sin and cos of pi x for x in (0, 2)
static inline void sincospi(__m512 x, __m512 *sine, __m512 *cosine) {
    __m512i q = _mm512_cvtps_epi32(x + x);
    __m512 t = x - 0.5f * _mm512_cvtepi32_ps(q), u = t * t;
    __m512 s = t * (3.14159265f +
                    u * (-5.16771278f + u * (2.55016404f + u * (-0.59926453f + u * 0.08214589f))));
    __m512 c =
        1.0f + u * (-4.93480220f +
                    u * (4.05871213f + u * (-1.33526277f + u * (0.23533063f + u * -0.02580689f))));
    __mmask16 odd = _mm512_test_epi32_mask(q, _mm512_set1_epi32(1));
    __m512i two = _mm512_set1_epi32(2), one = _mm512_set1_epi32(1);
    __m512i s_sign = _mm512_slli_epi32(_mm512_and_si512(q, two), 30);
    __m512i c_sign = _mm512_slli_epi32(_mm512_and_si512(_mm512_add_epi32(q, one), two), 30);
    *sine = (__m512)((__m512i)_mm512_mask_blend_ps(odd, s, c) ^ s_sign);
    *cosine = (__m512)((__m512i)_mm512_mask_blend_ps(odd, c, s) ^ c_sign);
}

static inline __m512 payoffs(__m512i a, __m512i b, float drift, float volatility, float strike) {
    __m512 r = volatility * _mm512_sqrt_ps(-2.0f * _ZGVeN16v_logf(unit(a))), s, c;
    __m512 zero = _mm512_setzero_ps();
    sincospi(2.0f * unit(b), &s, &c);
    return _mm512_max_ps(_ZGVeN16v_expf(drift + r * s) - strike, zero) +
           _mm512_max_ps(_ZGVeN16v_expf(drift + r * c) - strike, zero);
}

void native_monte_carlo(float *sum, int blocks, int threads, int turns, float drift,
                        float volatility, float strike) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; b++) {
        __m512 v = _mm512_setzero_ps();
        for (int t = 0; t < threads; t += 16)
            for (int k = 0; k < turns; k++) {
                __m512i x[4] = {_mm512_add_epi32(_mm512_set1_epi32(b * threads + t), lane),
                                _mm512_set1_epi32(k)};
                x[2] = x[3] = _mm512_setzero_si512();
                philox(x, 0x12345678u, 0x9abcdef0u);
                v += payoffs(x[0], x[1], drift, volatility, strike);
                v += payoffs(x[2], x[3], drift, volatility, strike);
            }
        sum[b] = _mm512_reduce_add_ps(v);
    }
}
