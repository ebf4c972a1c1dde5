#ifndef KUDZU_CODEGEN_CG_CHECK_SPAN_H
#define KUDZU_CODEGEN_CG_CHECK_SPAN_H

#include "codegen/core/state.h"

// Where the accesses of a vector's lanes are, as distances from one address: they can be looked at
// by two addresses, those of the first and the last one.
struct cg_span {
    LLVMValueRef base;   // i64
    LLVMValueRef guard;  // i1: whether the distances are so; NULL: they are
    const int64_t *offs; // by lane; NULL: all 0
    int64_t lo, hi;      // the least and the most
};

// False: v, an address, is no such value, or lanes' distances are not multiples of `bytes`, or are
// `most` apart or more.
bool cg_span_of(struct cg_func *g, struct kir_value *v, uint32_t bytes, int64_t most,
                struct cg_span *s);

// Do all lanes, whether they are active or not, access `bytes` bytes at multiples of these in
// [base, base + size)? offset: of the access, from each lane's address. aligned: false: wherever
// they are.
LLVMValueRef cg_span_inside(struct cg_func *g, const struct cg_span *s, LLVMValueRef offset,
                            uint32_t bytes, LLVMValueRef base, LLVMValueRef size, bool aligned);

// Loads an integer of 8 * bytes bits for each lane, or makes active lanes' zero (up to 8 bytes;
// where all are active, 16). p: the first address's. False: it takes more than a few vectors.
bool cg_span_load(struct cg_func *g, const struct cg_span *s, LLVMValueRef p, uint32_t bytes,
                  LLVMValueRef *out);
bool cg_span_clear(struct cg_func *g, const struct cg_span *s, LLVMValueRef p, uint32_t bytes);

#endif
