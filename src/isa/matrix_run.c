// isa_matrix_run: moves between memory and fragments, and the way to the products.
#include <string.h>

#include "isa/matrix_internal.h"
#include "isa/ops/matrix.h"

typedef const uint64_t (*rows_in)[ISA_LANES];
typedef uint64_t (*rows_out)[ISA_LANES];

// ---- ldmatrix, stmatrix, movmatrix -----------------------------------------------------------

// 8 rows of 8 halves: row r of matrix m is at the address that lane 8 * m + r gives.
static void *row_address(const struct isa_matrix_memory *memory, uint32_t lanes, rows_in src,
                         unsigned lane) {
    return lanes >> lane & 1 ? memory->at(memory->ctx, lane, src[0][lane], 16) : NULL;
}

// Half `e` of a lane's register: its row and column.
static void half_place(bool trans, unsigned lane, unsigned e, unsigned *row, unsigned *column) {
    *row = trans ? lane % 4 * 2 + e : lane / 4;
    *column = trans ? lane / 4 : lane % 4 * 2 + e;
}

static void load_matrices(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                          uint32_t lanes, rows_in src, rows_out dst) {
    uint16_t m[8][8] = {0};
    for (unsigned n = 0; n < x->count; n++) {
        for (unsigned row = 0; row < 8; row++) {
            const void *p = row_address(memory, lanes, src, n * 8 + row);
            if (p)
                memcpy(m[row], p, sizeof m[row]);
        }
        for (unsigned lane = 0; lane < ISA_LANES; lane++) {
            unsigned row, column, v = 0;
            for (unsigned e = 0; e < 2; e++) {
                half_place(x->trans, lane, e, &row, &column);
                v |= (unsigned)m[row][column] << 16 * e;
            }
            dst[n][lane] = v;
        }
    }
}

static void store_matrices(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                           uint32_t lanes, rows_in src) {
    uint16_t m[8][8];
    for (unsigned n = 0; n < x->count; n++) {
        for (unsigned k = 0; k < ISA_LANES * 2; k++) {
            unsigned row, column;
            half_place(x->trans, k / 2, k % 2, &row, &column);
            m[row][column] = (uint16_t)(src[1 + n][k / 2] >> k % 2 * 16);
        }
        for (unsigned row = 0; row < 8; row++) {
            void *p = row_address(memory, lanes, src, n * 8 + row);
            if (p)
                memcpy(p, m[row], sizeof m[row]);
        }
    }
}

// 16 numbers of 8 bits, or of 6 or 4 that are packed from a row's start on.
static void unpack_row(enum isa_matrix_type t, const uint8_t *from, uint8_t *row) {
    unsigned bits = t == ISA_MAT_B4 ? 4 : t == ISA_MAT_B6 ? 6 : 8;
    for (unsigned k = 0; k < 16; k++) {
        unsigned at = k * bits, v = from[at / 8];
        if (at % 8 + bits > 8)
            v |= (unsigned)from[at / 8 + 1] << 8;
        row[k] = (uint8_t)(v >> at % 8 & ((1u << bits) - 1));
    }
}

// m16n16 (always transposed) and m8n16: a register has four neighbours of a row, of m16n16 the
// second one those of the row eight further.
static void load_bytes(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                       uint32_t lanes, rows_in src, rows_out dst) {
    bool square = x->shape == ISA_SHAPE_M16N16;
    unsigned rows = square ? 16 : 8, registers = rows / 8;
    uint8_t m[16][16] = {0};
    for (unsigned n = 0; n < x->count; n++) {
        for (unsigned row = 0; row < rows; row++) {
            const void *p = row_address(memory, lanes, src, n * rows + row);
            if (p)
                unpack_row((enum isa_matrix_type)x->type[ISA_FRAG_D], p, m[row]);
        }
        for (unsigned k = 0; k < registers * ISA_LANES; k++) {
            unsigned lane = k % ISA_LANES, first = lane / 4 + k / ISA_LANES * 8, v = 0;
            for (unsigned e = 0; e < 4; e++) {
                unsigned second = lane % 4 * 4 + e;
                v |= (unsigned)(square ? m[second][first] : m[first][second]) << 8 * e;
            }
            dst[n * registers + k / ISA_LANES][lane] = v;
        }
    }
}

// m16n8, transposed: a register lies in the matrix as that of an mma's sums does.
static void store_bytes(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                        uint32_t lanes, rows_in src) {
    uint8_t m[8][16];
    for (unsigned n = 0; n < x->count; n++) {
        for (unsigned k = 0; k < ISA_LANES * 4; k++) {
            unsigned lane = k / 4, e = k % 4;
            m[lane % 4 * 2 + e % 2][lane / 4 + e / 2 * 8] = (uint8_t)(src[1 + n][lane] >> 8 * e);
        }
        for (unsigned row = 0; row < 8; row++) {
            void *p = row_address(memory, lanes, src, n * 8 + row);
            if (p)
                memcpy(p, m[row], sizeof m[row]);
        }
    }
}

static void transpose(rows_in src, rows_out dst) {
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        unsigned v = 0;
        for (unsigned e = 0; e < 2; e++) {
            unsigned row, column;
            half_place(true, lane, e, &row, &column);
            v |= (unsigned)(src[0][row * 4 + column / 2] >> column % 2 * 16 & 0xffff) << 16 * e;
        }
        dst[0][lane] = v;
    }
}

// ---- wmma.load, wmma.store -------------------------------------------------------------------

static uint64_t stride_of(const struct isa_matrix *x, unsigned nops, unsigned given, rows_in src,
                          unsigned lane) {
    unsigned rows, columns;
    isa_matrix_size(x, (enum isa_frag)x->frag, &rows, &columns);
    if (nops > given)
        return (uint32_t)src[given][lane];
    return x->col_a ? rows : columns;
}

static struct matrix_steps steps_in_memory(const struct isa_matrix *x, unsigned reg,
                                           uint64_t stride) {
    return matrix_steps_of(x, (enum isa_frag)x->frag, reg, x->col_a ? 1 : (int64_t)stride,
                           x->col_a ? (int64_t)stride : 1);
}

// One register of one lane, from elements that follow each other (step 1) or lie apart. Those of
// less than a byte follow each other from a whole byte on.
static bool load_register(const struct isa_matrix_memory *memory, unsigned lane, uint64_t base,
                          int64_t at, const struct matrix_steps *s, struct isa_fragment f,
                          uint64_t *out) {
    bool whole = f.per == 1 || s->element == 1;
    unsigned pieces = whole ? 1 : f.per, bytes = whole ? (f.bits > 32 ? 8 : 4) : f.bits / 8;
    uint64_t v;
    *out = 0;
    for (unsigned e = 0; e < pieces; e++, at += s->element) {
        const void *p =
            memory->at(memory->ctx, lane, base + (uint64_t)(at * (int64_t)f.bits / 8), bytes);
        if (!p)
            return false;
        v = 0;
        memcpy(&v, p, bytes);
        *out |= v << e * f.bits;
    }
    return true;
}

static void load_fragment(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                          uint32_t lanes, unsigned nops, rows_in src, rows_out dst) {
    struct isa_fragment f = isa_fragment_of(x, (enum isa_frag)x->frag);
    uint64_t stride = stride_of(x, nops, 1, src, lanes ? (unsigned)__builtin_ctz(lanes) : 0);
    for (unsigned r = 0; r < f.registers; r++) {
        struct matrix_steps s = steps_in_memory(x, r, stride);
        for (unsigned lane = 0; lane < ISA_LANES; lane++) {
            dst[r][lane] = 0;
            if (lanes >> lane & 1 && !load_register(memory, lane, src[0][lane],
                                                    matrix_step_to(&s, lane), &s, f, &dst[r][lane]))
                return;
        }
    }
}

static bool store_register(const struct isa_matrix_memory *memory, unsigned lane, uint64_t base,
                           int64_t at, const struct matrix_steps *s, struct isa_fragment f,
                           uint64_t v) {
    for (unsigned e = 0; e < f.per; e++, at += s->element, v >>= f.bits % 64) {
        void *p = memory->at(memory->ctx, lane, base + (uint64_t)(at * (f.bits / 8)), f.bits / 8u);
        if (!p)
            return false;
        memcpy(p, &v, f.bits / 8u);
    }
    return true;
}

static void store_fragment(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                           uint32_t lanes, unsigned nops, rows_in src) {
    struct isa_fragment f = isa_fragment_of(x, ISA_FRAG_D);
    uint64_t stride =
        stride_of(x, nops, 1u + f.registers, src, lanes ? (unsigned)__builtin_ctz(lanes) : 0);
    for (unsigned r = 0; r < f.registers; r++) {
        struct matrix_steps s = steps_in_memory(x, r, stride);
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            if (lanes >> lane & 1 &&
                !store_register(memory, lane, src[0][lane], matrix_step_to(&s, lane), &s, f,
                                src[1 + r][lane]))
                return;
    }
}

// ---- products --------------------------------------------------------------------------------

static void multiply(const struct isa_matrix *x, uint32_t lanes, rows_in src, rows_out dst) {
    rows_in a = src, b = a + isa_fragment_of(x, ISA_FRAG_A).registers;
    rows_in c = b + isa_fragment_of(x, ISA_FRAG_B).registers;
    rows_in more = c + isa_fragment_of(x, ISA_FRAG_C).registers;
    struct matrix_factors f;
    if (matrix_multiply_fast(x, lanes, a, b, c, dst))
        return;
    matrix_gather(x, ISA_FRAG_A, a, false, &f.a);
    matrix_gather(x, ISA_FRAG_B, b, false, &f.b);
    matrix_index(x, x->sparse ? more[0] : NULL,
                 x->sparse ? (unsigned)more[1][lanes ? (unsigned)__builtin_ctz(lanes) : 0] : 0,
                 f.index);
    if (x->scales)
        matrix_scales(x, more + (x->sparse ? 2 : 0), lanes, &f);
    matrix_multiply(x, &f, c, lanes, dst);
}

void isa_matrix_run(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                    uint32_t lanes, unsigned nops, rows_in src, rows_out dst) {
    switch (x->op) {
    case ISA_OP_LDMATRIX:
        (x->shape ? load_bytes : load_matrices)(x, memory, lanes, src, dst);
        break;
    case ISA_OP_STMATRIX:
        (x->shape ? store_bytes : store_matrices)(x, memory, lanes, src);
        break;
    case ISA_OP_MOVMATRIX:
        transpose(src, dst);
        break;
    case ISA_OP_WMMA_LOAD:
        load_fragment(x, memory, lanes, nops, src, dst);
        break;
    case ISA_OP_WMMA_STORE:
        store_fragment(x, memory, lanes, nops, src);
        break;
    case ISA_OP_WGMMA_MMA:
        matrix_wgmma(x, memory, lanes, nops, src, dst);
        break;
    default:
        multiply(x, lanes, src, dst);
    }
}

uint64_t (*isa_matrix_result_rows(const struct isa_matrix *x, unsigned nops,
                                  uint64_t (*rows)[ISA_LANES]))[ISA_LANES] {
    return x->op == ISA_OP_WGMMA_MMA ? rows : rows + nops;
}
