#ifndef KUDZU_CODEGEN_CONSTANT_LOADS_H
#define KUDZU_CODEGEN_CONSTANT_LOADS_H

#include "codegen/core/state.h"

// For quick code, after LLVM's passes: vectors of constants that arithmetic uses are loaded.
void cg_load_constants(struct cg *c);

#endif
