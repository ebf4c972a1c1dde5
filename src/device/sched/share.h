// A share of a device: queues of a context whose work runs on so many workers at one time at most.
#ifndef KUDZU_DEVICE_SHARE_H
#define KUDZU_DEVICE_SHARE_H

#include "device/device.h"
#include "device/sync.h"

struct op;

struct kd_share {
    atomic_int refs;    // its owner's, its queues' and their operations'
    atomic_int running; // threads that run its work
    int workers;
    struct kd_context *context;
    struct kd_queue *queue; // the default one; NULL: the context is gone. Under the lock in share.c
    struct op *gate;  // what all later work waits for, held; under the lock of the queues' list
    atomic_int gated; // gate is not NULL
};

struct kd_share *share_ref(struct kd_share *s); // s may be NULL, here and below
void share_unref(struct kd_share *s);
// A place among the threads that run its work; false: there is none.
bool share_enter(struct kd_share *s);
void share_leave(struct kd_share *s);
static inline bool share_full(const struct kd_share *s) {
    return atomic_load_explicit(&s->running, memory_order_relaxed) >= s->workers;
}
// queue.c: a queue of s. `leads`: it is the default one.
enum kd_status queue_new_in_share(struct kd_share *s, uint32_t flags, int priority, bool leads,
                                  struct kd_queue **out);
// The context is about to free its queues, and nobody else uses it, but for kd_share_free.
void shares_forget_context(struct kd_context *c);

#endif
