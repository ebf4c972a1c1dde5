// Accesses of one interval between barriers as a program for the device (abi/check_steps.h), which
// computes for all threads of a block where they are.
#ifndef KUDZU_PASSES_CHECK_STEPS_H
#define KUDZU_PASSES_CHECK_STEPS_H

#include "abi/check_steps.h"
#include "passes/check/check_uniform.h"

struct check_member {
    const struct kir_inst *i; // in front of which it is made
    const struct kir_value *address;
    int64_t offset;
    uint32_t bytes;
    uint8_t how; // enum kd_step_access
};
struct check_program {
    VEC(struct kd_check_step) steps;
};
struct check_steps {
    struct arena *a;
    const struct kir_func *f;
    const struct check_uniform *u;
    bool *computable; // by value: from the numbers of threads and what the launch has
    bool *fixed;      // by value: threads of a block have one that never changes
    uint32_t stamp, *needed, *step;
    const struct kir_inst **barriers; // by number
};
void check_steps_begin(struct check_steps *s, struct arena *a, const struct kir_func *f,
                       const struct check_uniform *u);
// Adds a group of accesses that some thread may make behind one of the starts (bits) and another
// before the next barrier. False: nobody can compute where they are; nothing is added.
bool check_steps_add(struct check_steps *s, const struct check_member *const *members, uint32_t n,
                     uint64_t starts, struct check_program *p);

#endif
