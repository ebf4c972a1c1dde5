#ifndef KUDZU_CODEGEN_CG_MEM_H
#define KUDZU_CODEGEN_CG_MEM_H

#include "codegen/core/state.h"

// Does i store a pair of a product's sums in each lane, four lanes beside each other? Its
// store alone.
bool cg_stores_pair(struct cg_func *g, struct kir_inst *i);
void cg_store_pair(struct cg_func *g, struct kir_inst *i);

// Does a load take more than vectors, where all lanes are active? Then it can be made in two steps:
// what later code can find again, and the rest, which may stand in a block of its own.
bool cg_load_costs(struct cg_func *g, const struct kir_inst *i);
struct cg_costly_load *cg_prepare_costly(struct cg_func *g, struct kir_inst *i);
unsigned cg_make_costly(struct cg_func *g, const struct cg_costly_load *l, LLVMValueRef *x);
LLVMTypeRef cg_costly_type(struct cg_func *g, const struct cg_costly_load *l); // of each of x
unsigned cg_costly_bytes(struct cg_func *g, const struct cg_costly_load *l);   // of all of them

// Is i a load or store of vectors whose lanes do not follow each other word by word?
bool cg_is_strided(struct cg_func *g, struct kir_inst *i);

// Is i a load or store outside shared memory whose lanes do?
bool cg_is_line(struct cg_func *g, struct kir_inst *i);
// Emits i; false: it is none of these instructions.
bool cg_emit_memory(struct cg_func *g, struct kir_inst *i);

#endif
