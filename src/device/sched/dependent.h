// Programmatic dependent launch (guide 6.2.8.6): a grid begins before one that it depends on has
// ended.
//
// Of a launch whose blocks can trigger (griddepcontrol.launch_dependents) a mark ends when all
// blocks have triggered or ended: a launch that may overlap waits for that mark alone. It has a
// mark of its own, its completion, that ends when it has ended and so have those that it depends
// on: that is what the queue's next operation waits for, and what griddepcontrol.wait looks at.
//
// All blocks of a grid have begun when the next one begins. Whatever the next one's blocks wait
// for, no worker is kept from beginning a block that they wait for; blocks that wait go back to the
// scheduler, which runs the others of the worker in turn.
#ifndef KUDZU_DEVICE_DEPENDENT_H
#define KUDZU_DEVICE_DEPENDENT_H

#include "device/sched/op.h"

// Makes the marks that a launch needs, before it is submitted. `begun`, `triggered`: somebody will
// ask (KD_CODE_TRIGGERS asks for the second by itself). False: no memory.
bool dependent_prepare(struct op *op, bool triggered, bool begun);
// With q's lock: op is to follow `tail`, the last one of q. *last: the last one from now on, held,
// in place of a reference of op's; where that is not op itself, the caller starts it behind op.
// False: no memory.
bool dependent_follow(struct kd_queue *q, struct op *op, struct op *tail, struct op **last);
// A launch whose blocks may have to wait for the grids that it depends on.
void dependent_waits(struct op *op);

// n blocks of a launch have triggered, or ended without; they have begun.
void dependent_triggered(struct op *op, uint64_t n);
static inline bool dependent_counts_begun(const struct op *op) {
    return op->begun != NULL;
}
void dependent_begun(struct op *op, uint64_t n);
// The operation has ended.
void dependent_ended(struct op *op, struct worklist *w);

// Have the grids that this one depends on ended? Their writes are visible then.
static inline bool dependent_may_go_on(const struct op *op) {
    const struct op *c = op->completion;
    return !c || atomic_load_explicit(&c->pending, memory_order_acquire) <= 1;
}

#endif
