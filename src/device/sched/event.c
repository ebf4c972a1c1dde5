// Events: the last record is an operation that marks a place in a queue.
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "device/internal.h"
#include "device/reason.h"
#include "device/sched/op.h"
#include "device/sched/share.h"
#include "device/sched/shared_event.h"

struct kd_event {
    struct kd_context *context;
    uint32_t flags;
    struct kd_spinlock lock;
    struct op *record;           // held; NULL: never recorded
    struct op *rest;             // held: the launch that goes on behind the record; NULL: none
    uint64_t queue, number;      // the place of the record (queue_pass)
    struct shared_event *shared; // then nothing is in `record`; NULL: of this process alone
};

enum kd_status kd_event_new(struct kd_context *c, uint32_t flags, struct kd_event **out) {
    if (flags & ~(uint32_t)(KD_EVENT_NO_TIMING | KD_EVENT_BLOCKING_WAIT | KD_EVENT_SHARED))
        return kd_fail(KD_INVALID_VALUE, "unknown event flags 0x%x", flags);
    struct kd_event *e = calloc(1, sizeof *e);
    if (!e)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for an event");
    e->context = c;
    e->flags = flags;
    *out = e;
    if (flags & KD_EVENT_SHARED)
        check_streams_give_up();
    enum kd_status status = flags & KD_EVENT_SHARED ? shared_event_new(c, &e->shared) : KD_OK;
    if (status)
        free(e);
    return status ? status : kd_succeed();
}

enum kd_status kd_event_import(struct kd_context *c, const struct kd_ipc_file *file,
                               struct kd_event **out) {
    struct shared_event *shared;
    enum kd_status status = shared_event_open(c, file, &shared);
    if (status)
        return status;
    status = kd_event_new(c, KD_EVENT_NO_TIMING, out);
    if (status) {
        shared_event_free(shared);
        return status;
    }
    (*out)->flags |= KD_EVENT_SHARED;
    (*out)->shared = shared;
    return KD_OK;
}

enum kd_status kd_event_export(const struct kd_event *e, struct kd_ipc_file *out) {
    if (!e->shared)
        return kd_fail(KD_INVALID_VALUE, "the event is of this process alone");
    *out = shared_event_handle(e->shared);
    return kd_succeed();
}

void kd_event_free(struct kd_event *e) {
    if (!e)
        return;
    if (e->record)
        op_unref(e->record);
    if (e->rest)
        op_unref(e->rest);
    if (e->shared)
        shared_event_free(e->shared);
    free(e);
}

uint32_t kd_event_flags(const struct kd_event *e) {
    return e->flags;
}

struct kd_context *kd_event_context(const struct kd_event *e) {
    return e->context;
}

// Held for the caller.
static struct op *take_record_at(struct kd_event *e, uint64_t *queue, uint64_t *number) {
    kd_lock(&e->lock);
    struct op *op = e->record;
    if (op)
        op_ref(op);
    *queue = e->queue;
    *number = e->number;
    kd_unlock(&e->lock);
    return op;
}

static struct op *take_record(struct kd_event *e) {
    uint64_t queue, number;
    return take_record_at(e, &queue, &number);
}

// The launch that goes on behind the record, held; NULL: none, or it has ended.
static struct op *take_rest(struct kd_event *e) {
    kd_lock(&e->lock);
    struct op *op = e->rest && !op_ended(e->rest) ? e->rest : NULL;
    if (op)
        op_ref(op);
    kd_unlock(&e->lock);
    return op;
}

// Who cannot overlap waits for the end of the launch.
struct op *event_take_record(struct kd_event *e) {
    struct op *rest = take_rest(e);
    return rest ? rest : take_record(e);
}

static enum kd_status mark(struct kd_context *c, struct op **op) {
    enum kd_status status = context_status(c);
    if (status)
        return status;
    *op = op_new(c, OP_MARK);
    if (!*op)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for an operation");
    (*op)->immediate = true;
    return KD_OK;
}

// The event takes the caller's references. `queue`: where its place is, by its id; 0: in no queue.
static void set_place(struct kd_event *e, struct op *op, struct op *rest, uint64_t queue,
                      uint64_t number) {
    kd_lock(&e->lock);
    struct op *old = e->record, *old_rest = e->rest;
    e->record = op;
    e->rest = rest;
    e->queue = queue;
    e->number = number;
    kd_unlock(&e->lock);
    if (old)
        op_unref(old);
    if (old_rest)
        op_unref(old_rest);
}

static void set_record(struct kd_event *e, struct op *op, uint64_t queue, uint64_t number) {
    set_place(e, op, NULL, queue, number);
}

void event_set_early(struct kd_event *e, struct op *mark, struct op *launch) {
    op_ref(mark);
    op_ref(launch);
    set_place(e, mark, launch, 0, 0);
}

void event_set_record(struct kd_event *e, struct op *op, struct kd_queue *q) {
    op_ref(op);
    set_record(e, op, kd_queue_id(q), queue_number());
}

enum kd_status kd_event_record(struct kd_event *e, struct kd_queue *q) {
    struct op *op;
    if (e->shared)
        return shared_event_record(e->shared, q);
    enum kd_status status = mark(q->context, &op);
    if (status)
        return status;
    op->timed = !(e->flags & KD_EVENT_NO_TIMING);
    op_ref(op);
    uint64_t number = queue_number();
    status = queue_submit(q, op);
    set_record(e, op, kd_queue_id(q), number);
    return status;
}

static enum kd_status refuse_shared(void) {
    return kd_fail(KD_NOT_SUPPORTED,
                   "events of several processes are recorded and waited for in streams");
}

static enum kd_status record_all(struct kd_event *e, struct kd_context *c,
                                 const struct kd_share *share) {
    struct op *op;
    if (e->shared)
        return refuse_shared();
    enum kd_status status = mark(c, &op);
    if (status)
        return status;
    op->timed = !(e->flags & KD_EVENT_NO_TIMING);
    op_ref(op);
    if (check_streams_follow())
        check_streams_after_all(op, c, share);
    bool ok = queue_set_after_all(c, share, op);
    op_start(op);
    set_record(e, op, 0, 0);
    return ok ? KD_OK : kd_fail(KD_OUT_OF_MEMORY, "no memory for an event's dependencies");
}

enum kd_status kd_event_record_context(struct kd_event *e, struct kd_context *c) {
    return record_all(e, c, NULL);
}

enum kd_status kd_event_record_share(struct kd_event *e, struct kd_share *s) {
    return record_all(e, s->context, s);
}

static enum kd_status all_wait_on(struct kd_context *c, struct kd_share *share,
                                  struct kd_event *e) {
    if (e->shared)
        return refuse_shared();
    struct op *op, *record = event_take_record(e);
    enum kd_status status = context_status(c);
    if (record) // what comes later, in whichever queue, is behind it
        check_streams_learned(check_streams_of_op(record));
    if (!record || op_ended(record) || status) {
        if (record)
            op_unref(record);
        return status;
    }
    status = mark(c, &op);
    if (status == KD_OK && !op_after(op, record)) {
        op_start(op);
        status = kd_fail(KD_OUT_OF_MEMORY, "no memory for a dependency");
    } else if (status == KD_OK) {
        status = queue_set_gate(c, share, op);
    }
    op_unref(record);
    return status;
}

enum kd_status kd_event_wait_on_context(struct kd_context *c, struct kd_event *e) {
    return all_wait_on(c, NULL, e);
}

enum kd_status kd_event_wait_on_share(struct kd_share *s, struct kd_event *e) {
    return all_wait_on(s->context, s, e);
}

enum kd_status kd_event_wait_on(struct kd_queue *q, struct kd_event *e) {
    if (e->shared)
        return shared_event_wait_on(q, e->shared);
    uint64_t queue, number;
    struct op *op, *record = take_record_at(e, &queue, &number), *rest = take_rest(e);
    enum kd_status status = context_status(q->context);
    if (record && check_streams_follow())
        check_streams_wait(q, record);
    if (record && op_ended(record) && status == KD_OK)
        queue_pass(q, queue, number);
    if (!record || (op_ended(record) && !rest) || status) {
        if (record)
            op_unref(record);
        if (rest)
            op_unref(rest);
        return status;
    }
    status = mark(q->context, &op);
    if (status == KD_OK) {
        op->rest = rest;
        status = queue_submit_after(q, op, record);
    } else if (rest) {
        op_unref(rest);
    }
    if (status == KD_OK)
        queue_pass(q, queue, number); // now, that nothing that is not behind the wait can profit
    op_unref(record);
    return status;
}

// Looks often at first, then every 50 us: another process may be the one that ends the wait.
static void wait_shared(struct kd_event *e) {
    for (unsigned round = 0; !shared_event_happened(e->shared) && !context_faulted(e->context);
         round++) {
        if (round < 100)
            sched_yield();
        else
            nanosleep(&(struct timespec){0, 50000}, NULL);
    }
}

enum kd_status kd_event_wait(struct kd_event *e) {
    if (e->shared)
        wait_shared(e);
    struct op *record = take_record(e);
    if (record) {
        scheduler_wait(record, (e->flags & KD_EVENT_BLOCKING_WAIT) != 0);
        check_streams_learned(check_streams_of_op(record));
        op_unref(record);
    }
    kd_context_flush_printf(e->context);
    return context_status(e->context);
}

enum kd_status kd_event_query(struct kd_event *e) {
    struct op *record = take_record(e);
    bool busy = e->shared ? !shared_event_happened(e->shared) : record && !op_ended(record);
    if (record && !busy && !e->shared)
        busy = check_streams_answer_later(record);
    if (record && !busy)
        check_streams_learned(check_streams_of_op(record));
    if (record)
        op_unref(record);
    enum kd_status status = context_status(e->context);
    return status || !busy ? status : kd_fail(KD_NOT_READY, "the event has not happened yet");
}

enum kd_status kd_event_time(struct kd_event *e, uint64_t *ns) {
    struct op *record = take_record(e);
    if (!record)
        return kd_fail(KD_INVALID_VALUE, "the event was never recorded");
    enum kd_status status = KD_OK;
    if (!record->timed)
        status = kd_fail(KD_INVALID_VALUE, "the event was made without timing");
    else if (!op_ended(record))
        status = kd_fail(KD_NOT_READY, "the event has not happened yet");
    else {
        *ns = record->ended_ns;
        check_streams_learned(check_streams_of_op(record));
    }
    op_unref(record);
    return status ? status : context_status(e->context);
}
