#include "device/sched/nested.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "device/code/kernel.h"
#include "device/internal.h"
#include "device/reason.h"
#include "device/sched/share.h"
#include "support/check/check_tools.h"

struct mark { // a stream: its last operation; an event: what it stands for
    struct mark *next;
    uint64_t number;
    bool is_event;
    struct op *op; // held; NULL: nothing
};

// What a grid has submitted.
struct nested {
    struct op *grid;
    struct kd_spinlock lock; // of marks and tail launches
    struct mark *marks;
    struct op *tail_first, *tail_last; // linked by ready_next, not started
    uint32_t tails;
    atomic_int open;  // operations that have not ended, and the grid's own blocks
    atomic_int outer; // of a graph that the host launched: its siblings that have not ended, and it
    atomic_uint forgets; // graphs that were launched so
};

enum { MOST_GRAPH_TAILS = 255, MOST_GRAPH_FORGETS = 120 };

// ---- Of a grid ----------------------------------------------------------------------------

static _Atomic(struct nested *) *slot(struct op *grid) {
    return grid->kind == OP_GRAPH ? &grid->environment : &grid->launch.nested;
}

static struct nested *of_grid(struct op *grid) {
    struct nested *n = atomic_load_explicit(slot(grid), memory_order_acquire);
    if (n)
        return n;
    struct nested *mine = calloc(1, sizeof *mine);
    if (!mine)
        return NULL;
    mine->grid = grid;
    mine->open = mine->outer = 1;
    if (atomic_compare_exchange_strong(slot(grid), &n, mine))
        return mine;
    free(mine);
    return n;
}

static uint64_t new_number(void) {
    static _Atomic uint64_t last = 0x1000; // the streams with names have small ones
    return atomic_fetch_add_explicit(&last, 16, memory_order_relaxed) + 16;
}

static uint64_t mark_new(struct op *grid, bool is_event) {
    struct nested *n = of_grid(grid);
    struct mark *m = n ? calloc(1, sizeof *m) : NULL;
    if (!m)
        return 0;
    m->number = new_number();
    m->is_event = is_event;
    uint64_t number = m->number;
    kd_lock(&n->lock);
    m->next = n->marks;
    n->marks = m;
    kd_unlock(&n->lock);
    return number;
}

// With the lock.
static struct mark **find(struct nested *n, uint64_t number, bool is_event) {
    struct mark **m = &n->marks;
    while (*m && ((*m)->number != number || (*m)->is_event != is_event))
        m = &(*m)->next;
    return m;
}

static void mark_drop(struct mark *m) {
    if (m->op)
        op_unref(m->op);
    free(m);
}

static bool mark_free(struct op *grid, uint64_t number, bool is_event) {
    struct nested *n = of_grid(grid);
    if (!n)
        return false;
    kd_lock(&n->lock);
    struct mark **at = find(n, number, is_event), *m = *at;
    if (m)
        *at = m->next;
    kd_unlock(&n->lock);
    if (m)
        mark_drop(m);
    return m != NULL;
}

static bool mark_known(struct op *grid, uint64_t number, bool is_event) {
    struct nested *n = of_grid(grid);
    if (!n)
        return false;
    kd_lock(&n->lock);
    bool known = *find(n, number, is_event) != NULL;
    kd_unlock(&n->lock);
    return known;
}

uint64_t nested_stream_new(struct op *grid) {
    return mark_new(grid, false);
}

bool nested_stream_free(struct op *grid, uint64_t stream) {
    return mark_free(grid, stream, false);
}

bool nested_stream_known(struct op *grid, uint64_t stream) {
    return mark_known(grid, stream, false);
}

uint64_t nested_event_new(struct op *grid) {
    struct kd_context *c = grid->context;
    uint64_t most = 2 * kd_context_get_limit(c, KD_LIMIT_PENDING_LAUNCHES);
    uint64_t number = 0;
    if (atomic_fetch_add(&c->nested_events, 1) < most)
        number = mark_new(grid, true);
    if (!number)
        atomic_fetch_sub(&c->nested_events, 1);
    return number;
}

// The slot is free when the grid ends (guide 13.5.1).
bool nested_event_free(struct op *grid, uint64_t event) {
    bool was = mark_free(grid, event, true);
    if (was)
        atomic_fetch_sub(&grid->context->nested_events, 1);
    return was;
}

bool nested_event_known(struct op *grid, uint64_t event) {
    return mark_known(grid, event, true);
}

const struct op *nested_launcher(const struct op *op) {
    const struct op *grid = op->parent ? op->parent->grid : NULL;
    return grid && grid->kind == OP_LAUNCH && op->kind != OP_GRAPH ? grid : NULL;
}

// ---- Order --------------------------------------------------------------------------------

// With the lock. Where the last operation of a stream is kept; NULL: in none.
static struct op **place_of(struct nested *n, enum nested_place place, uint64_t stream,
                            struct op **block_tail) {
    if (place == NESTED_BLOCK)
        return block_tail;
    struct mark *m = place == NESTED_STREAM ? *find(n, stream, false) : NULL;
    return m ? &m->op : NULL;
}

void nested_event_record(struct op *grid, uint64_t event, enum nested_place place, uint64_t stream,
                         struct op *tail) {
    struct nested *n = of_grid(grid);
    if (!n)
        return;
    kd_lock(&n->lock);
    struct op **last = place_of(n, place, stream, &tail), *old = NULL;
    struct mark *m = *find(n, event, true);
    if (m) {
        old = m->op;
        m->op = last ? *last : NULL;
        if (m->op)
            op_ref(m->op);
    }
    kd_unlock(&n->lock);
    if (old)
        op_unref(old);
}

// With the lock: op comes after the stream's last operation, and is the last one then.
static bool append(struct op **last, struct op *op, struct op **old) {
    bool ok = !*last || op_after(op, *last);
    op_ref(op);
    *old = *last;
    *last = op;
    return ok;
}

bool nested_stream_wait(struct op *grid, enum nested_place place, uint64_t stream,
                        struct op **block_tail, uint64_t event) {
    struct nested *n = of_grid(grid);
    struct op *mark = n ? op_new(grid->context, OP_MARK) : NULL, *old = NULL;
    bool ok = mark != NULL;
    if (!mark)
        return false;
    mark->immediate = true;
    kd_lock(&n->lock);
    struct op **last = place_of(n, place, stream, block_tail);
    struct mark *e = *find(n, event, true);
    if (last && e && e->op) {
        if (check_tools() & CHECK_RACE)
            check_streams_child(mark, grid, *last, e->op, false);
        ok = op_after(mark, e->op) && append(last, mark, &old);
    }
    kd_unlock(&n->lock);
    if (old)
        op_unref(old);
    op_start(mark);
    return ok;
}

// ---- Submission ---------------------------------------------------------------------------

struct op *nested_op_new(struct op *grid, enum op_kind kind) {
    struct op *op = op_new(grid->context, kind);
    if (!op)
        return NULL;
    op->queue = grid->queue; // whoever waits for the parent helps with it
    op->share = share_ref(grid->share);
    op->priority = grid->priority;
    op->ranked = true;
    return op;
}

struct request {
    const struct kd_launch_config *config;
    enum kd_status status;
};

static void *make_code(void *arg) {
    struct request *r = arg;
    const struct kd_launch_config *c = r->config;
    kernel_code(c->kernel, c->grid, c->block, c->params, &r->status);
    return NULL;
}

static enum kd_status make_code_aside(const struct kd_launch_config *c) {
    struct request r = {.config = c};
    pthread_t thread;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&thread, NULL, make_code, &r);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error)
        return KD_SYSTEM;
    pthread_join(thread, NULL);
    return r.status;
}

enum kd_status nested_prepare(struct op *op, const struct kd_launch_config *c) {
    enum kd_status status = launch_check(c);
    if (!status && !kernel_has_code(c->kernel, c->grid, c->block, c->params))
        status = make_code_aside(c);
    return status ? status : launch_prepare(op, c);
}

struct op *nested_launch_new(struct op *grid, const struct kd_launch_config *config,
                             enum kd_status *status) {
    struct kd_launch_config c = *config;
    struct op *op = nested_op_new(grid, OP_LAUNCH);
    *status = KD_OUT_OF_MEMORY;
    if (!op || !launch_copy_params(op, &c)) {
        if (op)
            op_unref(op);
        return NULL;
    }
    const uint8_t *params = c.params = op->launch.params;
    *status = nested_prepare(op, &c);
    if (*status) {
        op_unref(op);
        return NULL;
    }
    op->launch.params = params;
    return op;
}

static void keep_tail(struct nested *n, struct op *op) {
    op->ready_next = NULL;
    kd_lock(&n->lock);
    if (n->tail_last)
        n->tail_last->ready_next = op;
    else
        n->tail_first = op;
    n->tail_last = op;
    n->tails++;
    kd_unlock(&n->lock);
}

bool nested_submit(struct op *grid, struct op *op, enum nested_place place, uint64_t stream,
                   struct op **block_tail) {
    struct nested *n = of_grid(grid);
    bool ok = n != NULL;
    struct op *old = NULL;
    if (ok) {
        op->parent = n;
        if (op->kind == OP_LAUNCH)
            op->launch.depth = grid->launch.depth + (place != NESTED_TAIL);
    }
    if (ok && place == NESTED_TAIL) {
        if (check_tools() & CHECK_RACE)
            check_streams_child(op, grid, NULL, NULL, true);
        keep_tail(n, op);
        return true;
    }
    if (ok) {
        atomic_fetch_add(&n->open, 1);
        kd_lock(&n->lock);
        struct op **last = place_of(n, place, stream, block_tail);
        if (check_tools() & CHECK_RACE)
            check_streams_child(op, grid, last ? *last : NULL, NULL, false);
        ok = !last || append(last, op, &old);
        kd_unlock(&n->lock);
        if (old)
            op_unref(old);
    }
    if (!ok) { // it must still end
        if (op->counted)
            atomic_fetch_sub(&grid->context->pending_launches, 1);
        op->kind = OP_MARK;
        op->immediate = true;
    }
    op_start(op);
    return ok;
}

// ---- The end ------------------------------------------------------------------------------

static struct op *take_tail(struct nested *n) {
    kd_lock(&n->lock);
    struct op *op = n->tail_first;
    if (op)
        n->tail_first = op->ready_next;
    n->tails -= op != NULL;
    if (!n->tail_first)
        n->tail_last = NULL;
    kd_unlock(&n->lock);
    return op;
}

static void nested_free(struct nested *n) {
    while (n->marks) {
        struct mark *m = n->marks;
        n->marks = m->next;
        if (m->is_event)
            atomic_fetch_sub(&n->grid->context->nested_events, 1);
        mark_drop(m);
    }
    free(n);
}

// A tail launch hands its own tail launches to its parent, to come before the parent's others: so a
// grid that launches itself again and again does not make a chain of grids that wait.
static void hand_over_tails(struct nested *n) {
    struct nested *to = n->grid->parent;
    for (struct op *op = n->tail_first; op; op = op->ready_next)
        op->parent = to;
    kd_lock(&to->lock);
    n->tail_last->ready_next = to->tail_first;
    if (!to->tail_first)
        to->tail_last = n->tail_last;
    to->tail_first = n->tail_first;
    to->tails += n->tails;
    kd_unlock(&to->lock);
    n->tail_first = n->tail_last = NULL;
}

void nested_child_ended(struct nested *n, bool sibling, struct worklist *w) {
    struct op *grid = n->grid;
    if (!sibling) {
        if (atomic_fetch_sub_explicit(&n->open, 1, memory_order_acq_rel) != 1)
            return;
        if (n->tail_first && grid->tail)
            hand_over_tails(n);
        struct op *op = take_tail(n);
        if (op) {
            atomic_store(&n->open, 1);
            op->tail = true;
            op_start(op);
            return;
        }
    }
    if (atomic_fetch_sub_explicit(&n->outer, 1, memory_order_acq_rel) != 1)
        return;
    nested_free(n);
    atomic_store_explicit(slot(grid), NULL, memory_order_relaxed);
    op_push_ended(w, grid);
}

void nested_grid_ended(struct op *grid) {
    struct worklist w = {0};
    nested_child_ended(atomic_load_explicit(slot(grid), memory_order_acquire), false, &w);
    op_end_all(&w);
}

// ---- Graphs -------------------------------------------------------------------------------

// What a sibling of the graph belongs to: the environment that the graph itself is in.
static struct nested *around(struct op *from, bool *sibling) {
    while (from->tail)
        from = from->parent->grid;
    *sibling = from->parent ? from->sibling : true;
    return from->parent ? from->parent : of_grid(from);
}

bool nested_submit_graph(struct op *from, struct op *gate, enum nested_graph_mode mode) {
    bool sibling = false;
    struct nested *n = mode == NESTED_GRAPH_SIBLING ? around(from, &sibling) : of_grid(from);
    if (!n || (mode == NESTED_GRAPH_TAIL && n->tails >= MOST_GRAPH_TAILS) ||
        (mode == NESTED_GRAPH_FORGET && atomic_fetch_add(&n->forgets, 1) >= MOST_GRAPH_FORGETS))
        return false;
    gate->parent = n;
    gate->sibling = sibling;
    if (mode == NESTED_GRAPH_TAIL) {
        keep_tail(n, gate);
        return true;
    }
    atomic_fetch_add(sibling ? &n->outer : &n->open, 1);
    op_start(gate);
    return true;
}
