#ifndef KUDZU_CODEGEN_CG_BLOCK_TEST_H
#define KUDZU_CODEGEN_CG_BLOCK_TEST_H

#include "codegen/core/state.h"
#include "codegen/value/cg_live.h"

struct cg_live; // cg_live.c

// Looks for what is computed for a test of the block alone: cg_emit_invariants leaves it out.
void cg_find_block_test(struct cg_func *g);

// The outcomes of the tests of up to CG_PIECE_BLOCKS blocks (i8 each), and for each block the first
// one behind it with another outcome (i32; or the last one's successor).
struct cg_stretches {
    LLVMValueRef tests, ends;
};
enum { CG_PIECE_BLOCKS = 1024 };

// A loop that makes the tests of `count` blocks from `first` on (i32 each), and goes to `done`.
// False: the test is not one of the block alone, and test_only is NULL from here on.
bool cg_emit_block_tests(struct cg_func *g, struct cg_stretches *s, LLVMValueRef first,
                         LLVMValueRef count, LLVMBasicBlockRef done);

// Of the step-th of these blocks: where its stretch ends, and the outcome (i1).
LLVMValueRef cg_stretch_end(struct cg_func *g, const struct cg_stretches *s, LLVMValueRef step);
LLVMValueRef cg_stretch_test(struct cg_func *g, const struct cg_stretches *s, LLVMValueRef step);

// From here on the test's outcome is `test`.
void cg_set_block_test(struct cg_func *g, LLVMValueRef test);

#endif
