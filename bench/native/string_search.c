#include <immintrin.h>
#include <stdint.h>
#include <string.h>

// 64 positions at a time: only where the first and the last letter fit is the rest compared.
static inline uint64_t candidates(const unsigned char *text, __m512i first, __m512i last, int m) {
    __mmask64 a = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(text), first);
    return _mm512_mask_cmpeq_epi8_mask(a, _mm512_loadu_si512(text + m - 1), last);
}

void native_string_search(const unsigned char *text, size_t n, const unsigned char *pattern, int m,
                          unsigned *found) {
    const __m512i first = _mm512_set1_epi8((char)pattern[0]);
    const __m512i last = _mm512_set1_epi8((char)pattern[m - 1]);
    size_t whole = (n - m) / 64 * 64;
    memset(found + whole / 32, 0, (n - whole) / 8);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < whole; i += 64) {
        uint64_t bits = candidates(text + i, first, last, m);
        for (int k = 1; bits && k < m - 1; k++)
            bits &= _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(text + i + k),
                                           _mm512_set1_epi8((char)pattern[k]));
        memcpy(found + i / 32, &bits, 8);
    }
    for (size_t i = whole; i + m <= n; i++)
        if (memcmp(text + i, pattern, m) == 0)
            found[i / 32] |= 1u << i % 32;
}
