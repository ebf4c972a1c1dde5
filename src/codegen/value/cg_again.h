#ifndef KUDZU_CODEGEN_CG_AGAIN_H
#define KUDZU_CODEGEN_CG_AGAIN_H

#include "codegen/core/state.h"

// What cg_find_block_test has found: is it the same for all threads of a block? Emits it.
bool cg_is_test_invariant(struct cg_func *g);

// Finds what follows from the group's index, to be made where the group begins and again where it
// goes on behind a barrier: what is alive there (`live`; NULL: all).
void cg_find_again(struct cg_func *g);
bool cg_is_again(const struct cg_func *g, const struct kir_value *v);

// Is i computed at the head of the function or, with of_group, of a group?
bool cg_belongs_to_head(struct cg_func *g, const struct kir_inst *i, bool of_group);
bool cg_is_of_test(const struct cg_func *g, const struct kir_inst *i);

#endif
