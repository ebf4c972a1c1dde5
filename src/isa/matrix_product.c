// Products of matrices in fragments: the semantics that matrix.h states.
#include <math.h>
#include <string.h>

#include "isa/fp.h"
#include "isa/matrix_internal.h"
#include "isa/ops/matrix.h"

enum matrix_arithmetic matrix_arithmetic_of(enum isa_matrix_type t) {
    switch (t) {
    case ISA_MAT_F64:
        return MATRIX_DOUBLE;
    case ISA_MAT_B1:
        return MATRIX_BITS;
    case ISA_MAT_S8:
    case ISA_MAT_U8:
    case ISA_MAT_S4:
    case ISA_MAT_U4:
        return MATRIX_INTEGER;
    default:
        return MATRIX_FLOAT;
    }
}

// ---- elements --------------------------------------------------------------------------------

static float float_of(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

// A small binary format with subnormals; the largest exponent means infinity or NaN if `ieee`.
static float small_float(uint32_t v, unsigned exponent_bits, unsigned fraction_bits, bool ieee) {
    uint32_t sign = v >> (exponent_bits + fraction_bits) & 1, top = (1u << exponent_bits) - 1;
    uint32_t exponent = v >> fraction_bits & top, fraction = v & ((1u << fraction_bits) - 1);
    int bias = (int)(top >> 1);
    float f;
    if (ieee && exponent == top)
        f = float_of(0x7f800000u | fraction << (23 - fraction_bits));
    else if (!exponent)
        f = ldexpf((float)fraction, 1 - bias - (int)fraction_bits);
    else
        f = float_of((exponent + 127 - (uint32_t)bias) << 23 | fraction << (23 - fraction_bits));
    return float_of(bits_of(f) | sign << 31);
}

float matrix_decode(enum isa_matrix_type t, uint32_t v) {
    switch (t) {
    case ISA_MAT_F16:
        return small_float(v, 5, 10, true);
    case ISA_MAT_BF16:
        return float_of(v << 16);
    case ISA_MAT_TF32:
        return float_of(v & 0xffffe000u);
    case ISA_MAT_E5M2:
        return small_float(v, 5, 2, true);
    case ISA_MAT_E2M3:
        return small_float(v & 0x3f, 2, 3, false);
    case ISA_MAT_E3M2:
        return small_float(v & 0x3f, 3, 2, false);
    case ISA_MAT_E2M1:
        return small_float(v >> 2 & 0xf, 2, 1, false);
    case ISA_MAT_E2M1_PACKED:
        return small_float(v & 0xf, 2, 1, false);
    case ISA_MAT_E4M3:
        return (v & 0x7f) == 0x7f ? float_of(0x7fffffff) : small_float(v, 4, 3, false);
    default:
        return float_of(v);
    }
}

int32_t matrix_decode_int(enum isa_matrix_type t, uint32_t v) {
    switch (t) {
    case ISA_MAT_S8:
        return (int8_t)v;
    case ISA_MAT_S4:
        return (int32_t)(v << 28) >> 28;
    default:
        return (int32_t)v;
    }
}

void matrix_put(union matrix_elements *e, unsigned at, enum isa_matrix_type t, uint64_t bits,
                bool negative) {
    switch (matrix_arithmetic_of(t)) {
    case MATRIX_FLOAT: {
        float f = matrix_decode(t, (uint32_t)bits);
        e->f[at] = negative ? -f : f;
        break;
    }
    case MATRIX_DOUBLE:
        memcpy(&e->d[at], &bits, sizeof bits);
        break;
    default:
        e->i[at] = matrix_decode_int(t, (uint32_t)bits);
    }
}

// Places of b1's words instead of bits.
static struct isa_matrix_steps word_steps(const struct isa_matrix *x, enum isa_frag frag,
                                          unsigned reg, unsigned columns) {
    struct isa_matrix_steps s = {0};
    for (unsigned lane = 0; lane < 8; lane++) {
        struct isa_place p = isa_place_of(x, frag, lane, reg * 32);
        unsigned row = p.row / (frag == ISA_FRAG_B ? 32u : 1u);
        unsigned column = p.column / (frag == ISA_FRAG_A ? 32u : 1u);
        int64_t at = row * columns + column;
        s.base = lane == 0 ? at : s.base;
        s.lane = lane == 1 ? at - s.base : s.lane;
        s.group = lane == 4 ? at - s.base : s.group;
    }
    return s;
}

void matrix_gather(const struct isa_matrix *x, enum isa_frag frag,
                   const uint64_t (*registers)[ISA_LANES], bool negative,
                   union matrix_elements *out) {
    struct isa_fragment f = isa_fragment_of(x, frag);
    enum isa_matrix_type t = (enum isa_matrix_type)x->type[frag];
    unsigned rows, columns, step = t == ISA_MAT_B1 ? 32 : 1;
    uint64_t mask = f.bits < 32 ? (UINT64_C(1) << f.bits) - 1 : UINT64_MAX;
    isa_matrix_size(x, frag, &rows, &columns);
    if (t == ISA_MAT_B1) {
        rows /= frag == ISA_FRAG_B ? 32 : 1;
        columns /= frag == ISA_FRAG_A ? 32 : 1;
        mask = UINT32_MAX;
    }
    if (matrix_on_quads(x)) {
        for (unsigned i = 0; i < f.registers * f.per; i++) {
            for (unsigned lane = 0; lane < ISA_LANES; lane++) {
                struct isa_place p = isa_place_of(x, frag, lane, i);
                uint64_t bits = registers[i / f.per][lane] >> (i % f.per * f.bits) & mask;
                matrix_put(out, (p.tile * rows + p.row) * columns + p.column, t, bits, negative);
            }
        }
        return;
    }
    // Of elements that a lane holds several times the first counts. Rows and columns of b1 are
    // words.
    unsigned used = rows * columns / ISA_LANES / (step > 1 ? 1u : f.per);
    for (unsigned r = 0; r < used; r++) {
        struct isa_matrix_steps s = step > 1 ? word_steps(x, frag, r, columns)
                                             : isa_matrix_steps_of(x, frag, r, columns, 1);
        for (unsigned lane = 0; lane < ISA_LANES; lane++) {
            int64_t at = matrix_step_to(&s, lane);
            uint64_t v = registers[r][lane];
            for (unsigned e = 0; e < f.per; e += step, at += s.element, v >>= f.bits % 64)
                matrix_put(out, (unsigned)at, t, v & mask, negative);
        }
    }
}

// ---- sparse a --------------------------------------------------------------------------------

// Two bits of metadata stand for one stored unit: an element, two of them for 4-bit types; tf32 has
// two units an element. A 16-bit word is for 8 units of one row.
struct metadata {
    unsigned unit;    // elements
    unsigned threads; // of a quad that have metadata
    bool by_row;      // a lane's word is for one row, else for two rows, half a word each
};

static struct metadata metadata_of(const struct isa_matrix *x) {
    unsigned rows, columns;
    struct metadata d = {.unit = 1};
    enum isa_matrix_type t = (enum isa_matrix_type)x->type[ISA_FRAG_A];
    isa_matrix_size(x, ISA_FRAG_A, &rows, &columns);
    d.by_row = t != ISA_MAT_F16 && t != ISA_MAT_BF16 && t != ISA_MAT_TF32;
    if (t == ISA_MAT_S4 || t == ISA_MAT_U4 || t == ISA_MAT_E2M1_PACKED)
        d.unit = 2;
    unsigned bits = 16 * columns / d.unit * (t == ISA_MAT_TF32 ? 4 : 2);
    d.threads = bits / 256;
    return d;
}

// The metadata bits, lowest first, of stored unit `unit` of a row.
static uint32_t unit_bits(const struct metadata *d, const uint64_t *words, unsigned selector,
                          unsigned row, unsigned unit, unsigned bits) {
    unsigned first = row % 8 * 4 + selector * d->threads % 4, at = unit * bits;
    if (d->by_row)
        return (uint32_t)(words[(first + at / 32 * 2 + row / 8) % ISA_LANES] >> at % 32);
    return (uint32_t)(words[(first + at / 16) % ISA_LANES] >> (row / 8 * 16 + at % 16));
}

void matrix_index(const struct isa_matrix *x, const uint64_t *metadata, unsigned selector,
                  uint8_t *index) {
    unsigned rows, columns;
    struct metadata d = metadata_of(x);
    isa_matrix_size(x, ISA_FRAG_A, &rows, &columns);
    bool tf32 = x->type[ISA_FRAG_A] == ISA_MAT_TF32, dense = !metadata;
    unsigned tiles = dense && x->type[ISA_FRAG_A] == ISA_MAT_F16 && rows == 8 ? 4 : 1;
    if (x->type[ISA_FRAG_A] == ISA_MAT_B1)
        columns /= 32;
    for (unsigned row = 0; row < rows * tiles; row++) {
        for (unsigned k = 0; k < columns; k++) {
            uint8_t *at = &index[row * columns + k];
            if (dense) {
                *at = (uint8_t)k;
            } else if (tf32) {
                // 0b0100: the first of two, 0b1110: the second
                *at = (uint8_t)(k * 2 + (unit_bits(&d, metadata, selector, row, k, 4) >> 1 & 1));
            } else {
                unsigned unit = k / d.unit;
                uint32_t which = unit_bits(&d, metadata, selector, row, unit, 2) & 3;
                *at = (uint8_t)((unit / 2 * 4 + which) * d.unit + k % d.unit);
            }
        }
    }
}

// ---- sums ------------------------------------------------------------------------------------

union sums {
    float f[MATRIX_SUMS];
    double d[MATRIX_SUMS];
    int64_t i[MATRIX_SUMS];
};

// How large the product is: rows of all tiles, columns, elements of a in a row, rows of b a tile.
struct extent {
    unsigned rows, tile_rows, columns, depth, b_rows;
};

static struct extent extent_of(const struct isa_matrix *x) {
    struct extent e;
    unsigned word = x->type[ISA_FRAG_A] == ISA_MAT_B1 ? 32 : 1;
    isa_matrix_size(x, ISA_FRAG_A, &e.tile_rows, &e.depth);
    isa_matrix_size(x, ISA_FRAG_B, &e.b_rows, &e.columns);
    e.depth /= word;
    e.b_rows /= word;
    bool quads =
        x->op == ISA_OP_MMA && x->shape == ISA_SHAPE_M8N8K4 && x->type[ISA_FRAG_A] == ISA_MAT_F16;
    e.rows = e.tile_rows * (quads ? 4 : 1);
    return e;
}

__attribute__((always_inline)) static inline void
sum_floats(const struct extent *e, const struct matrix_factors *f, float *sums) {
    for (unsigned row = 0; row < e->rows; row++) {
        for (unsigned k = 0; k < e->depth; k++) {
            unsigned at = row * e->depth + k;
            const float *b = f->b.f + (row / e->tile_rows * e->b_rows + f->index[at]) * e->columns;
            for (unsigned n = 0; n < e->columns; n++)
                sums[row * e->columns + n] = fmaf(f->a.f[at], b[n], sums[row * e->columns + n]);
        }
    }
}

static void add_floats_plainly(const struct extent *e, const struct matrix_factors *f,
                               float *sums) {
    sum_floats(e, f, sums);
}

// The same with the machine's fused multiply-add where it has one; else fmaf is a call.
#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static void
add_floats_fused(const struct extent *e, const struct matrix_factors *f, float *sums) {
    sum_floats(e, f, sums);
}

static void add_floats(const struct extent *e, const struct matrix_factors *f, float *sums) {
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        add_floats_fused(e, f, sums);
    else
        add_floats_plainly(e, f, sums);
}
#else
static void add_floats(const struct extent *e, const struct matrix_factors *f, float *sums) {
    add_floats_plainly(e, f, sums);
}
#endif

// ---- scales ----------------------------------------------------------------------------------

double matrix_scale(bool ue4m3, uint8_t v) {
    if (ue4m3)
        return matrix_decode(ISA_MAT_E4M3, v & 0x7f);
    return v == 0xff ? NAN : ldexp(1, v - 127);
}

// Row m's scales are in lane 4 * (m % 8) + m / 8, those of column n in lane 4 * n; the thread says
// how many lanes (for a, pairs of lanes) further, the byte which byte of the register is the first.
void matrix_scales(const struct isa_matrix *x, const uint64_t (*more)[ISA_LANES], uint32_t lanes,
                   struct matrix_factors *f) {
    unsigned first = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
    unsigned byte_a = more[1][first] & 3, pair_a = more[2][first] & 1;
    unsigned byte_b = more[4][first] & 3, lane_b = more[5][first] & 3;
    for (unsigned n = 0; n < MATRIX_SCALED; n++) {
        unsigned at_a = 4 * (n % 8) + 2 * pair_a + n / 8, at_b = 4 * (n % 8) + lane_b;
        for (unsigned k = 0; k < x->scales; k++) {
            f->scale_a[n][k] =
                matrix_scale(x->scales_ue4m3, (uint8_t)(more[0][at_a] >> (byte_a + k) % 4 * 8));
            f->scale_b[n][k] =
                matrix_scale(x->scales_ue4m3, (uint8_t)(more[3][at_b] >> (byte_b + k) % 4 * 8));
        }
    }
}

static void add_scaled(const struct isa_matrix *x, const struct extent *e,
                       const struct matrix_factors *f, float *sums) {
    unsigned block = e->depth / x->scales;
    for (unsigned row = 0; row < e->rows; row++) {
        for (unsigned n = 0; n < e->columns; n++) {
            float *sum = &sums[row * e->columns + n];
            for (unsigned s = 0; s < x->scales; s++) {
                double of_block = 0;
                for (unsigned k = s * block; k < (s + 1) * block; k++) {
                    unsigned at = row * e->depth + k;
                    of_block += (double)f->a.f[at] * f->b.f[f->index[at] * e->columns + n];
                }
                *sum = (float)(*sum + of_block * (f->scale_a[row][s] * f->scale_b[n][s]));
            }
        }
    }
}

static double fma_rounded(double a, double b, double c, enum isa_rnd rnd) {
    struct isa_mods mods = {.rnd = (uint8_t)(rnd ? rnd : ISA_RND_RN)};
    uint64_t v[3], r;
    memcpy(&v[0], &a, sizeof a);
    memcpy(&v[1], &b, sizeof b);
    memcpy(&v[2], &c, sizeof c);
    r = fp_fma(FP_F64, v[0], v[1], v[2], &mods);
    memcpy(&a, &r, sizeof a);
    return a;
}

static void add_doubles(const struct extent *e, const struct matrix_factors *f, enum isa_rnd rnd,
                        double *sums) {
    for (unsigned row = 0; row < e->rows; row++)
        for (unsigned k = 0; k < e->depth; k++)
            for (unsigned n = 0; n < e->columns; n++) {
                double *s = &sums[row * e->columns + n];
                *s = fma_rounded(f->a.d[row * e->depth + k], f->b.d[k * e->columns + n], *s, rnd);
            }
}

static void add_integers(const struct extent *e, const struct matrix_factors *f, int64_t *sums) {
    for (unsigned row = 0; row < e->rows; row++) {
        for (unsigned k = 0; k < e->depth; k++) {
            unsigned at = row * e->depth + k;
            const int32_t *b = f->b.i + f->index[at] * e->columns;
            for (unsigned n = 0; n < e->columns; n++)
                sums[row * e->columns + n] += f->a.i[at] * b[n];
        }
    }
}

static void add_bits(const struct extent *e, const struct matrix_factors *f, enum isa_boolop op,
                     int64_t *sums) {
    for (unsigned row = 0; row < e->rows; row++)
        for (unsigned k = 0; k < e->depth; k++)
            for (unsigned n = 0; n < e->columns; n++) {
                uint32_t a = (uint32_t)f->a.i[row * e->depth + k];
                uint32_t b = (uint32_t)f->b.i[k * e->columns + n];
                uint32_t both = op == ISA_BOOL_AND ? a & b : a ^ b;
                sums[row * e->columns + n] += __builtin_popcount(both);
            }
}

// ---- c and d ---------------------------------------------------------------------------------

uint64_t matrix_float_result(float f, enum isa_matrix_type t, bool satfinite) {
    struct isa_mods rn = {.rnd = ISA_RND_RN};
    uint32_t bits = bits_of(f), largest = t == ISA_MAT_F16 ? 0x7bff : 0x7f7fffff;
    if (t == ISA_MAT_F16)
        bits = (uint32_t)fp_convert(FP_F16, FP_F32, bits, &rn);
    else if (isnan(f))
        bits = 0x7fffffff;
    if (!satfinite)
        return bits;
    if (isnan(f))
        return 0;
    uint32_t sign = t == ISA_MAT_F16 ? bits & 0x8000 : bits & 0x80000000u;
    return (bits ^ sign) > largest ? sign | largest : bits;
}

static uint64_t integer_result(int64_t v, bool satfinite) {
    if (satfinite)
        v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
    return (uint32_t)v;
}

// Where the sum of element i of a lane stands; `steps` are those of its register.
static unsigned sum_at(const struct isa_matrix *x, const struct extent *e, enum isa_frag frag,
                       const struct isa_matrix_steps *steps, unsigned lane, unsigned i,
                       unsigned per) {
    if (!matrix_on_quads(x))
        return (unsigned)(matrix_step_to(steps, lane) + (int64_t)(i % per) * steps->element);
    struct isa_place p = isa_place_of(x, frag, lane, i);
    return (p.tile * e->tile_rows + p.row) * e->columns + p.column;
}

static void read_sums(const struct isa_matrix *x, const struct extent *e,
                      enum matrix_arithmetic kind, const uint64_t (*c)[ISA_LANES], union sums *s) {
    struct isa_fragment f = isa_fragment_of(x, ISA_FRAG_C);
    for (unsigned i = 0; i < f.registers * f.per; i++) {
        struct isa_matrix_steps steps =
            isa_matrix_steps_of(x, ISA_FRAG_C, i / f.per, e->columns, 1);
        for (unsigned lane = 0; lane < ISA_LANES; lane++) {
            unsigned at = sum_at(x, e, ISA_FRAG_C, &steps, lane, i, f.per);
            uint64_t v = c[i / f.per][lane];
            if (f.per == 2)
                v = v >> (i % 2 * 16) & 0xffff;
            if (kind == MATRIX_DOUBLE)
                memcpy(&s->d[at], &v, sizeof v);
            else if (kind == MATRIX_FLOAT)
                s->f[at] = matrix_decode((enum isa_matrix_type)x->type[ISA_FRAG_C], (uint32_t)v);
            else
                s->i[at] = (int32_t)v;
        }
    }
}

static uint64_t result_of(const struct isa_matrix *x, enum matrix_arithmetic kind,
                          const union sums *s, unsigned at) {
    uint64_t v;
    switch (kind) {
    case MATRIX_FLOAT:
        return matrix_float_result(s->f[at], (enum isa_matrix_type)x->type[ISA_FRAG_D],
                                   x->satfinite);
    case MATRIX_DOUBLE:
        memcpy(&v, &s->d[at], sizeof v);
        return v;
    default:
        return integer_result(s->i[at], x->satfinite);
    }
}

static void write_sums(const struct isa_matrix *x, const struct extent *e,
                       enum matrix_arithmetic kind, const union sums *s, uint32_t lanes,
                       uint64_t (*d)[ISA_LANES]) {
    struct isa_fragment f = isa_fragment_of(x, ISA_FRAG_D);
    for (unsigned r = 0; r < f.registers; r++) {
        struct isa_matrix_steps steps = isa_matrix_steps_of(x, ISA_FRAG_D, r, e->columns, 1);
        for (unsigned lane = 0; lane < ISA_LANES; lane++) {
            uint64_t v = 0;
            for (unsigned k = 0; k < f.per && lanes >> lane & 1; k++) {
                unsigned at = sum_at(x, e, ISA_FRAG_D, &steps, lane, r * f.per + k, f.per);
                v |= result_of(x, kind, s, at) << k * 16;
            }
            d[r][lane] = v;
        }
    }
}

void matrix_multiply(const struct isa_matrix *x, const struct matrix_factors *f,
                     const uint64_t (*c)[ISA_LANES], uint32_t lanes, uint64_t (*d)[ISA_LANES]) {
    enum matrix_arithmetic kind = matrix_arithmetic_of((enum isa_matrix_type)x->type[ISA_FRAG_A]);
    struct extent e = extent_of(x);
    union sums s;
    memset(&s, 0, sizeof s);
    if (c)
        read_sums(x, &e, kind, c, &s);
    switch (kind) {
    case MATRIX_FLOAT:
        if (x->scales)
            add_scaled(x, &e, f, s.f);
        else
            add_floats(&e, f, s.f);
        break;
    case MATRIX_DOUBLE:
        add_doubles(&e, f, (enum isa_rnd)x->rnd, s.d);
        break;
    case MATRIX_INTEGER:
        add_integers(&e, f, s.i);
        break;
    case MATRIX_BITS:
        add_bits(&e, f, (enum isa_boolop)x->bitop, s.i);
        break;
    }
    write_sums(x, &e, kind, &s, lanes, d);
}
