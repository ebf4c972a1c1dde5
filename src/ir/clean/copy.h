// Copies of functions and of some of their blocks.
#ifndef KUDZU_IR_COPY_H
#define KUDZU_IR_COPY_H

#include "ir/clean/simplify.h"

struct kir_copy {
    struct arena *tmp;
    struct kir_func *to;
    bool constants;            // constants are copied, too
    struct kir_block **blocks; // by id of the originals; NULL: stands for itself
    struct kir_value **values; // by id of the originals; NULL: stands for itself
};

// Copies n blocks to the end of c->to. Preds are left empty; phis keep the operands' order.
void kir_copy_blocks(struct kir_copy *c, struct kir_block *const *from, uint32_t n);

// A copy of f, in m's arena but not among m's functions. Symbols and locals are f's own.
struct kir_func *kir_copy_func(struct kir_module *m, const struct kir_func *f, struct arena *tmp);

#endif
