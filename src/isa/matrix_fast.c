// Products of f16, bf16 and 8-bit integers with AVX2, bit for bit those of matrix_product.c. What
// a register of all lanes holds is eight rows of a (or columns of b), one a group of four lanes.
#include "isa/matrix_internal.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define FAST __attribute__((target("avx2,fma,f16c")))

enum { TILE = 8, MAX_ROWS = 32, MAX_COLUMNS = 32, MAX_DEPTH = 32 };
typedef const uint64_t (*rows_in)[ISA_LANES];

struct size {
    unsigned m, n, k, halves; // halves: registers of a tile of a with the same k
};

// The words of four lanes, which stand in 64 bits each.
FAST static inline __m128i words_of(const uint64_t *lanes) {
    __m256i v = _mm256_loadu_si256((const __m256i *)lanes);
    __m256i even = _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    return _mm256_castsi256_si128(even);
}

// ---- floats ----------------------------------------------------------------------------------

FAST static inline __m256 floats_of(const uint64_t *lanes, enum isa_matrix_type t) {
    __m128i w = words_of(lanes);
    if (t == ISA_MAT_F16)
        return _mm256_cvtph_ps(w);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(w), 16));
}

// One row of c in 8 columns: even ones in a register, odd ones in the next, or both in one.
FAST static inline __m256 read_floats(rows_in c, unsigned reg, unsigned group, bool is_half) {
    if (is_half)
        return _mm256_cvtph_ps(words_of(&c[reg][group * 4]));
    __m256i even = _mm256_loadu_si256((const __m256i *)&c[reg][group * 4]);
    __m256i odd = _mm256_loadu_si256((const __m256i *)&c[reg + 1][group * 4]);
    return _mm256_castsi256_ps(_mm256_or_si256(even, _mm256_slli_epi64(odd, 32)));
}

FAST static inline void write_pairs(uint64_t (*d)[ISA_LANES], unsigned reg, unsigned group,
                                    __m256i v) {
    __m256i low = _mm256_and_si256(v, _mm256_set1_epi64x(UINT32_MAX));
    _mm256_storeu_si256((__m256i *)&d[reg][group * 4], low);
    _mm256_storeu_si256((__m256i *)&d[reg + 1][group * 4], _mm256_srli_epi64(v, 32));
}

FAST static inline void write_floats(uint64_t (*d)[ISA_LANES], unsigned reg, unsigned group,
                                     bool is_half, __m256 v) {
    __m256 nan = _mm256_cmp_ps(v, v, _CMP_UNORD_Q);
    if (is_half) {
        __m128i h = _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT);
        __m256i wide = _mm256_castps_si256(nan);
        __m128i bad =
            _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
        h = _mm_blendv_epi8(h, _mm_set1_epi16(0x7fff), bad);
        _mm256_storeu_si256((__m256i *)&d[reg][group * 4], _mm256_cvtepu32_epi64(h));
        return;
    }
    v = _mm256_blendv_ps(v, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff)), nan);
    write_pairs(d, reg, group, _mm256_castps_si256(v));
}

FAST static void unpack_floats(const struct size *s, enum isa_matrix_type t, rows_in a, rows_in b,
                               float (*fa)[MAX_DEPTH], float (*fb)[MAX_COLUMNS]) {
    float column[TILE];
    unsigned across = s->k / TILE;
    for (unsigned r = 0; r < s->m / TILE * across; r++) {
        unsigned tile = r / (s->halves * across), in = r % (s->halves * across);
        unsigned row = tile * 16 + in % s->halves * TILE, k = in / s->halves * TILE;
        for (unsigned g = 0; g < TILE; g++)
            _mm256_storeu_ps(&fa[row + g][k], floats_of(&a[r][g * 4], t));
    }
    for (unsigned r = 0; r < s->n / TILE * across; r++) {
        for (unsigned g = 0; g < TILE; g++) {
            _mm256_storeu_ps(column, floats_of(&b[r][g * 4], t));
            for (unsigned e = 0; e < TILE; e++)
                fb[r % across * TILE + e][r / across * TILE + g] = column[e];
        }
    }
}

// Four rows at a time: their sums do not wait for each other.
FAST static inline void multiply_rows(const struct size *s, float (*fa)[MAX_DEPTH],
                                      float (*fb)[MAX_COLUMNS], unsigned row, unsigned column,
                                      __m256 *sum) {
    __m256 s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    for (unsigned k = 0; k < s->k; k++) {
        __m256 y = _mm256_loadu_ps(&fb[k][column]);
        s0 = _mm256_fmadd_ps(_mm256_broadcast_ss(&fa[row][k]), y, s0);
        s1 = _mm256_fmadd_ps(_mm256_broadcast_ss(&fa[row + 1][k]), y, s1);
        s2 = _mm256_fmadd_ps(_mm256_broadcast_ss(&fa[row + 2][k]), y, s2);
        s3 = _mm256_fmadd_ps(_mm256_broadcast_ss(&fa[row + 3][k]), y, s3);
    }
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

// The first register of c or d that holds a row of a tile of 8 columns.
static unsigned sum_register(const struct size *s, unsigned row, unsigned column, unsigned per) {
    unsigned tile = row / 16 * (s->n / TILE) + column / TILE;
    return (tile * s->halves + row % 16 / TILE) * per;
}

FAST static void multiply_floats(const struct isa_matrix *x, const struct size *s, rows_in a,
                                 rows_in b, rows_in c, uint64_t (*d)[ISA_LANES]) {
    float fa[MAX_ROWS][MAX_DEPTH], fb[MAX_DEPTH][MAX_COLUMNS];
    bool half_c = x->type[ISA_FRAG_C] == ISA_MAT_F16, half_d = x->type[ISA_FRAG_D] == ISA_MAT_F16;
    unpack_floats(s, (enum isa_matrix_type)x->type[ISA_FRAG_A], a, b, fa, fb);
    for (unsigned row = 0; row < s->m; row += 4) {
        for (unsigned column = 0; column < s->n; column += TILE) {
            __m256 sum[4];
            unsigned from = sum_register(s, row, column, half_c ? 1 : 2);
            unsigned to = sum_register(s, row, column, half_d ? 1 : 2);
            for (unsigned i = 0; i < 4; i++)
                sum[i] = read_floats(c, from, row % TILE + i, half_c);
            multiply_rows(s, fa, fb, row, column, sum);
            for (unsigned i = 0; i < 4; i++)
                write_floats(d, to, row % TILE + i, half_d, sum[i]);
        }
    }
}

// ---- 8-bit integers --------------------------------------------------------------------------

// The bytes of four lanes as 16-bit numbers, in pairs along k.
FAST static inline __m256i pairs_of(const uint64_t *lanes, bool is_signed) {
    __m128i w = words_of(lanes);
    return is_signed ? _mm256_cvtepi8_epi16(w) : _mm256_cvtepu8_epi16(w);
}

FAST static void unpack_pairs(const struct isa_matrix *x, const struct size *s, rows_in a,
                              rows_in b, int32_t (*pa)[MAX_DEPTH / 2], int32_t (*pb)[MAX_COLUMNS]) {
    int32_t column[TILE];
    unsigned across = s->k / 16;
    for (unsigned r = 0; r < s->m / TILE * across; r++) {
        unsigned tile = r / (s->halves * across), in = r % (s->halves * across);
        unsigned row = tile * 16 + in % s->halves * TILE, k = in / s->halves * TILE;
        for (unsigned g = 0; g < TILE; g++)
            _mm256_storeu_si256((__m256i *)&pa[row + g][k],
                                pairs_of(&a[r][g * 4], x->type[ISA_FRAG_A] == ISA_MAT_S8));
    }
    for (unsigned r = 0; r < s->n / TILE * across; r++) {
        for (unsigned g = 0; g < TILE; g++) {
            _mm256_storeu_si256((__m256i *)column,
                                pairs_of(&b[r][g * 4], x->type[ISA_FRAG_B] == ISA_MAT_S8));
            for (unsigned e = 0; e < TILE; e++)
                pb[r % across * TILE + e][r / across * TILE + g] = column[e];
        }
    }
}

// c + sum, kept within 32 bits: overflow shows in the signs.
FAST static inline __m256i add_saturated(__m256i c, __m256i sum) {
    __m256i r = _mm256_add_epi32(c, sum);
    __m256i over = _mm256_andnot_si256(_mm256_xor_si256(c, sum), _mm256_xor_si256(c, r));
    __m256i limit = _mm256_xor_si256(_mm256_srai_epi32(c, 31), _mm256_set1_epi32(INT32_MAX));
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(r), _mm256_castsi256_ps(limit),
                                                _mm256_castsi256_ps(over)));
}

FAST static void multiply_integers(const struct isa_matrix *x, const struct size *s, rows_in a,
                                   rows_in b, rows_in c, uint64_t (*d)[ISA_LANES]) {
    int32_t pa[MAX_ROWS][MAX_DEPTH / 2], pb[MAX_DEPTH / 2][MAX_COLUMNS];
    unpack_pairs(x, s, a, b, pa, pb);
    for (unsigned row = 0; row < s->m; row++) {
        for (unsigned column = 0; column < s->n; column += TILE) {
            unsigned reg = sum_register(s, row, column, 2);
            __m256i sum = _mm256_setzero_si256();
            __m256i old = _mm256_castps_si256(read_floats(c, reg, row % TILE, false));
            for (unsigned k = 0; k < s->k / 2; k++)
                sum = _mm256_add_epi32(
                    sum, _mm256_madd_epi16(_mm256_set1_epi32(pa[row][k]),
                                           _mm256_loadu_si256((const __m256i *)&pb[k][column])));
            write_pairs(d, reg, row % TILE,
                        x->satfinite ? add_saturated(old, sum) : _mm256_add_epi32(old, sum));
        }
    }
}

// ---- the choice ------------------------------------------------------------------------------

bool matrix_multiply_fast(const struct isa_matrix *x, uint32_t lanes, rows_in a, rows_in b,
                          rows_in c, uint64_t (*d)[ISA_LANES]) {
    enum isa_matrix_type t = (enum isa_matrix_type)x->type[ISA_FRAG_A];
    bool floats = (t == ISA_MAT_F16 || t == ISA_MAT_BF16) && !x->satfinite;
    bool integers = t == ISA_MAT_S8 || t == ISA_MAT_U8;
    struct size s;
    if ((!floats && !integers) || lanes != UINT32_MAX || x->sparse || matrix_on_quads(x))
        return false;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("f16c"))
        return false;
    isa_matrix_size(x, ISA_FRAG_A, &s.m, &s.k);
    isa_matrix_size(x, ISA_FRAG_B, &s.k, &s.n);
    s.halves = s.m >= 16 ? 2 : 1;
    if (floats)
        multiply_floats(x, &s, a, b, c, d);
    else
        multiply_integers(x, &s, a, b, c, d);
    return true;
}

#else

bool matrix_multiply_fast(const struct isa_matrix *x, uint32_t lanes,
                          const uint64_t (*a)[ISA_LANES], const uint64_t (*b)[ISA_LANES],
                          const uint64_t (*c)[ISA_LANES], uint64_t (*d)[ISA_LANES]) {
    return false;
}

#endif
