#ifndef KUDZU_CODEGEN_OPTIMIZE_H
#define KUDZU_CODEGEN_OPTIMIZE_H

#include "codegen/core/state.h"

// Errors that LLVM reports fail the compilation; without this it ends the process for them.
void cg_heed_diagnostics(struct cg *c);

// Of all functions.
size_t cg_count_instructions(LLVMModuleRef m);

// Verifies the module, runs LLVM's passes over it and makes the object.
bool cg_make_object(struct cg *c, void **obj, size_t *size, struct strbuf *err);

#endif
