// Numbers of threads and blocks that are known where an access is made: behind `if (threadIdx.x ==
// 0)` one thread of a row is left.
#ifndef KUDZU_PASSES_CHECK_PINS_H
#define KUDZU_PASSES_CHECK_PINS_H

#include "ir/order.h"

// Bit k: threadIdx.x, .y, .z, blockIdx.x, .y, .z have value[k].
enum { CHECK_PINS = 6 };
struct check_pins {
    uint32_t known, value[CHECK_PINS];
};
// What all threads have in common that enter a block.
struct check_pins check_pins_of(const struct kir_func *f, const struct kir_order *o,
                                const struct kir_block *b);
// Leaves those that are the same in both.
void check_pins_meet(struct check_pins *p, const struct check_pins *other);

#endif
