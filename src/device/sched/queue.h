// Queues of a context and the order between them.
#ifndef KUDZU_DEVICE_QUEUE_H
#define KUDZU_DEVICE_QUEUE_H

#include "device/check/check_streams.h"
#include "device/device.h"
#include "device/sync.h"

struct op;

enum { QUEUE_PLACES = 8 };
struct kd_queue {
    struct kd_context *context;
    struct kd_spinlock lock; // of tail
    struct op *tail;         // the last one submitted, held; NULL: none yet
    uint32_t flags;
    atomic_int priority;
    uint64_t id;
    bool legacy, freed;
    bool leads;             // a default queue, with which the blocking ones synchronise
    struct kd_queue *sync;  // that one; NULL: of a queue that does not block. Of a share: under the
                            // lock of the list
    struct kd_share *share; // that it belongs to, held; NULL: the whole device
    struct kd_queue *next;
    // Places in other queues that this one has waited for through events: what was before them in
    // their queue is before everything that is submitted now. Under `lock`.
    struct queue_place {
        uint64_t queue, number;
    } passed[QUEUE_PLACES];
    unsigned next_passed;
    struct check_line line;
};

struct queue_set {
    struct kd_queue legacy;
    struct kd_spinlock lock; // of the list
    struct kd_queue *list;   // all but the legacy queue; freed ones until their work has ended
    atomic_int count;        // of the list
    atomic_int legacy_used;  // the legacy queue has ever been submitted to
    atomic_int gated;        // gate is not NULL
    struct op *gate;         // what all later work waits for, held; under the lock of the list
};

// The place of a priority, cut to the device's range, among struct op's; 0 goes first.
uint8_t queue_rank(const struct kd_context *c, int priority);
void queue_set_open(struct kd_context *c);
// Waits for everything, then drops all queues.
void queue_set_close(struct kd_context *c);
// Puts op at the end of q with the dependencies that follow from that, and starts it. Takes the
// caller's reference in any case. On failure (no memory for dependencies) op is dropped.
enum kd_status queue_submit(struct kd_queue *q, struct op *op);
// The same, and waits for `before` too (may be NULL).
enum kd_status queue_submit_after(struct kd_queue *q, struct op *op, struct op *before);
// An operation before whose end all that was submitted to q so far has ended, held; NULL: it has
// ended already. `always`: one in any case, but for contexts with a fault.
enum kd_status queue_point(struct kd_queue *q, bool always, struct op **out);
// Numbers of places, to compare them within one queue. A number that is taken after something was
// submitted is smaller than one that is taken before something later is.
uint64_t queue_number(void);
// q has waited for the place `number` of another queue (by its id).
void queue_pass(struct kd_queue *q, uint64_t other, uint64_t number);
bool queue_has_passed(struct kd_queue *q, uint64_t other, uint64_t number);
// op waits for the last operations of all queues of c; false: no memory.
// `share`: of its queues alone, if it is not NULL.
bool queue_set_after_all(struct kd_context *c, const struct kd_share *share, struct op *op);
// All later work of c, or of the share, waits for op, which takes the caller's reference, and for
// earlier gates.
enum kd_status queue_set_gate(struct kd_context *c, struct kd_share *share, struct op *op);
// KD_OK, or KD_FAULTED with the fault as the reason.
enum kd_status context_status(struct kd_context *c);

#endif
