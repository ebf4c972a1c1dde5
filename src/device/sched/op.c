#include "device/sched/op.h"

#include <stdlib.h>
#include <string.h>

#include "device/check/check.h"
#include "device/check/schedule/check_delay.h"
#include "device/code/kernel.h"
#include "device/code/kernel_times.h"
#include "device/exec/runner.h"
#include "device/internal.h"
#include "device/sched/copy.h"
#include "device/sched/dependent.h"
#include "device/sched/graph.h"
#include "device/sched/hang.h"
#include "device/sched/nested.h"
#include "device/sched/share.h"
#include "device/sched/value.h"

// Closes a finished operation's list of dependents.
static struct op_edge ended_mark;
#define OP_ENDED (&ended_mark)

struct op_edge_block {
    struct op_edge_block *next;
    unsigned used;
    struct op_edge edges[30];
};

// ---- Storage ------------------------------------------------------------------------------

static struct op *pool_take(struct scheduler *s) {
    kd_lock(&s->pool_lock);
    struct op *op = s->pool;
    if (op)
        s->pool = op->ready_next;
    kd_unlock(&s->pool_lock);
    return op ? op : aligned_alloc(64, (sizeof *op + 63) & ~(size_t)63);
}

struct op *op_new(struct kd_context *c, enum op_kind kind) {
    struct op *op = pool_take(&c->device->scheduler);
    if (!op)
        return NULL;
    memset(op, 0, offsetof(struct op, inline_bytes));
    atomic_init(&op->pending, 1);
    atomic_init(&op->refs, 1);
    op->kind = (uint8_t)kind;
    op->device = c->device;
    op->context = c;
    return op;
}

uint8_t *op_bytes(struct op *op, size_t n) {
    if (n <= OP_INLINE_BYTES)
        return op->inline_bytes;
    return op->heap_bytes = aligned_alloc(64, (n + 63) & ~(size_t)63);
}

static void free_edges(struct op *op) {
    while (op->more_edges) {
        struct op_edge_block *b = op->more_edges;
        op->more_edges = b->next;
        free(b);
    }
}

void op_unref(struct op *op) {
    if (op->run) {
        graph_run_unref(op->run);
        return;
    }
    if (atomic_fetch_sub_explicit(&op->refs, 1, memory_order_acq_rel) != 1)
        return;
    share_unref(op->share);
    check_place_drop(&op->check);
    if (op->kind == OP_LAUNCH && op->launch.multi)
        kd_multi_grid_unref(op->launch.multi);
    if (op->triggered)
        op_unref(op->triggered);
    if (op->begun)
        op_unref(op->begun);
    if (op->rest)
        op_unref(op->rest);
    free(op->heap_bytes);
    free_edges(op);
    struct scheduler *s = &op->device->scheduler;
    kd_lock(&s->pool_lock);
    op->ready_next = s->pool;
    s->pool = op;
    kd_unlock(&s->pool_lock);
}

// ---- Dependencies -------------------------------------------------------------------------

static struct op_edge *take_edge(struct op *op) {
    if (op->nedges < OP_EDGES)
        return &op->edges[op->nedges++];
    struct op_edge_block *b = op->more_edges;
    if (!b || b->used == sizeof b->edges / sizeof b->edges[0]) {
        b = malloc(sizeof *b);
        if (!b)
            return NULL;
        b->used = 0;
        b->next = op->more_edges;
        op->more_edges = b;
    }
    return &b->edges[b->used++];
}

bool op_after(struct op *op, struct op *before) {
    if (op_ended(before))
        return true;
    struct op_edge *e = take_edge(op);
    if (!e)
        return false;
    e->op = op;
    atomic_fetch_add_explicit(&op->pending, 1, memory_order_relaxed);
    struct op_edge *head = atomic_load_explicit(&before->dependents, memory_order_acquire);
    do {
        if (head == OP_ENDED) {
            atomic_fetch_sub_explicit(&op->pending, 1, memory_order_relaxed);
            return true;
        }
        e->next = head;
    } while (!atomic_compare_exchange_weak_explicit(&before->dependents, &head, e,
                                                    memory_order_acq_rel, memory_order_acquire));
    return true;
}

// ---- Running and ending -------------------------------------------------------------------

// How long kernels run in quick code says what better code is worth.
static void quick_begins(struct op *op) {
    op->quick_ns = code_now(op->launch.code)->info.flags & KD_CODE_QUICK ? kd_now_ns() : 0;
}

static void quick_ends(struct op *op) {
    if (op->quick_ns)
        atomic_fetch_add_explicit(&op->launch.kernel->quick_ns, kd_now_ns() - op->quick_ns,
                                  memory_order_relaxed);
    op->quick_ns = 0;
}

void op_ready(struct op *op, struct worklist *w) {
    if (op->kind == OP_LAUNCH) {
        kernel_times_begin(op);
        quick_begins(op);
    }
    if (check_delays() && check_delay(op))
        return;
    if (op->run && graph_node_ready(op, w))
        return;
    if (op->kind == OP_VALUES) {
        if (value_run(op))
            op_push_ended(w, op);
        else
            value_park(op);
        return;
    }
    if (!op->immediate) {
        scheduler_ready(op);
        return;
    }
    if (op->kind != OP_MARK)
        copy_run_immediate(op);
    op_push_ended(w, op);
}

void op_release(struct op *op, struct worklist *w) {
    if (atomic_fetch_sub_explicit(&op->pending, 1, memory_order_acq_rel) == 1)
        op_ready(op, w);
}

static void signal_end(struct op *op) {
    if (atomic_exchange_explicit(&op->done, 1, memory_order_acq_rel) == 2)
        kd_futex_wake(&op->done, INT_MAX);
}

static void end_one(struct op *op, struct worklist *w) {
    if (op->kind == OP_LAUNCH) {
        kernel_times_end(op);
        quick_ends(op);
        if (check_tools() & CHECK_RACE)
            check_race_ended(op->launch.gridid);
    }
    if (op->triggered || op->begun)
        dependent_ended(op, w);
    if (op->run) { // only the graph's own nodes depend on it
        graph_node_ended(op, w);
        return;
    }
    if (op->timed)
        op->ended_ns = kd_now_ns();
    struct nested *parent = op->parent;
    bool sibling = op->sibling;
    struct op_edge *e = atomic_exchange_explicit(&op->dependents, OP_ENDED, memory_order_acq_rel);
    signal_end(op);
    while (e) {
        struct op_edge *next = e->next; // the edge belongs to the dependent, which may end now
        op_release(e->op, w);
        e = next;
    }
    if (parent)
        nested_child_ended(parent, sibling, w);
    op_unref(op);
}

void op_end_all(struct worklist *w) {
    while (w->first) {
        struct op *op = w->first;
        w->first = op->ready_next;
        end_one(op, w);
    }
}

void op_end(struct op *op) {
    struct worklist w = {0};
    op_push_ended(&w, op);
    op_end_all(&w);
}

void op_start(struct op *op) {
    struct worklist w = {0};
    op_release(op, &w);
    op_end_all(&w);
}

bool op_fails_at_end(struct op *op, const struct kd_fault_record *f) {
    enum { MOST = 2048 }; // blocks that fail
    struct kd_fault_record *none = NULL, *kept = NULL;
    if (atomic_fetch_add_explicit(&op->failures, 1, memory_order_relaxed) >= MOST ||
        !(kept = malloc(sizeof *kept)))
        return false;
    *kept = *f;
    if (!atomic_compare_exchange_strong(&op->failure, &none, kept))
        free(kept); // another block was first
    return true;
}

static void fail_at_end(struct op *op) {
    struct kd_fault_record *f = atomic_exchange(&op->failure, NULL);
    if (f && context_begin_fault(op->context))
        context_end_fault(op->context, f);
    free(f);
}

void op_units_done(struct op *op, uint64_t n) {
    hang_done();
    uint64_t before = atomic_fetch_add_explicit(&op->done_units, n, memory_order_acq_rel);
    if (before + n != op->units)
        return;
    if (atomic_load_explicit(&op->failures, memory_order_relaxed))
        fail_at_end(op);
    if (op->kind == OP_LAUNCH && atomic_load_explicit(&op->launch.nested, memory_order_acquire))
        nested_grid_ended(op);
    else
        op_end(op);
}
