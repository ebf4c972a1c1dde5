#ifndef KUDZU_CODEGEN_CG_STOP_H
#define KUDZU_CODEGEN_CG_STOP_H

#include "codegen/core/state.h"

// Saves what the group needs behind i, where it is to stop; cg_go_on begins the code that it goes
// on with.
struct cg_stop *cg_save_to_stop(struct cg_func *g, struct kir_inst *i, enum kd_split_wait wait);
void cg_go_on(struct cg_func *g, const struct cg_stop *s);

// In how many of the active lanes a barrier's predicate holds, and how many there are: i32.
void cg_count_group(struct cg_func *g, struct kir_inst *i, LLVMValueRef n[2]);

// Writes into the frame that the active lanes stop, for what, and in which state they go on; `op`:
// the operation that they stop at.
void cg_say_stop(struct cg_func *g, uint32_t state, enum kd_split_wait wait,
                 const struct kir_inst *op);
LLVMValueRef cg_active_lanes(struct cg_func *g);  // an i32
LLVMValueRef cg_stopped_lanes(struct cg_func *g); // those that go on here, an i32
void cg_go_on_with_split(struct cg_func *g);      // sets the mask

#endif
