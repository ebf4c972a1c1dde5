#ifndef KUDZU_CODEGEN_CONSTANT_LOADS_H
#define KUDZU_CODEGEN_CONSTANT_LOADS_H

#include "codegen/core/state.h"

// After LLVM's passes.

// For quick code: vectors of constants that arithmetic uses are loaded.
void cg_load_constants(struct cg *c);

// For better code of a kernel with many more of them than there are registers. LLVM takes each of
// them out of the loop over a block's groups, and the register allocator then goes through all of
// them again for each that finds no register: with some hundreds that takes seconds. So their
// places count as variables, whose loads stay where they are.
void cg_load_many_constants(struct cg *c);

#endif
