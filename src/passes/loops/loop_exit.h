// What leaves a loop by its only exit, where the loop is about to be copied.
#ifndef KUDZU_PASSES_LOOP_EXIT_H
#define KUDZU_PASSES_LOOP_EXIT_H

#include "passes/flow/cfg.h"

// The branch by which the loop is left; NULL: several, or none.
struct kir_inst *loop_only_exit(const struct cfg *c, const struct cfg_loop *l);
// The same of all loops, by index, found in one walk through the function. Memory from `a`.
struct kir_inst **loop_only_exits(struct arena *a, const struct cfg *c);

struct loop_exit {
    struct kir_func *func;
    const struct cfg *cfg;
    const struct cfg_loop *loop;
    struct kir_block *block; // behind the loop, entered by that edge alone
};

// Makes the block behind target k of `branch`, which leaves the loop: a new one where others lead
// to that target, too. What the loop makes is used behind it through phis of that block alone.
struct loop_exit loop_exit_make(struct arena *tmp, const struct cfg *c, const struct cfg_loop *l,
                                struct kir_inst *branch, uint32_t k);
// Another operand of a phi, the last.
void phi_add_operand(struct kir_func *f, struct kir_inst *phi, struct kir_value *v);

#endif
