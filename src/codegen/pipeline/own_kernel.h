// A kernel of one compilation's own: passes change a copy, and others keep what was read.
#ifndef KUDZU_PIPELINE_OWN_KERNEL_H
#define KUDZU_PIPELINE_OWN_KERNEL_H

#include "codegen/core/state.h"

// A module with a copy of the kernel, as it is now.
struct kir_module *own_module(struct cg *c);

// From now on the kernel is m's.
void use_module(struct cg *c, struct kir_module *m);

// The kernel before a change that may turn out not to be good.
struct old_kernel {
    struct kir_module *ir;
    struct kir_func *kernel;
};
static inline struct old_kernel old_kernel(const struct cg *c) {
    return (struct old_kernel){c->ir, c->kernel};
}
static inline void restore_kernel(struct cg *c, struct old_kernel old) {
    c->ir = old.ir;
    c->kernel = old.kernel;
}

// The value of a function that corresponds to one of the function that it is a copy of.
struct kir_value *in_copy(const struct kir_func *copy, const struct kir_value *v);

#endif
