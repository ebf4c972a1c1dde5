#ifndef KUDZU_CODEGEN_CG_SPREAD_H
#define KUDZU_CODEGEN_CG_SPREAD_H

#include "codegen/core/state.h"

LLVMValueRef cg_extract(struct cg_func *g, LLVMValueRef vec, LLVMValueRef lane);

// The lanes of a vector as scalars. Three vectors (`which` 0 to 2) can be spread at a time; a
// scalar or a constant is left as it is.
enum { CG_OF_EXTRACT = 3 }; // the place that cg_extract uses
struct cg_spread {
    LLVMValueRef vec, place, words;
    LLVMTypeRef type;
    unsigned bits;         // of a lane in `words`, less than the type's where vec extends it
    LLVMValueRef word[32]; // those of `words` taken out so far
    LLVMValueRef reg;      // a register with reg_words of them, from reg_first on
    unsigned reg_words, reg_first;
    LLVMValueRef shifted; // of bytes: the word with lanes 2 * pair and 2 * pair + 1 lowest
    unsigned pair;
};
struct cg_spread cg_spread(struct cg_func *g, LLVMValueRef vec, unsigned which); // through memory

// For places and values of stores, in full code from register to register.
struct cg_spread cg_take_apart(struct cg_func *g, LLVMValueRef vec, unsigned which);

// Has vec been extended by zeros from bytes or halves of words?
bool cg_is_narrow(LLVMValueRef vec);

// Of a vector that went through memory: a lane that is found when it runs, an i32.
LLVMValueRef cg_spread_at(struct cg_func *g, const struct cg_spread *s, LLVMValueRef lane);

// In one block, or in blocks that follow each other.
LLVMValueRef cg_spread_lane(struct cg_func *g, struct cg_spread *s, unsigned lane);

#endif
