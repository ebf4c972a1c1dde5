#ifndef KUDZU_CODEGEN_CG_FOURS_H
#define KUDZU_CODEGEN_CG_FOURS_H

#include "codegen/core/state.h"

// A load's words, four of each lane, and the vectors of four lanes that they were made
// of; and those vectors again for the words, or NULL.
void cg_keep_fours(struct cg_func *g, const LLVMValueRef *word, const LLVMValueRef *line);
const LLVMValueRef *cg_fours_of(const struct cg_func *g, const LLVMValueRef *word);

// Of sixteen lanes: four words each from the vectors of four lanes.
void cg_take_fours_apart(struct cg *c, const LLVMValueRef *line, LLVMValueRef *word);

// Of all lanes: the other way round.
void cg_make_fours(struct cg *c, const LLVMValueRef *word, LLVMValueRef *line);

#endif
