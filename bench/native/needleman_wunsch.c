#include <immintrin.h>
#include <stddef.h>

enum { MATCH = 5, MISMATCH = -3, GAP = 4, ROWS = 64, COLUMNS = 256 };

// The largest of each lane and those before it.
static inline __m512i running_max(__m512i v) {
    const __m512i least = _mm512_set1_epi32(-0x40000000);
    v = _mm512_max_epi32(v, _mm512_alignr_epi32(v, least, 15));
    v = _mm512_max_epi32(v, _mm512_alignr_epi32(v, least, 14));
    v = _mm512_max_epi32(v, _mm512_alignr_epi32(v, least, 12));
    return _mm512_max_epi32(v, _mm512_alignr_epi32(v, least, 8));
}

// Sixteen cells of a row at a time: with j gaps added to column j, a cell is the largest of what
// comes from above and of the cell to the left, so the row is a running maximum.
static void tile(const unsigned char *a, const unsigned char *b, int *h, int n, int y0, int x0) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i slope = _mm512_mullo_epi32(lane, _mm512_set1_epi32(GAP));
    const __m512i gap = _mm512_set1_epi32(GAP), last = _mm512_set1_epi32(15);
    const __m512i hit = _mm512_set1_epi32(MATCH), miss = _mm512_set1_epi32(MISMATCH);
    for (int y = y0; y < y0 + ROWS; y++) {
        int *row = h + (size_t)y * n;
        const int *above = row - n;
        int left = x0 ? row[x0 - 1] : -GAP * (y + 1);
        int corner = y == 0 ? -GAP * x0 : x0 ? above[x0 - 1] : -GAP * y;
        __m512i before = _mm512_set1_epi32(corner), carry = _mm512_set1_epi32(left);
        __m128i letter = _mm_set1_epi8((char)a[y]);
        for (int x = x0; x < x0 + COLUMNS; x += 16) {
            __m512i up = y ? _mm512_loadu_si512(above + x)
                           : _mm512_sub_epi32(_mm512_set1_epi32(-GAP * (x + 1)), slope);
            __m512i diagonal = _mm512_alignr_epi32(up, before, 15);
            __mmask16 same = _mm_cmpeq_epi8_mask(letter, _mm_loadu_si128((const __m128i *)(b + x)));
            __m512i v = _mm512_max_epi32(
                _mm512_add_epi32(diagonal, _mm512_mask_blend_epi32(same, miss, hit)),
                _mm512_sub_epi32(up, gap));
            v = running_max(_mm512_add_epi32(v, slope));
            v = _mm512_max_epi32(v, _mm512_sub_epi32(carry, gap));
            v = _mm512_sub_epi32(v, slope);
            _mm512_storeu_si512(row + x, v);
            before = up;
            carry = _mm512_permutexvar_epi32(last, v);
        }
    }
}

void native_needleman_wunsch(const unsigned char *a, const unsigned char *b, int *h, int n) {
    int down = n / ROWS, across = n / COLUMNS;
#pragma omp parallel
    for (int d = 0; d < down + across - 1; d++)
#pragma omp for schedule(dynamic)
        for (int tx = 0; tx < across; tx++)
            if (d - tx >= 0 && d - tx < down)
                tile(a, b, h, n, (d - tx) * ROWS, tx * COLUMNS);
}
