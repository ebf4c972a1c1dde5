// Between which numbers values lie that threads make of their own numbers and of constants.
#ifndef KUDZU_PASSES_THREAD_RANGE_H
#define KUDZU_PASSES_THREAD_RANGE_H

#include "passes/flow/cfg.h"

// Of integers of 32 and 64 bits as signed numbers, of predicates 0 to 1. `pure`: nothing but a
// thread's number in its block or warp, and constants, decide the value.
struct thread_range {
    int64_t lo, hi;
    bool pure;
};

struct thread_ranges {
    const struct cfg *cfg;
    const uint32_t *ntid;       // threads of a block, 0: not known
    struct thread_range *any;   // by value id: in any iteration of the loops around it
    struct thread_range *first; // by value id, of `loop`: in that loop's first iteration
    uint8_t *made;              // by value id: whether `any`, `first` has it
    const struct cfg_loop *loop;
};

// Of all values of the function, which live in `a`.
struct thread_ranges thread_ranges_of(struct arena *a, const struct cfg *c, const uint32_t *ntid);
// From here on thread_range answers for the first iteration of l each time that l is entered.
void thread_ranges_enter(struct thread_ranges *r, const struct cfg_loop *l);
struct thread_range thread_range(const struct thread_ranges *r, const struct kir_value *v);

#endif
