#ifndef KUDZU_CODEGEN_CG_SLOT_H
#define KUDZU_CODEGEN_CG_SLOT_H

#include "codegen/core/state.h"

void cg_find_slots(struct cg_func *g);                             // behind cg_find_again
uint32_t cg_slot_of(struct cg_func *g, const struct kir_value *v); // among what is saved; 0: none

// Is v in its slot where groups reach the barrier?
bool cg_is_in_slot(struct cg_func *g, const struct kir_inst *barrier, const struct kir_value *v);
void cg_store_slot(struct cg_func *g, const struct kir_value *v, LLVMValueRef x);

// Has what a phi gets over the edge from the p-th predecessor to be stored into its slot?
bool cg_goes_to_slot(struct cg_func *g, const struct kir_inst *phi, uint32_t p);

// On the edge from b's p-th predecessor: stores what a loop with barriers takes from outside, if it
// begins there.
void cg_enter_slots(struct cg_func *g, const struct kir_block *b, uint32_t p);

#endif
