#ifndef KUDZU_CODEGEN_CG_TICKET_H
#define KUDZU_CODEGEN_CG_TICKET_H

#include "codegen/core/state.h"

// i accesses so many bytes at p, at a place that follows from a number of the block's own: asks for
// some lines of what the block with the worker's next number will access.
void cg_prefetch_ticket(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p,
                        unsigned bytes);

#endif
