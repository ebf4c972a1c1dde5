#ifndef KUDZU_PIPELINE_CALLS_H
#define KUDZU_PIPELINE_CALLS_H

#include "codegen/core/state.h"

// The functions of a kernel.
struct calls {
    struct cg *c;
    bool indirect;               // an indirect call is reachable
    VEC(struct kir_func *) list; // those that are needed
};

// Bytes of f's own local frame, a multiple of 16.
uint32_t frame_of(const struct kir_func *f);

// A function that can block is called from divergent flow?
bool blocks_under_mask(struct cg *c, struct flow **fl);

#endif
