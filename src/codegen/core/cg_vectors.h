#ifndef KUDZU_CODEGEN_CG_VECTORS_H
#define KUDZU_CODEGEN_CG_VECTORS_H

#include "codegen/core/state.h"

LLVMValueRef cg_splat(struct cg *c, LLVMValueRef x);
LLVMValueRef cg_bits_of_lanes(struct cg *c, LLVMValueRef mask); // bit l: lane l
LLVMValueRef cg_select(struct cg *c, LLVMValueRef m, LLVMValueRef a, LLVMValueRef b);

// Is lane k active in a mask that is a constant?
bool cg_constant_lane(struct cg *c, LLVMValueRef mask, unsigned k);

// The elements of vectors x[0], x[step], ... (n of them, of sixteen lanes), lane by lane.
void cg_put_in_order(struct cg *c, LLVMValueRef *x, unsigned n, unsigned step, LLVMValueRef *out);
LLVMValueRef cg_sixteen_of(struct cg *c, LLVMValueRef x, unsigned first); // lanes of x

// The elements of x, and then those of y.
LLVMValueRef cg_concat(struct cg *c, LLVMValueRef x, LLVMValueRef y);

// Elements from[0] to from[n - 1] of x, and behind them of y (NULL: of x alone).
LLVMValueRef cg_lanes_from(struct cg *c, LLVMValueRef x, LLVMValueRef y, const unsigned *from,
                           unsigned n);
bool cg_is_vector(LLVMTypeRef t);

// Rows of matrices at the addresses that lanes give (ldmatrix, stmatrix).
struct cg_rows {
    LLVMValueRef base;    // what 32-bit offsets count from
    LLVMValueRef offsets; // memory: an offset, or an address, for each lane
    LLVMTypeRef element;  // i32: offsets, i64: addresses
};

// x, a constant, in memory of its own at a line's beginning.
LLVMValueRef cg_table(struct cg *c, LLVMValueRef x, const char *name);
LLVMValueRef cg_cast(struct cg *c, LLVMValueRef x, LLVMTypeRef t);      // same width
LLVMValueRef cg_cast_to(struct cg *c, LLVMValueRef x, enum kir_type t); // scalar or vector, as x is

// Extends or truncates bits loaded or computed at type ty to the representation of `to`.
LLVMValueRef cg_widen(struct cg *c, LLVMValueRef x, enum isa_type ty, enum kir_type to);
LLVMValueRef cg_narrow(struct cg *c, LLVMValueRef x, unsigned bits); // to an integer of `bits`

#endif
