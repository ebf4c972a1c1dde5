#ifndef KUDZU_CODEGEN_CG_THREAD_ATOMIC_H
#define KUDZU_CODEGEN_CG_THREAD_ATOMIC_H

#include "codegen/core/state.h"

// Operations on integers whose order is free
uint64_t cg_neutral(const struct kir_inst *i); // leaves any value as it is
LLVMValueRef cg_neutral_vector(struct cg_func *g, const struct kir_inst *i);
LLVMValueRef cg_combined(struct cg *c, const struct kir_inst *i, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef cg_reduced(struct cg_func *g, const struct kir_inst *i, LLVMValueRef x); // a scalar
bool cg_is_reducible(const struct kir_inst *i);
LLVMAtomicOrdering cg_atomic_ordering(const struct kir_inst *i);
bool cg_is_float_atomic(const struct kir_inst *i);

// Does anybody read the old value?
bool cg_has_readers(const struct cg_func *g, const struct kir_inst *i);

// Is an exchange of so many bytes a store: nobody reads the old value or waits for it?
bool cg_is_atomic_store(const struct cg_func *g, const struct kir_inst *i, unsigned bytes);

// What memory at p holds behind an operation with x and y (NULL: it has one operand) on `old`.
LLVMValueRef cg_new_value(struct cg_func *g, const struct kir_inst *i, LLVMValueRef old,
                          LLVMValueRef x, LLVMValueRef y, LLVMValueRef p);

// One thread's operation; x, y are integers of the type's width. Returns the old value.
LLVMValueRef cg_atomic_one(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p,
                           LLVMValueRef x, LLVMValueRef y);

// With memory at p, in the function that the builder stands in.
void cg_combine_with(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, LLVMValueRef x);

#endif
