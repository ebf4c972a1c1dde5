#include "device/sched/share.h"

#include <stdlib.h>

#include "device/internal.h"
#include "device/reason.h"
#include "device/sched/op.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of the pointers to default queues

struct kd_share *share_ref(struct kd_share *s) {
    if (s)
        atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void share_unref(struct kd_share *s) {
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (s->gate)
        op_unref(s->gate);
    free(s);
}

bool share_enter(struct kd_share *s) {
    int n = atomic_load_explicit(&s->running, memory_order_relaxed);
    while (n < s->workers)
        if (atomic_compare_exchange_weak(&s->running, &n, n + 1))
            return true;
    return false;
}

void share_leave(struct kd_share *s) {
    atomic_fetch_sub(&s->running, 1);
}

enum kd_status kd_share_new(struct kd_context *c, uint32_t workers, struct kd_share **out) {
    if (workers < 1 || workers > (uint32_t)c->device->scheduler.slots)
        return kd_fail(KD_INVALID_VALUE, "the device has %d multiprocessors, %u were asked for",
                       c->device->scheduler.slots, workers);
    struct kd_share *s = calloc(1, sizeof *s);
    if (!s)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a share of the device");
    s->refs = 1;
    s->workers = (int)workers;
    s->context = c;
    enum kd_status status = queue_new_in_share(s, 0, 0, true, &s->queue);
    if (status) {
        free(s);
        return status;
    }
    *out = s;
    return kd_succeed();
}

// Also when the context is gone, and its queues with it.
void kd_share_free(struct kd_share *s) {
    pthread_mutex_lock(&lock);
    if (s->queue)
        kd_queue_free(s->queue);
    s->queue = NULL;
    pthread_mutex_unlock(&lock);
    share_unref(s);
}

void shares_forget_context(struct kd_context *c) {
    pthread_mutex_lock(&lock);
    for (struct kd_queue *q = c->queues.list; q; q = q->next)
        if (q->share && q->share->queue == q)
            q->share->queue = NULL;
    pthread_mutex_unlock(&lock);
}

struct kd_queue *kd_share_default_queue(struct kd_share *s) {
    return s->queue;
}

struct kd_share *kd_queue_share(const struct kd_queue *q) {
    return q->share;
}

int kd_queue_workers(const struct kd_queue *q) {
    return q->share ? q->share->workers : q->context->device->properties.workers;
}

enum kd_status kd_share_queue_new(struct kd_share *s, uint32_t flags, int priority,
                                  struct kd_queue **out) {
    return queue_new_in_share(s, flags, priority, false, out);
}
