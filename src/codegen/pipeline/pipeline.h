// The compilation of one kernel: its passes, in the order in which pipeline.c lists them.
#ifndef KUDZU_PIPELINE_H
#define KUDZU_PIPELINE_H

#include "codegen/pipeline/calls.h"

// What passes need and give. What a pass gives holds from then on: a pass that changes the kernel
// analyses it again.
enum pipeline_fact {
    HAS_FUNCTIONS = 1 << 0, // cg.needed, can_exit, frame_depth, address_taken; pipeline.calls
    HAS_EFFORT = 1 << 1,    // cg.effort and quick, as far as they are known without code
    HAS_MODE = 1 << 2,      // cg.mode, width, team, splits, parks
    HAS_FLOW = 1 << 3,      // pipeline.fl, waits: at that width, of the kernel as it is
    HAS_LLVM_IR = 1 << 4,   // cg.mod
    HAS_INFO = 1 << 5,      // pipeline.info
    HAS_OBJECT = 1 << 6     // pipeline.object, object_size
};

struct pipeline {
    struct cg *c;
    struct calls calls;
    struct flow **fl; // by kir_func index, of functions that are needed
    bool waits;       // some thread may have to wait for what others do, not only at barriers
    bool unrolled;    // loops with barriers are written out
    unsigned have;    // enum pipeline_fact
    struct kd_code_info *info;
    void **object; // of malloc
    size_t *object_size;
};

// Runs passes until there is `until`. False: the kernel cannot be compiled, cg.err says why.
bool pipeline_run(struct pipeline *p, enum pipeline_fact until);

#endif
