// Transpositions of elements in registers, by shuffles whose order is a constant of the instruction
// where elements have 32 bits.
#include "codegen/core/cg_transposition.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"

LLVMValueRef cg_pick(struct cg *c, LLVMValueRef x, LLVMValueRef y, const unsigned *from,
                     unsigned n) {
    LLVMValueRef idx[32];
    for (unsigned k = 0; k < n; k++)
        idx[k] = cg_i32(c, from[k]);
    return LLVMBuildShuffleVector(c->b, x, y, LLVMConstVector(idx, n), "");
}

// In each four lanes: alternately x's and y's pieces of `unit` words, from the low or high half.
static LLVMValueRef unpack(struct cg *c, LLVMValueRef x, LLVMValueRef y, unsigned unit, bool high,
                           unsigned n) {
    unsigned from[16];
    for (unsigned k = 0; k < n; k++) {
        unsigned at = k % 4, piece = at / unit;
        from[k] = (piece % 2 ? n : 0) + k / 4 * 4 + (high ? 2 : 0) + piece / 2 * unit + at % unit;
    }
    return cg_pick(c, x, y, from, n);
}

// Four rows: transposes 4 x 4 words in each four lanes.
static void transpose_fours(struct cg *c, LLVMValueRef *r, unsigned n) {
    LLVMValueRef lo = unpack(c, r[0], r[1], 1, false, n), hi = unpack(c, r[0], r[1], 1, true, n);
    LLVMValueRef lo2 = unpack(c, r[2], r[3], 1, false, n), hi2 = unpack(c, r[2], r[3], 1, true, n);
    r[0] = unpack(c, lo, lo2, 2, false, n);
    r[1] = unpack(c, lo, lo2, 2, true, n);
    r[2] = unpack(c, hi, hi2, 2, false, n);
    r[3] = unpack(c, hi, hi2, 2, true, n);
}

// The pieces of four words at even or odd places of x, then y's.
static LLVMValueRef every_other(struct cg *c, LLVMValueRef x, LLVMValueRef y, unsigned odd,
                                unsigned n) {
    unsigned from[16];
    for (unsigned k = 0; k < n; k++)
        from[k] = (2 * (k / 4) + odd) * 4 + k % 4;
    return cg_pick(c, x, y, from, n);
}

// Registers of n / 4 pieces; each piece is one of `count` in a row: out[b] is made of piece b of
// each row.
static void transpose_pieces(struct cg *c, LLVMValueRef *rows, unsigned count, unsigned n,
                             unsigned first, unsigned step, LLVMValueRef *out) {
    if (count == 1) {
        out[first] = rows[0];
        return;
    }
    for (unsigned odd = 0; odd < 2; odd++) {
        LLVMValueRef half[4];
        for (unsigned k = 0; k < count / 2; k++)
            half[k] = every_other(c, rows[2 * k], rows[2 * k + 1], odd, n);
        transpose_pieces(c, half, count / 2, n, first + odd * step, 2 * step, out);
    }
}

// Four registers and more. After rows of four are transposed each register has the pieces of one
// element in four.
static void transpose_rows(struct cg *c, LLVMValueRef *r, unsigned m, unsigned n) {
    LLVMValueRef out[16];
    for (unsigned k = 0; k < m; k += 4)
        transpose_fours(c, r + k, n);
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef rows[4], made[4];
        for (unsigned p = 0; p < m / 4; p++)
            rows[p] = r[4 * p + k];
        transpose_pieces(c, rows, m / 4, n, 0, 1, made);
        for (unsigned p = 0; p < m / 4; p++)
            out[4 * p + k] = made[p];
    }
    for (unsigned k = 0; k < m; k++)
        r[k] = out[k];
}

// Pairs: in each four lanes two of r[0] and two of r[1].
static void take_pairs_apart(struct cg *c, LLVMValueRef *r, unsigned n) {
    LLVMValueRef out[2];
    for (unsigned k = 0; k < 2; k++) {
        unsigned from[16];
        for (unsigned l = 0; l < n; l++)
            from[l] = l / 4 * 4 + l % 2 * 2 + k + (l % 4 / 2 ? n : 0);
        out[k] = cg_pick(c, r[0], r[1], from, n);
    }
    r[0] = out[0];
    r[1] = out[1];
}

void cg_transpose_words(struct cg *c, LLVMValueRef *r, unsigned m, unsigned n) {
    if (m == 2)
        take_pairs_apart(c, r, n);
    else
        transpose_rows(c, r, m, n);
}

unsigned cg_row_at(unsigned j, unsigned s, unsigned m, unsigned n) {
    return m == 2 ? s / 2 * 4 + s % 2 + 2 * j : 4 * (j / 4 * (n / m) + s) + j % 4;
}
