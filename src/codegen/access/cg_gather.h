#ifndef KUDZU_CODEGEN_CG_GATHER_H
#define KUDZU_CODEGEN_CG_GATHER_H

#include "codegen/access/cg_places.h"
#include "codegen/core/state.h"

// Accesses of `count` components of `bytes` bytes, one after the other, by each active lane.
struct cg_lane_access {
    LLVMTypeRef elem;
    unsigned count, bytes;
    struct cg_places at;
    bool rare;         // short code rather than fast code
    bool whole;        // all components of a lane in one access, of 16 bytes at most
    bool lone;         // a store that mostly no lane makes or one, as planned
    LLVMValueRef from; // i32: lone: lane l stores from + l * by; NULL: not known
    uint32_t by;
    LLVMValueRef
        ahead; // i64: where, behind each place, memory will be needed soon; NULL: not known
};

// Of one lane, whole.
void cg_load_whole(struct cg *c, const struct cg_lane_access *a, LLVMValueRef p, LLVMValueRef *out);
void cg_store_whole(struct cg *c, const struct cg_lane_access *a, LLVMValueRef p,
                    LLVMValueRef *comp);
void cg_gather(struct cg_func *g, struct cg_lane_access a, LLVMValueRef *out); // inactive: zero
void cg_scatter(struct cg_func *g, struct cg_lane_access a, LLVMValueRef *comp);

#endif
