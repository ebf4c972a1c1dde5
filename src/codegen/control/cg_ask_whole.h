#ifndef KUDZU_CODEGEN_CG_ASK_WHOLE_H
#define KUDZU_CODEGEN_CG_ASK_WHOLE_H

#include "codegen/core/state.h"

// Is a version of b without masks worth its code?
bool cg_wants_whole(struct cg_func *g, const struct kir_block *b);

// How many instructions it would be; 0: it cannot.
unsigned cg_could_be_whole(struct cg_func *g, const struct kir_block *b);

// At the end of `from`, before it branches: asks for those it branches to whether all lanes do.
void cg_ask_whole(struct cg_func *g, struct kir_block *from);
LLVMValueRef cg_is_whole(struct cg_func *g, const struct kir_block *b); // i1; NULL: nobody asked

#endif
