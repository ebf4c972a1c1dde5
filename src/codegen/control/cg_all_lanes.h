#ifndef KUDZU_CODEGEN_CG_ALL_LANES_H
#define KUDZU_CODEGEN_CG_ALL_LANES_H

#include "codegen/core/state.h"

struct cg_counted {
    struct kir_value *index, *limit; // lanes stay while index < limit
    struct kir_value *next;          // the phi that gets `index`; NULL: none
    bool is_signed, or_equal;
    uint32_t back;                    // which target is the block itself
    int64_t most;                     // the largest offset from the first group's base
    struct kir_block *middle, *latch; // NULL, and the block itself: there is one block
    struct cg_counted *part;          // which lanes go to the middle block: index < limit
};

// Does the comparison p of block b have a form that one scalar answers for the team?
bool cg_find_condition(struct cg_func *g, const struct kir_block *b, const struct kir_value *p,
                       bool stay_if_true, struct cg_counted *l);
LLVMValueRef cg_extend(struct cg *c, LLVMValueRef x, bool is_signed); // to an i64

// No lane of the team wraps, and each lane's index is below the limit (i1). base: of the first one.
LLVMValueRef cg_all_stay(struct cg_func *g, const struct cg_counted *l, LLVMValueRef base);

// The team's masks into mask[] and out of the way: what follows is for all lanes, b's phis too.
void cg_masks_off(struct cg_func *g, const struct kir_block *b, LLVMValueRef *mask);

// And back again, on another way.
void cg_masks_on(struct cg_func *g, LLVMValueRef *mask);

// Are all lanes of the team active (i1)?
LLVMValueRef cg_all_active(struct cg_func *g);

// At b's branch: do all lanes of the team take edge k (i1)? NULL: no scalar comparison tells.
LLVMValueRef cg_all_take(struct cg_func *g, struct kir_block *b, uint32_t k);

#endif
