// Lanes of a register side by side: what a list, a split or a filter keeps of a vector.
#ifndef KUDZU_CODEGEN_CG_COMPRESS_H
#define KUDZU_CODEGEN_CG_COMPRESS_H

#include "codegen/core/state.h"

// Are there instructions for `lanes` lanes of `bytes` bytes, in one register?
bool cg_can_compress(const struct cg *c, unsigned lanes, unsigned bytes);

// The lanes of x, integers, that `bits` (an integer of a bit a lane) names, in their order, from
// the first lane on. What the lanes behind hold is not said. cg_can_compress holds.
LLVMValueRef cg_compress(struct cg *c, LLVMValueRef x, LLVMValueRef bits);

// Stores the lanes of x that `bits` names side by side from p on. All places up to the number of
// lanes may be written. cg_can_compress holds for parts of x: whole registers, or x itself.
void cg_store_compressed(struct cg *c, LLVMValueRef x, LLVMValueRef bits, LLVMValueRef p);

#endif
