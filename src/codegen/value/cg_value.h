#ifndef KUDZU_CODEGEN_CG_VALUE_H
#define KUDZU_CODEGEN_CG_VALUE_H

#include "codegen/core/state.h"

LLVMValueRef cg_scalar(struct cg_func *g, struct kir_value *v); // uniform value, or offsets' base
LLVMValueRef cg_guard(struct cg_func *g, struct kir_value *v);  // NULL: none
LLVMValueRef cg_vec(struct cg_func *g, struct kir_value *v);    // a scalar at width 1

// By how much each lane of a uniform value or one with offsets differs from cg_scalar.
LLVMValueRef cg_delta(struct cg_func *g, struct kir_value *v);
void cg_set_scalar(struct cg_func *g, struct kir_value *v, LLVMValueRef x); // uniform result

// With a guard also what always holds: vec or delta, the other one NULL.
void cg_set_offsets(struct cg_func *g, struct kir_value *v, LLVMValueRef base, LLVMValueRef guard,
                    LLVMValueRef vec, LLVMValueRef delta);
void cg_set_vec(struct cg_func *g, struct kir_value *v, LLVMValueRef x); // varying result

// Sets the result from a scalar or a vector, whichever its shape wants: x is a vector.
void cg_set_result(struct cg_func *g, struct kir_value *v, LLVMValueRef x);
LLVMValueRef cg_offs_vec(struct cg_func *g, const int64_t *offs, LLVMTypeRef elem);
LLVMValueRef cg_mask(struct cg_func *g);                         // never NULL: all ones when full
LLVMValueRef cg_mask_bits(struct cg_func *g, LLVMValueRef mask); // iW
LLVMValueRef cg_any(struct cg_func *g, LLVMValueRef mask);       // i1
LLVMValueRef cg_lane_index(struct cg_func *g); // vector i32: thread index in the block
void cg_find_crossing(struct cg_func *g);
void cg_make_vars(struct cg_func *g);
void cg_store_live_out(struct cg_func *g, struct kir_value *v);
void cg_store_var(struct cg_func *g, struct kir_value *v);
void cg_reset_vars(struct cg_func *g);

// What stands between runs only when the group has an active lane: a block is entered when any
// group of a team has one. The n values x made there are zero for a group without.
struct cg_active {
    LLVMBasicBlockRef from, done;
};
struct cg_active cg_begin_active(struct cg_func *g);

// The same where a group without a team, too, may have none.
struct cg_active cg_begin_some(struct cg_func *g);
void cg_end_active(struct cg_func *g, const struct cg_active *a, LLVMValueRef *x, unsigned n);

// Is it known while code is generated that no lane of the group is active?
bool cg_never_active(const struct cg_func *g);

// A loop over the active lanes of `mask`, in lane order:
//   struct cg_lane_loop l = cg_begin_lanes(g, mask);  ... l.lane is an i32 ...  cg_end_lanes(g,
//   &l);
struct cg_lane_loop {
    LLVMValueRef lane, bits_phi, bits;
    LLVMBasicBlockRef head, done, body_from;
};
struct cg_lane_loop cg_begin_lanes(struct cg_func *g, LLVMValueRef mask);
void cg_end_lanes(struct cg_func *g, struct cg_lane_loop *l);

#endif
