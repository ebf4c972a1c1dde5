#ifndef KUDZU_CODEGEN_CG_TRANSPOSITION_H
#define KUDZU_CODEGEN_CG_TRANSPOSITION_H

#include <llvm-c/Core.h>

struct cg;

// Registers of n elements (4, 8 or 16), each of which holds n / m rows of m elements (2, 4, 8 or
// 16, at most n): row cg_row_at(j, s, m, n) is the s-th one of register j. Makes of r[0] to r[m -
// 1] the rows' elements 0 to m - 1, in the order of the rows.
void cg_transpose_words(struct cg *c, LLVMValueRef *r, unsigned m, unsigned n);
unsigned cg_row_at(unsigned j, unsigned s, unsigned m, unsigned n);

// Elements of x and y, numbered through both: the k-th of n is number from[k].
LLVMValueRef cg_pick(struct cg *c, LLVMValueRef x, LLVMValueRef y, const unsigned *from,
                     unsigned n);

#endif
