#ifndef KUDZU_CODEGEN_CG_LINES_H
#define KUDZU_CODEGEN_CG_LINES_H

#include "codegen/core/state.h"

// Four words of each lane, a vector for each four lanes, whatever blocks they pass.
void cg_find_lines(struct cg_func *g);  // the builder stands in the entry block
void cg_reset_lines(struct cg_func *g); // at the start of a group
bool cg_lines_of(struct cg_func *g, struct kir_value *const *word, LLVMValueRef *line); // known?

// Four words that have lines, in their order, if x are these in any order; else NULL.
struct kir_value *const *cg_words_among(struct cg_func *g, struct kir_value *const *x);
void cg_keep_lines(struct cg_func *g, const struct kir_inst *load); // behind the load

// Phis whose words are taken out of lines, in every block anew, and have no variable.
bool cg_is_in_lines(const struct cg_func *g, const struct kir_value *v);
void cg_take_words(struct cg_func *g, const struct kir_value *v);

// Over the edge from `to`'s p-th predecessor, before and behind its branch.
void cg_prepare_lines(struct cg_func *g, const struct kir_block *to, uint32_t p);
void cg_move_lines(struct cg_func *g, const struct kir_block *to, uint32_t p);

#endif
