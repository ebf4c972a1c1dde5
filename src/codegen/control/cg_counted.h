#ifndef KUDZU_CODEGEN_CG_COUNTED_H
#define KUDZU_CODEGEN_CG_COUNTED_H

#include "codegen/core/state.h"

// At the head of a loop that lanes leave by counting, of one block or with a part that some
// iterations leave out: emits the iterations that all lanes make, and leaves the builder where the
// iterations under masks begin. Does nothing in other blocks.
void cg_emit_full_turns(struct cg_func *g, struct kir_block *b);

#endif
