// Queues: order within one, and between the legacy default queue and the blocking ones.
#include "device/sched/queue.h"

#include <stdlib.h>
#include <string.h>

#include "device/check/host/check_host.h"
#include "device/check/schedule/check_delay.h"
#include "device/internal.h"
#include "device/reason.h"
#include "device/sched/copy.h"
#include "device/sched/dependent.h"
#include "device/sched/graph.h"
#include "device/sched/op.h"
#include "device/sched/share.h"
#include "support/environment.h"

static _Atomic uint64_t next_id = 1;

// ---- The last operation of a queue --------------------------------------------------------

// Held for the caller; NULL when there is none or it has ended.
static struct op *take_tail(struct kd_queue *q) {
    kd_lock(&q->lock);
    struct op *tail = q->tail;
    if (tail && op_ended(tail))
        tail = NULL;
    if (tail)
        op_ref(tail);
    kd_unlock(&q->lock);
    return tail;
}

static bool idle(struct kd_queue *q) {
    kd_lock(&q->lock);
    bool r = !q->tail || op_ended(q->tail);
    kd_unlock(&q->lock);
    return r;
}

static bool blocking(const struct kd_queue *q) {
    return __atomic_load_n(&q->sync, __ATOMIC_RELAXED) != NULL;
}

// ---- Life ---------------------------------------------------------------------------------

static void queue_init(struct kd_queue *q, struct kd_context *c, uint32_t flags, int priority) {
    memset(q, 0, sizeof *q);
    q->context = c;
    q->flags = flags;
    q->priority = priority;
    q->id = atomic_fetch_add(&next_id, 1);
    if (!(flags & KD_QUEUE_NONBLOCKING))
        q->sync = &c->queues.legacy;
}

void queue_set_open(struct kd_context *c) {
    memset(&c->queues, 0, sizeof c->queues);
    queue_init(&c->queues.legacy, c, 0, 0);
    c->queues.legacy.legacy = c->queues.legacy.leads = true;
    c->queues.legacy.sync = NULL;
}

static void drop(struct kd_queue *q) {
    check_line_drop(q);
    if (q->tail)
        op_unref(q->tail);
    q->tail = NULL;
}

// Freed queues stay in the list while work is left in them. Called with the list locked.
static void reap(struct queue_set *s) {
    for (struct kd_queue **p = &s->list; *p;) {
        struct kd_queue *q = *p;
        if (!q->freed || !idle(q)) {
            p = &q->next;
            continue;
        }
        *p = q->next;
        atomic_fetch_sub(&s->count, 1);
        drop(q);
        share_unref(q->share);
        free(q);
    }
}

static int cut_priority(const struct kd_context *c, int priority) {
    const struct kd_properties *p = &c->device->properties;
    if (priority < p->priority_greatest)
        return p->priority_greatest;
    return priority > p->priority_least ? p->priority_least : priority;
}

uint8_t queue_rank(const struct kd_context *c, int priority) {
    return (uint8_t)(cut_priority(c, priority) - c->device->properties.priority_greatest);
}

static enum kd_status queue_new(struct kd_context *c, struct kd_share *share, uint32_t flags,
                                int priority, bool leads, struct kd_queue **out) {
    if (flags & ~(uint32_t)KD_QUEUE_NONBLOCKING)
        return kd_fail(KD_INVALID_VALUE, "unknown queue flags 0x%x", flags);
    struct kd_queue *q = malloc(sizeof *q);
    if (!q)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a queue");
    queue_init(q, c, flags, cut_priority(c, priority));
    check_streams_begin();
    check_delays_begin();
    q->share = share_ref(share);
    q->leads = leads;
    if (leads)
        q->sync = NULL;
    kd_lock(&c->queues.lock);
    if (share && q->sync)
        q->sync = share->queue;
    reap(&c->queues);
    q->next = c->queues.list;
    c->queues.list = q;
    atomic_fetch_add(&c->queues.count, 1);
    kd_unlock(&c->queues.lock);
    *out = q;
    return kd_succeed();
}

enum kd_status kd_queue_new(struct kd_context *c, uint32_t flags, int priority,
                            struct kd_queue **out) {
    return queue_new(c, NULL, flags, priority, false, out);
}

enum kd_status queue_new_in_share(struct kd_share *s, uint32_t flags, int priority, bool leads,
                                  struct kd_queue **out) {
    return queue_new(s->context, s, flags, priority, leads, out);
}

// With the list locked. Nobody synchronises with a default queue that is gone.
static void release_followers(struct queue_set *s, const struct kd_queue *leader) {
    for (struct kd_queue *q = s->list; q; q = q->next)
        if (q->sync == leader)
            __atomic_store_n(&q->sync, NULL, __ATOMIC_RELAXED);
}

void kd_queue_free(struct kd_queue *q) {
    if (!q || q->legacy)
        return;
    struct queue_set *s = &q->context->queues;
    kd_lock(&s->lock);
    if (q->leads)
        release_followers(s, q);
    q->freed = true;
    reap(s);
    kd_unlock(&s->lock);
}

void kd_queue_set_priority(struct kd_queue *q, int priority) {
    atomic_store_explicit(&q->priority, cut_priority(q->context, priority), memory_order_relaxed);
}

struct kd_context *kd_queue_context(const struct kd_queue *q) {
    return q->context;
}

int kd_queue_priority(const struct kd_queue *q) {
    return q->priority;
}

uint32_t kd_queue_flags(const struct kd_queue *q) {
    return q->flags;
}

uint64_t kd_queue_id(const struct kd_queue *q) {
    return q->id;
}

struct kd_queue *kd_context_legacy_queue(struct kd_context *c) {
    return &c->queues.legacy;
}

// ---- Submission ---------------------------------------------------------------------------

// Which queues of a context: those that synchronise with a default queue, those of a share, or all.
struct choice {
    const struct kd_queue *sync;
    const struct kd_share *share;
};

static bool chosen(const struct kd_queue *q, struct choice c) {
    return (!c.sync || q->sync == c.sync) && (!c.share || q->share == c.share);
}

// The last operations of a context's queues, each held.
struct tails {
    struct op **ops;
    size_t n;
    struct op *few[16];
};

static bool collect_tails(struct kd_context *c, struct choice which, struct tails *t) {
    struct queue_set *s = &c->queues;
    t->n = 0;
    t->ops = t->few;
    kd_lock(&s->lock);
    reap(s);
    size_t count = 0;
    for (struct kd_queue *q = s->list; q; q = q->next)
        count++;
    if (count > sizeof t->few / sizeof t->few[0])
        t->ops = malloc(count * sizeof *t->ops);
    for (struct kd_queue *q = s->list; q && t->ops; q = q->next) {
        struct op *tail = chosen(q, which) ? take_tail(q) : NULL;
        if (tail)
            t->ops[t->n++] = tail;
    }
    kd_unlock(&s->lock);
    return t->ops != NULL;
}

static void drop_tails(struct tails *t) {
    for (size_t i = 0; i < t->n; i++)
        op_unref(t->ops[i]);
    if (t->ops != t->few)
        free(t->ops);
}

// Of the default queue that q synchronises with.
static struct op *leader_tail(struct kd_queue *q) {
    struct queue_set *s = &q->context->queues;
    if (!q->share)
        return take_tail(&s->legacy);
    kd_lock(&s->lock);
    struct op *tail = q->sync ? take_tail(q->sync) : NULL;
    kd_unlock(&s->lock);
    return tail;
}

// Why two threads that submit to the legacy and to a blocking queue cannot make a cycle: a
// blocking operation reads the legacy tail before it becomes a tail itself, a legacy operation
// reads all tails before it becomes the legacy tail. So at most one of the two sees the other.
static bool add_legacy_order(struct kd_queue *q, struct op *op) {
    struct queue_set *s = &q->context->queues;
    bool ok = true;
    if (q->leads) {
        if (q->legacy)
            atomic_store_explicit(&s->legacy_used, 1, memory_order_relaxed);
        struct tails t;
        if (atomic_load(&s->count) == 0)
            return true;
        if (!collect_tails(q->context, (struct choice){.sync = q}, &t))
            return false;
        for (size_t i = 0; i < t.n; i++)
            ok = op_after(op, t.ops[i]) && ok;
        drop_tails(&t);
    } else if (blocking(q) &&
               (q->share || atomic_load_explicit(&s->legacy_used, memory_order_relaxed))) {
        struct op *tail = leader_tail(q);
        if (tail) {
            ok = op_after(op, tail);
            op_unref(tail);
        }
    }
    return ok;
}

// ---- All queues of a context --------------------------------------------------------------

bool queue_set_after_all(struct kd_context *c, const struct kd_share *share, struct op *op) {
    struct tails t;
    struct op *legacy = share ? NULL : take_tail(&c->queues.legacy);
    bool ok = collect_tails(c, (struct choice){.share = share}, &t);
    for (size_t i = 0; ok && i < t.n; i++)
        ok = op_after(op, t.ops[i]);
    if (t.ops)
        drop_tails(&t);
    if (legacy) {
        ok = op_after(op, legacy) && ok;
        op_unref(legacy);
    }
    return ok;
}

// Under the lock of the list.
static bool after_gate(struct op **gate, atomic_int *gated, struct op *op) {
    if (!*gate)
        return true;
    if (!op_ended(*gate))
        return op_after(op, *gate);
    op_unref(*gate);
    *gate = NULL;
    atomic_store(gated, 0);
    return true;
}

static bool add_gate(struct kd_queue *q, struct op *op) {
    struct queue_set *s = &q->context->queues;
    struct kd_share *share = q->share;
    bool of_share = share && atomic_load_explicit(&share->gated, memory_order_relaxed);
    if (__builtin_expect(!atomic_load_explicit(&s->gated, memory_order_relaxed) && !of_share, 1))
        return true;
    kd_lock(&s->lock);
    bool ok = after_gate(&s->gate, &s->gated, op);
    if (share)
        ok = after_gate(&share->gate, &share->gated, op) && ok;
    kd_unlock(&s->lock);
    return ok;
}

// An operation that could not get all its dependencies must still end.
static enum kd_status submit_failed(struct op *op) {
    if (op->kind == OP_GRAPH) {
        struct worklist w = {0};
        graph_cancel(op, &w);
        op_end_all(&w);
    }
    if (op->kind == OP_LAUNCH)
        kd_multi_grid_unref(op->launch.multi);
    op->kind = OP_MARK;
    op->immediate = true;
    op_start(op);
    return kd_fail(KD_OUT_OF_MEMORY, "no memory for the dependencies of an operation");
}

enum kd_status queue_submit_after(struct kd_queue *q, struct op *op, struct op *before) {
    op->queue = q;
    op->share = share_ref(q->share);
    if (!op->ranked)
        op->priority =
            queue_rank(q->context, atomic_load_explicit(&q->priority, memory_order_relaxed));
    if (check_streams_follow())
        check_streams_submit(q, op, before);
    bool ok = add_legacy_order(q, op) && add_gate(q, op);
    if (before)
        ok = op_after(op, before) && ok;
    if (!ok)
        return submit_failed(op);
    op_ref(op);
    kd_lock(&q->lock);
    struct op *tail = q->tail, *last = op;
    if (tail && (tail->triggered || tail->rest))
        ok = dependent_follow(q, op, tail, &last);
    else if (tail)
        ok = op_after(op, tail); // takes the inline edge that is kept for it at least
    q->tail = last;
    kd_unlock(&q->lock);
    if (tail)
        op_unref(tail);
    enum kd_status status = KD_OK;
    if (last != op)
        op_ref(last);
    if (ok)
        op_start(op);
    else
        status = submit_failed(op);
    if (last != op) {
        op_start(last);
        op_unref(last);
    }
    return ok ? kd_succeed() : status;
}

enum kd_status queue_set_gate(struct kd_context *c, struct kd_share *share, struct op *op) {
    struct queue_set *s = &c->queues;
    struct op **gate = share ? &share->gate : &s->gate;
    atomic_int *gated = share ? &share->gated : &s->gated;
    op_ref(op);
    kd_lock(&s->lock);
    bool ok = after_gate(gate, gated, op);
    if (*gate)
        op_unref(*gate);
    *gate = op;
    atomic_store(gated, 1);
    kd_unlock(&s->lock);
    if (!ok)
        return submit_failed(op);
    op_start(op);
    return kd_succeed();
}

enum kd_status queue_submit(struct kd_queue *q, struct op *op) {
    return queue_submit_after(q, op, NULL);
}

// ---- Places -------------------------------------------------------------------------------

static _Atomic uint64_t last_number;

uint64_t queue_number(void) {
    return atomic_fetch_add(&last_number, 1) + 1;
}

void queue_pass(struct kd_queue *q, uint64_t other, uint64_t number) {
    kd_lock(&q->lock);
    struct queue_place *place = NULL;
    for (int i = 0; i < QUEUE_PLACES; i++)
        if (q->passed[i].queue == other)
            place = &q->passed[i];
    if (!place) {
        place = &q->passed[q->next_passed++ % QUEUE_PLACES];
        *place = (struct queue_place){.queue = other};
    }
    if (number > place->number)
        place->number = number;
    kd_unlock(&q->lock);
}

bool queue_has_passed(struct kd_queue *q, uint64_t other, uint64_t number) {
    bool passed = false;
    kd_lock(&q->lock);
    for (int i = 0; i < QUEUE_PLACES; i++)
        passed |= q->passed[i].queue == other && q->passed[i].number > number;
    kd_unlock(&q->lock);
    return passed;
}

// Nothing of another queue has to be waited for, so far.
static bool follows_nobody(struct kd_queue *q) {
    return !blocking(q) || (!q->share && !atomic_load(&q->context->queues.legacy_used));
}

enum kd_status queue_point(struct kd_queue *q, bool always, struct op **out) {
    struct queue_set *s = &q->context->queues;
    *out = NULL;
    bool alone = q->leads ? atomic_load(&s->count) == 0
                          : follows_nobody(q) || (!q->share && idle(&s->legacy));
    if ((alone && idle(q) && !always) || context_faulted(q->context))
        return KD_OK;
    struct op *op = op_new(q->context, OP_MARK);
    if (!op)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for an operation");
    op->immediate = true;
    op_ref(op);
    enum kd_status status = queue_submit(q, op);
    if (op_ended(op) && (!always || status)) {
        op_unref(op);
        return status;
    }
    *out = op;
    return status;
}

static enum kd_status prepare(struct kd_queue *q, enum op_kind kind, struct op **op) {
    enum kd_status status = context_status(q->context);
    if (status)
        return status;
    if (kind != OP_MARK && !scheduler_start(q->context->device))
        return kd_fail(KD_SYSTEM, "the system does not let the device start its worker threads");
    *op = op_new(q->context, kind);
    return *op ? KD_OK : kd_fail(KD_OUT_OF_MEMORY, "no memory for an operation");
}

// The source of a pageable copy may change when the call returns: small ones are kept aside,
// large ones are waited for.
enum { STAGE_BYTES = 64 << 10 };

static bool stage(struct op *op) {
    struct kd_copy *c = &op->copy;
    if (c->height != 1 || c->depth != 1 || c->width > STAGE_BYTES)
        return false;
    uint8_t *p = op_bytes(op, c->width);
    if (!p)
        return false;
    memcpy(p, c->src, c->width);
    c->src = p;
    return true;
}

// A short copy for a queue whose work has ended is made here, under the queue's lock, so that what
// other threads submit comes before or after it. Nothing of other queues may have to be waited for:
// see add_legacy_order; whoever makes a difference does so before it asks for this queue's tail.
static bool copied_at_once(struct kd_queue *q, const struct kd_copy *c) {
    struct queue_set *s = &q->context->queues;
    if (c->height != 1 || c->depth != 1 || c->width > COPY_AT_ONCE || c->dst_level || c->src_level)
        return false;
    if (q->legacy && !atomic_load_explicit(&s->legacy_used, memory_order_relaxed))
        atomic_store(&s->legacy_used, 1);
    kd_lock(&q->lock);
    bool alone = (!q->tail || (op_ended(q->tail) && !q->tail->rest)) && !atomic_load(&s->gated) &&
                 !check_streams_follow() && !(q->share && atomic_load(&q->share->gated)) &&
                 (q->leads ? atomic_load(&s->count) == 0 : follows_nobody(q));
    if (alone)
        copy_at_once(q->context, c);
    kd_unlock(&q->lock);
    return alone;
}

static enum kd_status submit_followed(struct kd_queue *q, struct op *op) {
    if (!check_host_follow())
        return queue_submit(q, op);
    op_ref(op);
    enum kd_status status = queue_submit(q, op);
    check_host_submitted(op);
    return status;
}

enum kd_status kd_submit_copy(struct kd_queue *q, const struct kd_copy *copy) {
    struct op *op;
    if (!context_faulted(q->context) && copied_at_once(q, copy))
        return kd_succeed();
    enum kd_status status = prepare(q, OP_COPY, &op);
    if (status)
        return status;
    op->copy = *copy;
    copy_plan(op);
    bool wait = copy->stage && !stage(op);
    if (!wait)
        return submit_followed(q, op);
    op_ref(op);
    status = queue_submit(q, op);
    scheduler_wait(op, false);
    op_unref(op);
    return status ? status : context_status(q->context);
}

enum kd_status kd_submit_set(struct kd_queue *q, const struct kd_set *set) {
    struct op *op;
    if (set->element != 1 && set->element != 2 && set->element != 4)
        return kd_fail(KD_INVALID_VALUE, "elements of %u bytes cannot be set", set->element);
    enum kd_status status = prepare(q, OP_SET, &op);
    if (status)
        return status;
    op->set = *set;
    set_plan(op);
    return submit_followed(q, op);
}

enum kd_status kd_submit_host(struct kd_queue *q, kd_host_fn fn, void *arg, bool always) {
    struct op *op;
    enum kd_status status = prepare(q, OP_HOST, &op);
    if (status)
        return status;
    op->host.fn = fn;
    op->host.arg = arg;
    op->host.always = always;
    return queue_submit(q, op);
}

// ---- Waiting ------------------------------------------------------------------------------

enum kd_status context_status(struct kd_context *c) {
    if (!context_faulted(c))
        return kd_succeed();
    while (atomic_load_explicit(&c->faulted, memory_order_acquire) != 2)
        kd_relax();
    return kd_fail(KD_FAULTED, "%s", c->fault.text);
}

static void wait_tail(struct kd_queue *q) {
    struct op *tail = take_tail(q);
    if (!tail)
        return;
    scheduler_wait(tail, false);
    op_unref(tail);
}

static enum kd_status wait_tails(struct kd_context *c, struct choice which) {
    struct tails t;
    if (!collect_tails(c, which, &t))
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for the list of queues to wait for");
    for (size_t i = 0; i < t.n; i++)
        scheduler_wait(t.ops[i], false);
    drop_tails(&t);
    return KD_OK;
}

// A default queue stands for the blocking ones too.
enum kd_status kd_queue_wait(struct kd_queue *q) {
    enum kd_status status = KD_OK;
    struct check_known *waited = check_streams_of_queue(q);
    if (q->leads && atomic_load(&q->context->queues.count))
        status = wait_tails(q->context, (struct choice){.sync = q});
    wait_tail(q);
    check_streams_learned(waited);
    kd_context_flush_printf(q->context);
    return status ? status : context_status(q->context);
}

enum kd_status kd_queue_query(struct kd_queue *q) {
    struct check_known *asked = check_streams_of_queue(q);
    bool busy = !idle(q);
    if (q->leads && !busy) {
        struct queue_set *s = &q->context->queues;
        kd_lock(&s->lock);
        for (struct kd_queue *p = s->list; p && !busy; p = p->next)
            busy = p->sync == q && !idle(p);
        kd_unlock(&s->lock);
    }
    busy = busy || check_streams_answer_later_of(q, asked);
    if (busy)
        check_streams_forget(asked);
    else
        check_streams_learned(asked);
    enum kd_status status = context_status(q->context);
    return status || !busy ? status : kd_fail(KD_NOT_READY, "work is left in the queue");
}

bool kd_context_idle(struct kd_context *c) {
    struct queue_set *s = &c->queues;
    bool busy = !idle(&s->legacy);
    kd_lock(&s->lock);
    for (struct kd_queue *q = s->list; q && !busy; q = q->next)
        busy = !idle(q);
    kd_unlock(&s->lock);
    return !busy;
}

enum kd_status kd_context_wait(struct kd_context *c) {
    struct check_known *waited = check_streams_of_context(c, NULL);
    enum kd_status status = wait_tails(c, (struct choice){0});
    wait_tail(&c->queues.legacy);
    check_streams_learned(waited);
    kd_context_flush_printf(c);
    return status ? status : context_status(c);
}

enum kd_status kd_share_wait(struct kd_share *s) {
    struct check_known *waited = check_streams_of_context(s->context, s);
    enum kd_status status = wait_tails(s->context, (struct choice){.share = s});
    check_streams_learned(waited);
    kd_context_flush_printf(s->context);
    return status ? status : context_status(s->context);
}

// ---- The end of a context -----------------------------------------------------------------

// Seconds: KUDZU_HANG_SECONDS where it is set; 0: for ever.
static uint64_t patience(void) {
    const char *wish = environment_get("KUDZU_HANG_SECONDS");
    char *end;
    unsigned long n = wish && *wish ? strtoul(wish, &end, 10) : 0;
    return wish && *wish && !*end ? n : 30;
}

// Kernels end by themselves, or are stopped when for some time none of their threads has begun
// another block: nobody could use what an endless one does, and who resets a device wants it back.
static void wait_or_stop(struct kd_context *c, struct op *op) {
    enum { SLICE_NS = 50000000 };
    uint64_t limit = patience() * 1000000000u, since = kd_now_ns(), before = 0, begun;
    while (!scheduler_sleep(op, SLICE_NS)) {
        if (!runners_progress(c, &begun) || begun != before || !limit) {
            before = begun;
            since = kd_now_ns();
        } else if (kd_now_ns() - since >= limit) {
            context_cancel(c, "the context ended while a kernel ran that did not end");
        }
    }
}

void kd_context_finish(struct kd_context *c) {
    struct tails t;
    if (collect_tails(c, (struct choice){0}, &t)) {
        for (size_t i = 0; i < t.n; i++)
            wait_or_stop(c, t.ops[i]);
        drop_tails(&t);
    }
    struct op *tail = take_tail(&c->queues.legacy);
    if (tail) {
        wait_or_stop(c, tail);
        op_unref(tail);
    }
}

void queue_set_close(struct kd_context *c) {
    kd_context_finish(c);
    shares_forget_context(c);
    while (c->queues.list) {
        struct kd_queue *q = c->queues.list;
        c->queues.list = q->next;
        drop(q);
        share_unref(q->share);
        free(q);
    }
    drop(&c->queues.legacy);
    if (c->queues.gate)
        op_unref(c->queues.gate);
}
