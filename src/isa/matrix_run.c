// isa_matrix_run: moves between memory and fragments, and the way to the products.
#include <string.h>

#include "isa/matrix_internal.h"
#include "isa/ops/matrix.h"

typedef const uint64_t (*rows_in)[ISA_LANES];
typedef uint64_t (*rows_out)[ISA_LANES];

// ---- ldmatrix, stmatrix, movmatrix -----------------------------------------------------------

enum { ROW = 16 }; // bytes

// Rows of a matrix, which as many lanes name.
static unsigned rows_of(const struct isa_matrix *x) {
    return (x->shape == ISA_SHAPE_M16N16 ? 16u : 8u) * x->count;
}

static void *row_address(const struct isa_matrix_memory *memory, uint32_t lanes, rows_in src,
                         unsigned lane) {
    return lanes >> lane & 1 ? memory->at(memory->ctx, lane, src[0][lane], ROW) : NULL;
}

// 16 numbers of 8 bits, or of 6 or 4 that are packed from a row's start on.
static void unpack_row(enum isa_matrix_type t, const uint8_t *from, uint8_t *row) {
    unsigned bits = t == ISA_MAT_B4 ? 4 : t == ISA_MAT_B6 ? 6 : 8;
    for (unsigned k = 0; k < ROW; k++) {
        unsigned at = k * bits, v = from[at / 8];
        if (at % 8 + bits > 8)
            v |= (unsigned)from[at / 8 + 1] << 8;
        row[k] = (uint8_t)(v >> at % 8 & ((1u << bits) - 1));
    }
}

static void load_rows(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                      uint32_t lanes, rows_in src, rows_out dst) {
    enum isa_matrix_type t = (enum isa_matrix_type)x->type[ISA_FRAG_D];
    struct isa_fragment f = isa_fragment_of(x, ISA_FRAG_D);
    uint8_t m[ISA_LANES][ROW] = {0};
    for (unsigned row = 0; row < rows_of(x); row++) {
        const void *p = row_address(memory, lanes, src, row);
        if (p)
            unpack_row(t, p, m[row]);
    }
    for (unsigned k = 0; k < f.registers * ISA_LANES; k++) {
        unsigned lane = k % ISA_LANES, r = k / ISA_LANES, v = 0;
        for (unsigned e = 0; e < f.per; e++) {
            struct isa_place at = isa_row_place_of(x, lane, r * f.per + e);
            unsigned one = 0;
            memcpy(&one, &m[at.row][at.column * f.bits / 8], f.bits / 8);
            v |= one << e * f.bits;
        }
        dst[r][lane] = v;
    }
}

static void store_rows(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                       uint32_t lanes, rows_in src) {
    struct isa_fragment f = isa_fragment_of(x, ISA_FRAG_D);
    uint8_t m[ISA_LANES][ROW] = {0};
    for (unsigned k = 0; k < f.registers * f.per * ISA_LANES; k++) {
        unsigned lane = k % ISA_LANES, i = k / ISA_LANES;
        struct isa_place at = isa_row_place_of(x, lane, i);
        uint32_t v = (uint32_t)(src[1 + i / f.per][lane] >> i % f.per * f.bits);
        memcpy(&m[at.row][at.column * f.bits / 8], &v, f.bits / 8);
    }
    for (unsigned row = 0; row < rows_of(x); row++) {
        void *p = row_address(memory, lanes, src, row);
        if (p)
            memcpy(p, m[row], ROW);
    }
}

static void transpose(rows_in src, rows_out dst) {
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        unsigned v = 0;
        for (unsigned e = 0; e < 2; e++) {
            unsigned row = lane % 4 * 2 + e, column = lane / 4;
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

static struct isa_matrix_steps steps_in_memory(const struct isa_matrix *x, unsigned reg,
                                               uint64_t stride) {
    return isa_matrix_steps_of(x, (enum isa_frag)x->frag, reg, x->col_a ? 1 : (int64_t)stride,
                               x->col_a ? (int64_t)stride : 1);
}

// One register of one lane, from elements that follow each other (step 1) or lie apart. Those of
// less than a byte follow each other from a whole byte on.
static bool load_register(const struct isa_matrix_memory *memory, unsigned lane, uint64_t base,
                          int64_t at, const struct isa_matrix_steps *s, struct isa_fragment f,
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
        struct isa_matrix_steps s = steps_in_memory(x, r, stride);
        for (unsigned lane = 0; lane < ISA_LANES; lane++) {
            dst[r][lane] = 0;
            if (lanes >> lane & 1 && !load_register(memory, lane, src[0][lane],
                                                    matrix_step_to(&s, lane), &s, f, &dst[r][lane]))
                return;
        }
    }
}

static bool store_register(const struct isa_matrix_memory *memory, unsigned lane, uint64_t base,
                           int64_t at, const struct isa_matrix_steps *s, struct isa_fragment f,
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
        struct isa_matrix_steps s = steps_in_memory(x, r, stride);
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
        load_rows(x, memory, lanes, src, dst);
        break;
    case ISA_OP_STMATRIX:
        store_rows(x, memory, lanes, src);
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
