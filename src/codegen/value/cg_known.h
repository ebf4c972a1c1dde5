#ifndef KUDZU_CODEGEN_CG_KNOWN_H
#define KUDZU_CODEGEN_CG_KNOWN_H

#include "codegen/core/state.h"

struct cg_val *cg_val_of(struct cg_func *g, const struct kir_value *v);

// Made for the team's first group alone: shared, or a lag apart from group to group. A value with
// a guard has its vector in every group all the same.
bool cg_made_once(const struct cg_func *g, const struct kir_value *v);
struct cg_var *cg_var_of(struct cg_func *g, const struct kir_value *v);
struct shape cg_shape(struct cg_func *g, const struct kir_value *v); // as seen in g->block
struct shape cg_shape_at_def(const struct cg_func *g, const struct kir_value *v);
bool cg_is_guarded(const struct cg_func *g, const struct kir_value *v); // where it is defined

// Can v be used here although this instruction does not name it? Not after a barrier that it
// was not saved at.
bool cg_at_hand(struct cg_func *g, const struct kir_value *v);

#endif
