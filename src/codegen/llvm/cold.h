#ifndef KUDZU_CODEGEN_COLD_H
#define KUDZU_CODEGEN_COLD_H

#include "codegen/core/state.h"

// After LLVM's passes: what only blocks need that hardly ever run (cg_rarely) is computed there.
void cg_sink_into_cold(struct cg *c);

// Is it known that the branch hardly ever takes this way?
bool cg_is_rare(struct cg *c, LLVMValueRef branch, unsigned successor);

// Is the instruction v one of addresses, integers or conditions that has no effect but its result?
bool cg_is_arithmetic(LLVMValueRef v);

#endif
