// Products of tcgen05: factors become numbers, rows of a next to each other; then each column of d
// is computed by itself.
#include <math.h>
#include <string.h>

#include "isa/matrix_internal.h"
#include "isa/tensor_memory.h"

enum { MOST_DEPTH = 96, MOST_COLUMNS = 256 + 48, PIECE = 16, STRIP = 32, MOST_K = 128 };

union number {
    float f;
    int32_t i;
};

// In the scratch memory of the access: a by k, then row, and b by column, then k. Of a sparse a the
// k of b that each number goes with.
struct numbers {
    union number a[MOST_DEPTH][TENSOR_LANES];
    union number b[MOST_COLUMNS][MOST_K]; // 32 that are shifted over, 16 that a piece has too many
    uint8_t k_of[MOST_DEPTH][TENSOR_LANES];
};
_Static_assert(sizeof(struct numbers) <= ISA_TENSOR_SCRATCH, "scratch memory is too small");

struct factors {
    const struct isa_tensor_product *p;
    const struct isa_tensor_access *access;
    struct numbers *of;
    const union number *a; // of->a, at the rows that the columns of d have
    unsigned copy;         // where they begin in of->k_of
    unsigned block;        // 1: the odd block of a pair
};

static union number number_of(uint8_t type, uint32_t bits, bool negative) {
    union number x;
    if (type == ISA_MAT_S8 || type == ISA_MAT_U8) {
        x.i = matrix_decode_int((enum isa_matrix_type)type, bits);
        return x;
    }
    x.f = matrix_decode((enum isa_matrix_type)type, bits);
    if (negative)
        x.f = -x.f;
    return x;
}

// Elements of a piece of 16 bytes; bits of one, in shared memory.
static unsigned elements_of(uint8_t type, unsigned *bits) {
    switch (type) {
    case ISA_MAT_TF32:
        *bits = 32;
        return 4;
    case ISA_MAT_F16:
    case ISA_MAT_BF16:
        *bits = 16;
        return 8;
    case ISA_MAT_E2M1_PACKED:
        *bits = 4;
        return 32;
    case ISA_MAT_E2M1:
        *bits = 4;
        return 16;
    case ISA_MAT_E2M3:
    case ISA_MAT_E3M2:
        *bits = 6;
        return 16;
    default:
        *bits = 8;
        return 16;
    }
}

static uint32_t bits_at(const uint8_t *piece, unsigned at, unsigned bits) {
    uint64_t v = 0;
    unsigned byte = at / 8;
    memcpy(&v, piece + byte, PIECE - byte < 8 ? PIECE - byte : 8);
    return (uint32_t)(v >> at % 8 & ((UINT64_C(1) << bits) - 1));
}

// Element of a matrix in tensor memory takes a byte where it has less in shared memory.
static uint32_t element_in(uint8_t type, const uint8_t *piece, unsigned i, unsigned bits) {
    uint32_t v = bits_at(piece, i * bits, bits);
    return type == ISA_MAT_E2M1 ? v << 2 : v;
}

// One piece of a matrix in shared memory: the numbers of element (mn, k) and those behind it.
static bool read_piece(const struct isa_tensor_access *access, const struct matrix_tile *t,
                       uint8_t type, unsigned mn, unsigned k, bool negative, union number *out) {
    unsigned bits, per = elements_of(type, &bits);
    const uint8_t *piece = access->shared(access->ctx, matrix_tile_address(t, mn, k, per), PIECE);
    if (!piece)
        return false;
    for (unsigned i = 0; i < per; i++)
        out[i] = number_of(type, element_in(type, piece, i, bits), negative);
    return true;
}

// A matrix in shared memory: number (mn, k) goes to out[mn * mn_step + k * k_step].
static bool read_shared(const struct isa_tensor_access *access, const struct matrix_tile *t,
                        uint8_t type, unsigned rows, unsigned depth, bool negative,
                        union number *out, unsigned mn_step, unsigned k_step) {
    unsigned bits, per = elements_of(type, &bits);
    union number piece[32];
    for (unsigned mn = 0; mn < rows; mn += t->trans ? per : 1)
        for (unsigned k = 0; k < depth; k += t->trans ? 1 : per) {
            if (!read_piece(access, t, type, mn, k, negative, piece))
                return false;
            for (unsigned i = 0; i < per; i++)
                out[(t->trans ? mn + i : mn) * mn_step + (t->trans ? k : k + i) * k_step] =
                    piece[i];
        }
    return true;
}

static bool read_shared_a(struct factors *f) {
    const struct isa_tensor_product *p = f->p;
    struct matrix_tile t = matrix_tensor_tile_of(p->a, p->trans_a);
    return read_shared(f->access, &t, p->type[ISA_FRAG_A], p->rows, p->k, p->negative_a,
                       &f->of->a[0][0], 1, TENSOR_LANES);
}

static unsigned depth_of_b(const struct isa_tensor_product *p) {
    return p->sparse ? 2 * p->k : p->k;
}

// Columns `first` to `first` + `count`, from the shared memory of one block.
static bool read_b(struct factors *f, const struct isa_tensor_access *access, unsigned first,
                   unsigned count) {
    const struct isa_tensor_product *p = f->p;
    struct matrix_tile t = matrix_tensor_tile_of(p->b, p->trans_b);
    return read_shared(access, &t, p->type[ISA_FRAG_B], count + p->first_column, depth_of_b(p),
                       p->negative_b, &f->of->b[first][0], MOST_K, 1);
}

// The lane of row m, of a matrix whose place is `at`.
static unsigned lane_of(const struct isa_tensor_product *p, uint32_t at, unsigned m) {
    unsigned lane = isa_tensor_half_lanes(p) ? m % 16 + m / 16 * 32 : m;
    return (lane + (at >> 16)) % TENSOR_LANES;
}

// Of a pair with M = 128 each half of the columns of d has its own copy of a.
static bool a_is_twofold(const struct isa_tensor_product *p) {
    return p->a_inside && p->pair && p->folded;
}

static void read_inner_a(struct factors *f) {
    const struct isa_tensor_product *p = f->p;
    uint8_t type = p->type[ISA_FRAG_A];
    unsigned bits = 32 * isa_tensor_columns_of_a(p) / p->k, per = 32 / bits;
    unsigned rows = a_is_twofold(p) ? 2 * p->rows : p->rows;
    for (unsigned k = 0; k < p->k; k++)
        for (unsigned m = 0; m < rows; m++) {
            uint32_t word =
                f->access->columns[(p->a_at & 0xffff) + k / per][lane_of(p, p->a_at, m)];
            uint32_t v = bits == 32 ? word : word >> k % per * bits & ((1u << bits) - 1);
            f->of->a[k][m] = number_of(type, v, p->negative_a);
        }
}

// Four bits of metadata of the row at a lane: those of chunk `chunk` of two, four or eight numbers.
// Of kinds f16 and tf32 eight lanes and the eight behind them share theirs: in a lane are four
// chunks of both, the other four eight lanes further.
static uint32_t metadata_at(const struct factors *f, unsigned lane, unsigned chunk) {
    const struct isa_tensor_product *p = f->p;
    unsigned column = chunk / 8, nibble = chunk % 8;
    if (p->kind == ISA_TENSOR_F16 || p->kind == ISA_TENSOR_TF32) {
        column = p->selector;
        nibble = lane % 16 / 8 * 4 + chunk % 4;
        lane = lane / 16 * 16 + lane % 8 + chunk / 4 * 8;
    }
    uint32_t word = f->access->columns[(p->metadata & 0xffff) + column][lane];
    return word >> 4 * nibble & 15;
}

// Which of the numbers that chunk `at` of k stands for is stored number k.
static unsigned place_in_chunk(const struct isa_tensor_product *p, unsigned k, uint32_t code) {
    if (p->kind == ISA_TENSOR_TF32)
        return code >> 1 & 1; // 0b0100: the first of two, 0b1110: the second
    unsigned together = p->type[ISA_FRAG_A] == ISA_MAT_E2M1_PACKED ? 2 : 1;
    return (code >> k % (2 * together) / together * 2 & 3) * together + k % together;
}

static void read_metadata(struct factors *f) {
    const struct isa_tensor_product *p = f->p;
    unsigned per = p->kind == ISA_TENSOR_TF32                   ? 1
                   : p->type[ISA_FRAG_A] == ISA_MAT_E2M1_PACKED ? 4
                                                                : 2;
    unsigned rows = p->folded ? TENSOR_LANES : p->rows;
    for (unsigned k = 0; k < p->k; k++)
        for (unsigned m = 0; m < rows; m++) {
            uint32_t code = metadata_at(f, lane_of(p, p->metadata, m), k / per);
            f->of->k_of[k][m] = (uint8_t)(k / per * 2 * per + place_in_chunk(p, k, code));
        }
}

// ---- one column of d ---------------------------------------------------------------------------

__attribute__((always_inline)) static inline void sum_rows(const union number (*a)[TENSOR_LANES],
                                                           const union number *b, unsigned depth,
                                                           unsigned rows, union number *sums) {
    for (unsigned first = 0; first < rows; first += STRIP) {
        float s[STRIP];
        for (unsigned m = 0; m < STRIP; m++)
            s[m] = sums[first + m].f;
        for (unsigned k = 0; k < depth; k++)
            for (unsigned m = 0; m < STRIP; m++)
                s[m] = fmaf(a[k][first + m].f, b[k].f, s[m]);
        for (unsigned m = 0; m < STRIP; m++)
            sums[first + m].f = s[m];
    }
}

static void add_plainly(const struct factors *f, const union number *b, union number *sums) {
    sum_rows((const union number(*)[TENSOR_LANES])f->a, b, f->p->k, f->p->rows, sums);
}

// The same with the machine's fused multiply-add where it has one; else fmaf is a call.
#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static void
add_fused(const struct factors *f, const union number *b, union number *sums) {
    sum_rows((const union number(*)[TENSOR_LANES])f->a, b, f->p->k, f->p->rows, sums);
}

static void add_floats(const struct factors *f, const union number *b, union number *sums) {
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        add_fused(f, b, sums);
    else
        add_plainly(f, b, sums);
}
#else
static void add_floats(const struct factors *f, const union number *b, union number *sums) {
    add_plainly(f, b, sums);
}
#endif

// The factors of row m that belong together: number k of a, and of b.
static union number of_a(const struct factors *f, unsigned k, unsigned m) {
    return f->a[k * TENSOR_LANES + m];
}

static union number of_b(const struct factors *f, const union number *b, unsigned k, unsigned m) {
    return b[f->p->sparse ? f->of->k_of[k][f->copy + m] : k];
}

static void add_sparse(const struct factors *f, const union number *b, union number *sums) {
    for (unsigned m = 0; m < f->p->rows; m++)
        for (unsigned k = 0; k < f->p->k; k++)
            sums[m].f = fmaf(of_a(f, k, m).f, of_b(f, b, k, m).f, sums[m].f);
}

static void add_integers(const struct factors *f, const union number *b, union number *sums) {
    for (unsigned m = 0; m < f->p->rows; m++) {
        int64_t s = sums[m].i;
        for (unsigned k = 0; k < f->p->k; k++)
            s += (int64_t)of_a(f, k, m).i * of_b(f, b, k, m).i;
        if (f->p->satfinite)
            s = s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s;
        sums[m].i = (int32_t)(uint32_t)s;
    }
}

// apart: columns to the next four scales of a row.
static double scale_at(const struct factors *f, uint32_t place, unsigned lane, unsigned row,
                       unsigned byte, unsigned apart) {
    const isa_tensor_column *column =
        &f->access->columns[(place & 0xffff) + row / 32 + byte / 4 * apart];
    uint32_t word = (*column)[((place >> 16) + lane + row % 32) % TENSOR_LANES];
    return matrix_scale(f->p->scales_ue4m3, (uint8_t)(word >> 8 * (byte % 4)));
}

static double scale_of_b(const struct factors *f, unsigned n, unsigned byte) {
    const struct isa_tensor_product *p = f->p;
    unsigned half = p->pair && p->folded ? p->n / 2 : p->n;
    return scale_at(f, p->scales_b, n / half * 64, n % half, p->byte_b + byte,
                    isa_tensor_scales_b_apart(p));
}

static void add_scaled(const struct factors *f, const union number *b, unsigned n,
                       union number *sums) {
    const struct isa_tensor_product *p = f->p;
    unsigned block = p->k / p->scales;
    for (unsigned s = 0; s < p->scales; s++) {
        double with = scale_of_b(f, n, s);
        for (unsigned m = 0; m < p->rows; m++) {
            double sum = 0, scale = scale_at(f, p->scales_a, 0, m, p->byte_a + s,
                                             ISA_TENSOR_SCALES_A_APART) *
                                    with;
            for (unsigned k = s * block; k < (s + 1) * block; k++)
                sum += (double)of_a(f, k, m).f * of_b(f, b, k, m).f;
            sums[m].f = (float)(sums[m].f + sum * scale);
        }
    }
}

// ---- d -----------------------------------------------------------------------------------------

// Where column n of d stands, and the lane that is added to those of its rows.
static void place_of_column(const struct isa_tensor_product *p, unsigned n, unsigned *column,
                            unsigned *lane) {
    unsigned across = isa_tensor_columns_of_d(p);
    *column = (p->d & 0xffff) + n % across;
    *lane = n / across * p->rows;
}

static void load_column(const struct isa_tensor_product *p, const uint32_t *from, unsigned lane,
                        union number *sums) {
    for (unsigned m = 0; m < p->rows; m++) {
        uint32_t v = from[(lane_of(p, p->d, m) + lane) % TENSOR_LANES];
        uint8_t type = p->type[ISA_FRAG_D];
        if (type == ISA_MAT_S32) {
            sums[m].i = p->accumulate ? (int32_t)v : 0;
            continue;
        }
        sums[m].f = p->accumulate ? matrix_decode((enum isa_matrix_type)type, v) : 0;
        if (p->shift)
            sums[m].f = ldexpf(sums[m].f, -(int)p->shift);
    }
}

static void store_column(const struct factors *f, uint32_t *to, unsigned lane,
                         const union number *sums) {
    const struct isa_tensor_product *p = f->p;
    const uint32_t *off = p->off + 4 * (size_t)f->block;
    for (unsigned m = 0; m < p->rows; m++) {
        unsigned at = (lane_of(p, p->d, m) + lane) % TENSOR_LANES;
        uint8_t type = p->type[ISA_FRAG_D];
        if (off[at / 32] >> at % 32 & 1)
            continue;
        to[at] = type == ISA_MAT_S32
                     ? (uint32_t)sums[m].i
                     : (uint32_t)matrix_float_result(sums[m].f, (enum isa_matrix_type)type, false);
    }
}

// What a block has of d.
static void multiply_rows(struct factors *f) {
    const struct isa_tensor_product *p = f->p;
    union number sums[TENSOR_LANES];
    if (p->sparse)
        read_metadata(f);
    for (unsigned n = 0; n < p->n; n++) {
        union number *b = f->of->b[n + p->first_column];
        unsigned column, lane;
        place_of_column(p, n, &column, &lane);
        load_column(p, f->access->columns[column], lane, sums);
        f->a = &f->of->a[0][a_is_twofold(p) ? lane : 0];
        f->copy = lane;
        if (isa_tensor_left_out(p, n))
            memset(b, 0, MOST_K * sizeof *b);
        if (p->scales)
            add_scaled(f, b, n, sums);
        else if (p->kind == ISA_TENSOR_I8)
            add_integers(f, b, sums);
        else if (p->sparse)
            add_sparse(f, b, sums);
        else
            add_floats(f, b, sums);
        store_column(f, f->access->columns[column], lane, sums);
    }
}

static void shift_a(const struct factors *f) {
    for (unsigned c = 0; c < isa_tensor_columns_of_a(f->p); c++) {
        uint32_t *column = f->access->columns[(f->p->a_at & 0xffff) + c];
        for (unsigned lane = 0; lane < TENSOR_LANES; lane += 32)
            memmove(&column[lane], &column[lane + 1], 31 * sizeof *column);
    }
}

// Before something is written all of shared memory is looked at.
bool isa_tensor_multiply(const struct isa_tensor_product *p,
                         const struct isa_tensor_access *access) {
    unsigned blocks = p->pair ? 2 : 1;
    struct factors f = {.p = p, .of = access->scratch};
    for (unsigned k = 0; k < blocks; k++) {
        f.access = &access[k];
        if (!read_b(&f, f.access, k * p->n / blocks, p->n / blocks))
            return false;
        if (!p->a_inside && !read_shared_a(&f))
            return false;
    }
    for (f.block = 0; f.block < blocks; f.block++) {
        f.access = &access[f.block];
        if (p->a_inside)
            read_inner_a(&f);
        else if (blocks > 1)
            read_shared_a(&f);
        multiply_rows(&f);
        if (p->shifts_a)
            shift_a(&f);
    }
    return true;
}
