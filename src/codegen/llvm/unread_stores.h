// Stores to shared memory that nothing reads.
#ifndef KUDZU_CODEGEN_UNREAD_STORES_H
#define KUDZU_CODEGEN_UNREAD_STORES_H

#include "codegen/core/state.h"

// What a block's threads leave in shared memory ends with the block. Where LLVM has found all that
// is loaded there to be what was stored, in code that is one function, with nothing left but stores
// at constant places, these go. LLVM itself has to keep them: for all that it knows somebody reads
// that memory when the function has returned.
void cg_drop_unread_stores(struct cg *c);

#endif
