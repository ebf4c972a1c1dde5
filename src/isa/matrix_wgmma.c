// wgmma.mma_async: one warp's 16 rows of a warpgroup's product, eight columns at a time. It is
// complete when it is issued; fence, commit_group and wait_group then have nothing to do.
#include <string.h>

#include "isa/matrix_internal.h"

static bool read_element(const struct isa_matrix_memory *memory, const struct matrix_tile *t,
                         unsigned mn, unsigned k, unsigned bits, uint64_t *out) {
    unsigned bytes = bits < 8 ? 4 : bits / 8, per = 128 / bits;
    uint32_t at = matrix_tile_address(t, mn, k, per);
    const void *p = memory->shared(memory->ctx, at + (t->trans ? mn : k) % per * bits / 8, bytes);
    *out = 0;
    if (p)
        memcpy(out, p, bytes);
    return p != NULL;
}

// The warp's rows of a.
static bool read_a(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                   const struct matrix_tile *t, bool negative, union matrix_elements *out) {
    enum isa_matrix_type type = (enum isa_matrix_type)x->type[ISA_FRAG_A];
    unsigned rows, columns, bits = isa_fragment_of(x, ISA_FRAG_A).bits;
    unsigned step = type == ISA_MAT_B1 ? 32 : 1;
    isa_matrix_size(x, ISA_FRAG_A, &rows, &columns);
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned k = 0; k < columns; k += step) {
            uint64_t v;
            if (!read_element(memory, t, memory->warp % 4 * 16 + row, k, bits, &v))
                return false;
            matrix_put(out, (row * columns + k) / step, type, v, negative);
        }
    }
    return true;
}

// Eight columns of b.
static bool read_b(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                   const struct matrix_tile *t, unsigned first, bool negative,
                   union matrix_elements *out) {
    enum isa_matrix_type type = (enum isa_matrix_type)x->type[ISA_FRAG_B];
    unsigned rows, columns, bits = isa_fragment_of(x, ISA_FRAG_B).bits;
    unsigned step = type == ISA_MAT_B1 ? 32 : 1;
    isa_matrix_size(x, ISA_FRAG_B, &rows, &columns);
    for (unsigned k = 0; k < rows; k += step) {
        for (unsigned n = 0; n < 8; n++) {
            uint64_t v;
            if (!read_element(memory, t, first + n, k, bits, &v))
                return false;
            matrix_put(out, k / step * 8 + n, type, v, negative);
        }
    }
    return true;
}

// Operands after d and a, in the order of kernel IR.
struct rest {
    uint64_t b;
    const uint64_t *metadata;
    unsigned selector;
    bool add, negative_a, negative_b, trans_a, trans_b;
};

static struct rest rest_of(const struct isa_matrix *x, unsigned at, unsigned nops,
                           const uint64_t (*src)[ISA_LANES], unsigned lane) {
    struct rest r = {.b = src[at++][lane]};
    if (x->sparse) {
        r.metadata = src[at++];
        r.selector = (unsigned)src[at++][lane] & 3;
    }
    r.add = src[at++][lane] & 1;
    if (at + 2 <= nops) {
        r.negative_a = src[at++][lane] >> 31 & 1;
        r.negative_b = src[at++][lane] >> 31 & 1;
    }
    if (at < nops && x->a_shared)
        r.trans_a = src[at++][lane] & 1;
    if (at < nops)
        r.trans_b = src[at][lane] & 1;
    return r;
}

struct isa_wgmma_operands isa_wgmma_operands_of(const struct isa_matrix *x, unsigned nops) {
    struct isa_wgmma_operands o = {0};
    o.b = isa_fragment_of(x, ISA_FRAG_D).registers +
          (x->a_shared ? 1u : isa_fragment_of(x, ISA_FRAG_A).registers);
    unsigned at = o.b + (x->sparse ? 4 : 2); // metadata and selector, and whether sums are added
    at += at + 2 <= nops ? 2 : 0;            // signs
    if (at < nops && x->a_shared)
        o.trans_a = at++;
    if (at < nops)
        o.trans_b = at;
    return o;
}

static void tile_pieces(const struct matrix_tile *t, unsigned first, unsigned n, unsigned columns,
                        unsigned per, void (*piece)(void *ctx, uint32_t address), void *ctx) {
    unsigned by_mn = t->trans ? per : 1, by_k = t->trans ? 1 : per;
    for (unsigned mn = 0; mn < n; mn += by_mn)
        for (unsigned k = 0; k < columns; k += by_k)
            piece(ctx, matrix_tile_address(t, first + mn, k, per));
}

void isa_wgmma_pieces(const struct isa_matrix *x, unsigned warp, uint64_t a, bool trans_a,
                      uint64_t b, bool trans_b, void (*piece)(void *ctx, uint32_t address),
                      void *ctx) {
    struct matrix_tile ta = matrix_tile_of(a, trans_a), tb = matrix_tile_of(b, trans_b);
    unsigned rows, columns;
    isa_matrix_size(x, ISA_FRAG_A, &rows, &columns);
    if (x->a_shared)
        tile_pieces(&ta, warp % 4 * 16, rows, columns, 128 / isa_fragment_of(x, ISA_FRAG_A).bits,
                    piece, ctx);
    isa_matrix_size(x, ISA_FRAG_B, &rows, &columns);
    tile_pieces(&tb, 0, columns, rows, 128 / isa_fragment_of(x, ISA_FRAG_B).bits, piece, ctx);
}

void isa_wgmma_lines(uint64_t descriptor, bool trans, unsigned n, unsigned element,
                     void (*piece)(void *ctx, uint32_t address, unsigned line), void *ctx) {
    enum { PIECE = 16, DEPTH = 32 }; // bytes: of a line
    const struct matrix_tile t = matrix_tile_of(descriptor, trans);
    unsigned per = PIECE / element, by_line = trans ? per : 1, by_k = trans ? 1 : per;
    for (unsigned line = 0; line < n; line += by_line)
        for (unsigned k = 0; k < DEPTH / element; k += by_k)
            piece(ctx, matrix_tile_address(&t, line, k, per), line);
}

void matrix_wgmma(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                  uint32_t lanes, unsigned nops, const uint64_t (*src)[ISA_LANES],
                  uint64_t (*dst)[ISA_LANES]) {
    unsigned lane = lanes ? (unsigned)__builtin_ctz(lanes) : 0, rows, columns;
    unsigned registers = isa_fragment_of(x, ISA_FRAG_D).registers;
    const uint64_t(*a)[ISA_LANES] = src + registers;
    unsigned a_operands = x->a_shared ? 1 : isa_fragment_of(x, ISA_FRAG_A).registers;
    struct rest r = rest_of(x, registers + a_operands, nops, src, lane);
    struct matrix_factors f;
    struct isa_matrix piece = *x;
    isa_matrix_size(x, ISA_FRAG_D, &rows, &columns);
    piece.shape = (uint8_t)(x->shape - (columns / 8 - 1));
    unsigned step = isa_fragment_of(&piece, ISA_FRAG_D).registers;
    struct matrix_tile ta = matrix_tile_of(a[0][lane], r.trans_a),
                       tb = matrix_tile_of(r.b, r.trans_b);
    if (!x->a_shared)
        matrix_gather(x, ISA_FRAG_A, a, r.negative_a, &f.a);
    else if (!read_a(x, memory, &ta, r.negative_a, &f.a))
        return;
    matrix_index(x, r.metadata, r.selector, f.index);
    for (unsigned n = 0; n < columns; n += 8) {
        unsigned at = n / 8 * step;
        if (!read_b(x, memory, &tb, n, r.negative_b, &f.b))
            return;
        matrix_multiply(&piece, &f, r.add ? src + at : NULL, lanes, dst + at);
    }
}
