// In quick code, before instructions are selected.
#ifndef KUDZU_CODEGEN_INVERSE_TESTS_H
#define KUDZU_CODEGEN_INVERSE_TESTS_H

#include <llvm-c/Core.h>

// The negation of a comparison of vectors becomes the inverse comparison. LLVM's instruction
// selection asks for each vector of truths, element by element, which elements are wanted: without
// the vector of constants that a negation takes it has a third less to do where branches diverge.
void cg_invert_tests(LLVMModuleRef m, LLVMBuilderRef b);

#endif
