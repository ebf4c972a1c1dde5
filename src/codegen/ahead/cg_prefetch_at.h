#ifndef KUDZU_CODEGEN_CG_PREFETCH_AT_H
#define KUDZU_CODEGEN_CG_PREFETCH_AT_H

#include "codegen/core/state.h"

// Asks for what lies `by` (i64) bytes behind the pointer p.
void cg_prefetch_at(struct cg *c, LLVMValueRef p, LLVMValueRef by, bool is_store);

// Into which cache: numbers of LLVM's.
enum cg_cache { CG_SECOND_CACHE = 2, CG_FIRST_CACHE = 3 };
void cg_prefetch_to(struct cg *c, LLVMValueRef p, bool is_store, enum cg_cache where);

// The same, or where this machine had better put it.
void cg_prefetch_line(struct cg *c, LLVMValueRef p, bool is_store, enum cg_cache where);

// Into the first cache on all machines: for what is waited for alone, as by a locked instruction.
void cg_prefetch_near(struct cg *c, LLVMValueRef p, LLVMValueRef by, bool is_store);

#endif
