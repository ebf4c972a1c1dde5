#include <immintrin.h>
#include <stddef.h>

// Eight words at a time, two such groups side by side.
enum { GROUPS = 2 };

void native_levenshtein(const unsigned long long *masks, const unsigned char *text,
                        const unsigned char *length, unsigned char *distance, int n) {
    const __m512i one = _mm512_set1_epi64(1);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i += 8 * GROUPS) {
        __m512i more[GROUPS], less[GROUPS], score[GROUPS], end[GROUPS];
        int longest = 0;
        for (int j = 0; j < 8 * GROUPS; j++)
            longest = length[i + j] > longest ? length[i + j] : longest;
        for (int g = 0; g < GROUPS; g++) {
            more[g] = _mm512_set1_epi64(-1);
            less[g] = _mm512_setzero_si512();
            score[g] = _mm512_set1_epi64(64);
            end[g] = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(length + i + 8 * g)));
        }
        for (int k = 0; k < longest; k++)
            for (int g = 0; g < GROUPS; g++) {
                __mmask8 on = _mm512_cmpgt_epi64_mask(end[g], _mm512_set1_epi64(k));
                __m512i letter = _mm512_cvtepu8_epi64(
                    _mm_loadl_epi64((const __m128i *)(text + (size_t)k * n + i + 8 * g)));
                __m512i same = _mm512_i64gather_epi64(letter, masks, 8), p = more[g], q = less[g];
                __m512i v = same | q, h = (((same & p) + p) ^ p) | same;
                __m512i right = q | ~(h | p), left = p & h;
                score[g] =
                    _mm512_mask_sub_epi64(score[g], on & _mm512_movepi64_mask(left), score[g], one);
                score[g] = _mm512_mask_add_epi64(score[g], on & _mm512_movepi64_mask(right),
                                                 score[g], one);
                right = right + right + one;
                left = left + left;
                more[g] = left | ~(v | right);
                less[g] = right & v;
            }
        for (int g = 0; g < GROUPS; g++)
            _mm_storel_epi64((__m128i *)(distance + i + 8 * g), _mm512_cvtepi64_epi8(score[g]));
    }
}
