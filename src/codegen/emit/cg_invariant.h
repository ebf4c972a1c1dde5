#ifndef KUDZU_CODEGEN_CG_INVARIANT_H
#define KUDZU_CODEGEN_CG_INVARIANT_H

#include "codegen/core/state.h"
#include "codegen/value/cg_live.h"

// Emits what is computed once, where it dominates everything: without of_group for all groups, else
// for the group that is being emitted.
void cg_emit_invariants(struct cg_func *g, bool of_group);
void cg_emit_test_only(struct cg_func *g);
void cg_make_again(struct cg_func *g, const struct cg_live *live);

#endif
