// Before instructions are selected.
#ifndef KUDZU_CODEGEN_UNDEFINED_H
#define KUDZU_CODEGEN_UNDEFINED_H

#include <llvm-c/Core.h>

// Gives the undefined elements of constant vectors that a select chooses from the values of defined
// ones. LLVM 19 takes select(c, x - 1, x) for x plus the sign-extended c without regard to elements
// of x that are undefined, and the sum of those is undefined also where c chooses the other
// vector. Such vectors come from variables that lanes have not written yet.
void cg_define_selected(LLVMModuleRef m);

#endif
