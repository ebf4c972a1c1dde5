// Queues of a context and the order between them.
#ifndef KUDZU_DEVICE_QUEUE_H
#define KUDZU_DEVICE_QUEUE_H

#include "device/device.h"
#include "device/sync.h"

struct op;

struct kd_queue {
    struct kd_context *context;
    struct kd_spinlock lock; // of tail
    struct op *tail;         // the last one submitted, held; NULL: none yet
    uint32_t flags;
    int priority;
    uint64_t id;
    bool legacy, freed;
    struct kd_queue *next;
};

struct queue_set {
    struct kd_queue legacy;
    struct kd_spinlock lock; // of the list
    struct kd_queue *list;   // all but the legacy queue; freed ones until their work has ended
    atomic_int count;        // of the list
    atomic_int legacy_used;  // the legacy queue has ever been submitted to
};

void queue_set_open(struct kd_context *c);
// Waits for everything, then drops all queues.
void queue_set_close(struct kd_context *c);
// Puts op at the end of q with the dependencies that follow from that, and starts it. Takes the
// caller's reference in any case. On failure (no memory for dependencies) op is dropped.
enum kd_status queue_submit(struct kd_queue *q, struct op *op);
// The same, and waits for `before` too (may be NULL).
enum kd_status queue_submit_after(struct kd_queue *q, struct op *op, struct op *before);
// KD_OK, or KD_FAULTED with the fault as the reason.
enum kd_status context_status(struct kd_context *c);

#endif
