#include "device/sched/dependent.h"

#include "device/internal.h"
#include "device/sched/scheduler.h"
#include "device/sched/share.h"

// ---- Marks --------------------------------------------------------------------------------

// Ended by whoever tells it, outside of the order of its queue.
static struct op *mark_new(struct op *op) {
    struct op *mark = op_new(op->context, OP_MARK);
    if (!mark)
        return NULL;
    mark->units = mark->chunk = 1; // run by a worker: dependent_triggered
    mark->early = true;
    op_ref(mark);
    return mark;
}

bool dependent_prepare(struct op *op, bool triggered, bool begun) {
    if (triggered || (op->launch.code->info.flags & KD_CODE_TRIGGERS))
        op->triggered = mark_new(op);
    if (begun)
        op->begun = mark_new(op);
    return (op->triggered || !triggered) && (op->begun || !begun);
}

// True for the one who tells the mark.
static bool take(struct op *mark) {
    int untold = 1;
    return mark && atomic_compare_exchange_strong(&mark->pending, &untold, 0);
}

// By kernel code, on whose stack nothing else is to run: a worker ends the mark.
static void tell(struct op *op, struct op *mark, _Atomic uint64_t *count, uint64_t n) {
    if (!mark || atomic_fetch_add_explicit(count, n, memory_order_acq_rel) + n != op->units)
        return;
    if (!take(mark))
        return;
    if (!mark->run) {
        mark->queue = op->queue;
        mark->share = share_ref(op->share);
        mark->priority = op->priority;
    }
    scheduler_ready(mark);
}

void dependent_triggered(struct op *op, uint64_t n) {
    tell(op, op->triggered, &op->blocks_triggered, n);
}

void dependent_begun(struct op *op, uint64_t n) {
    tell(op, op->begun, &op->blocks_begun, n);
}

// What has not been told by then is told now. A node's marks are the graph's.
void dependent_ended(struct op *op, struct worklist *w) {
    if (take(op->begun))
        op_push_ended(w, op->begun);
    if (take(op->triggered))
        op_push_ended(w, op->triggered);
}

// ---- Order --------------------------------------------------------------------------------

// Blocks that wait are handed out one by one: each needs a stack.
void dependent_waits(struct op *op) {
    struct kd_launch *l = &op->launch;
    if (!(l->code->info.flags & KD_CODE_GRID_WAITS) || l->may_wait)
        return;
    l->may_wait = true;
    l->may_group = false;
    op->chunk = 1;
}

static bool has_ended(const struct op *op) {
    return !op || op_ended(op);
}

bool dependent_follow(struct kd_queue *q, struct op *op, struct op *tail, struct op **last) {
    bool launch = op->kind == OP_LAUNCH;
    bool overlaps = launch && op->launch.programmatic && tail->triggered;
    struct op *rest = has_ended(tail->rest) ? NULL : tail->rest;
    struct op *before = overlaps ? tail : launch ? rest : NULL;
    struct op *completion = before ? op_new(op->context, OP_MARK) : NULL;
    *last = op;
    if (!completion) // all that is before it is waited for
        return op_after(op, tail) && (!rest || op_after(op, rest));
    if (!op_after(op, overlaps ? tail->triggered : tail)) {
        op_unref(completion);
        return false;
    }
    op_after(completion, before); // these edges are among those that an operation has
    op_after(completion, op);
    completion->immediate = true;
    completion->queue = q;
    op->completion = completion;
    dependent_waits(op);
    // The next one may begin when this one's blocks have triggered or ended.
    completion->triggered = op->triggered ? op->triggered : op;
    op_ref(completion->triggered);
    op_ref(completion);
    op_unref(op);
    *last = completion;
    return true;
}
