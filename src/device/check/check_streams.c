// Each operation has a place in its queue, and knows up to which places of others all has ended
// before it begins: by its queue, by what the host knew when it submitted it, and by events. All
// threads of the host count as one. A launch of a graph is one operation, whose nodes follow each
// other as the graph has it. Lists of places, and what words in memory tell, are in order/.
#include "device/check/check_streams.h"

#include <stdlib.h>
#include <string.h>

#include "device/check/check_children.h"
#include "device/check/check_pages.h"
#include "device/check/check_vector.h"
#include "device/check/host/check_host.h"
#include "device/check/order/check_acquired.h"
#include "device/internal.h"
#include "device/sched/graph.h"
#include "device/sched/nested.h"
#include "device/sched/op.h"
#include "device/sched/queue.h"
#include "device/sync.h"
#include "support/check/check_tools.h"

atomic_bool check_streams_on;
static atomic_bool gave_up;
static struct kd_spinlock lock; // of all that follows; behind that of a context's list of queues

// ---- what is known ------------------------------------------------------------------------

static struct check_known *host;  // NULL: nothing
static uint32_t host_learned = 1; // how often
// Of queues that are gone and of which the host does not know all, the last place and what it knew;
// and all of that.
static struct gone {
    uint64_t queue;
    uint32_t at;
    struct check_known *known;
} * gone_queues;
static uint32_t ngone, gone_room;
static struct check_known *gone;

static struct check_known *some(struct check_known **k) {
    return *k ? *k : (*k = check_known_none());
}

// *k is to know what `other` has. Without memory nothing is told of any more.
static void learn(struct check_known **k, struct check_known *other) {
    if (!check_known_learn(k, other))
        check_streams_give_up();
}

static void learn_place(struct check_known **k, uint64_t queue, uint32_t at) {
    if (!check_known_learn_place(k, queue, at))
        check_streams_give_up();
}

// What those at places of *k, and at this one, had come to know as they ran.
static void learn_acquired(struct check_known **k) {
    if (!check_acquired_close(k))
        check_streams_give_up();
}

// The queue is gone, and the host knows all of it: what can be known of it stands in one place for
// all such queues from now on.
static void retire(uint64_t queue, uint32_t at) {
    struct check_known *all = check_known_none();
    learn_place(&all, queue, at);
    learn_acquired(&all);
    learn(&host, all);
    check_known_drop(all);
    learn_place(&host, CHECK_KNOWN_RETIRED, check_known_retire(queue));
    host_learned++;
}

static void add_gone(const struct gone *g) {
    some(&gone);
    learn(&gone, g->known);
    learn_place(&gone, g->queue, g->at);
}

// The queue is gone, but the host does not know all of it. Takes what it knew.
static void keep_gone(const struct gone *g) {
    if (ngone == gone_room) {
        struct gone *more = realloc(gone_queues, (gone_room * 2 + 8) * sizeof *more);
        if (!more) {
            check_known_drop(g->known);
            check_streams_give_up();
            return;
        }
        gone_queues = more;
        gone_room = gone_room * 2 + 8;
    }
    gone_queues[ngone++] = *g;
    add_gone(g);
}

// Of queues that are gone those that the host has come to know.
static void retire_gone(void) {
    uint32_t left = 0;
    for (uint32_t k = 0; k < ngone; k++) {
        struct gone g = gone_queues[k];
        if (check_known_has(some(&host), g.queue, g.at, 0)) {
            retire(g.queue, g.at);
            check_known_drop(g.known);
        } else {
            gone_queues[left++] = g;
        }
    }
    if (left == ngone)
        return;
    ngone = left;
    check_known_drop(gone);
    gone = NULL;
    for (uint32_t k = 0; k < left; k++)
        add_gone(&gone_queues[k]);
}

// ---- operations by their numbers ----------------------------------------------------------

enum { ITEMS = 1 << 18 }; // that are remembered
struct item {
    _Atomic uint32_t number;
    uint32_t at, node;
    struct check_item told;
};
static struct item *items;

// What the last launches are behind.
enum { RECENT = 4096 };
static struct recent {
    uint32_t number;
    struct check_known *known;
} recent[RECENT];

// With the lock.
static void add_recent(const struct check_place *p, uint32_t number) {
    struct recent *r = &recent[number % RECENT];
    check_known_drop(r->known);
    *r = (struct recent){number, p->known ? check_known_hold(p->known) : check_known_none()};
}

static void add_item(const struct op *op, const struct check_place *p, uint32_t number) {
    if (!items && !(items = check_pages_zeroed(ITEMS * sizeof *items))) {
        check_streams_give_up();
        return;
    }
    struct item *i = &items[number % ITEMS];
    atomic_store_explicit(&i->number, 0, memory_order_release);
    i->at = p->at;
    i->node = op->node;
    i->told = (struct check_item){.queue = p->queue,
                                  .at = p->at,
                                  .parent = p->parent,
                                  .tail = p->tail,
                                  .site = p->site,
                                  .in_graph = op->run != NULL};
    if (op->kind == OP_LAUNCH || op->kind == OP_VALUES)
        add_recent(p, number);
    if (op->kind == OP_LAUNCH) {
        i->told.is_launch = true;
        i->told.unchecked = op->launch.unchecked;
        memcpy(i->told.ntid, op->launch.block, sizeof i->told.ntid);
        memcpy(i->told.nctaid, op->launch.grid, sizeof i->told.nctaid);
    } else if (op->kind == OP_COPY) {
        i->told.call = op->copy.call;
    } else if (op->kind == OP_SET) {
        i->told.call = op->set.call;
    }
    atomic_store_explicit(&i->number, number, memory_order_release);
}

static bool find_item(uint32_t number, struct item *out) {
    struct item *i = items ? &items[number % ITEMS] : NULL;
    if (!i || atomic_load_explicit(&i->number, memory_order_acquire) != number)
        return false;
    out->at = i->at;
    out->node = i->node;
    out->told = i->told;
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&i->number, memory_order_relaxed) == number;
}

bool check_streams_item(uint32_t number, struct check_item *out) {
    struct item i;
    bool found = find_item(number, &i);
    *out = i.told;
    return found;
}

// ---- nodes of graphs ----------------------------------------------------------------------

struct check_nodes {
    uint32_t n, words;
    uint64_t before[]; // of each node a bit for each that is before it
};

struct check_nodes *check_nodes_new(uint32_t n, const uint32_t *first_out, const uint32_t *out,
                                    const uint32_t *indegree) {
    enum { MOST = 8192 };
    uint32_t words = (n + 63) / 64, ready = 0, done = 0;
    struct check_nodes *s = n <= MOST ? calloc(1, sizeof *s + (size_t)n * words * 8) : NULL;
    uint32_t *left = calloc((size_t)n + 1, sizeof *left);
    uint32_t *order = calloc((size_t)n + 1, sizeof *order);
    for (uint32_t i = 0; left && order && i < n; i++)
        if (!(left[i] = indegree[i]))
            order[ready++] = i;
    while (s && left && order && done < ready) {
        uint32_t from = order[done++];
        for (uint32_t e = first_out[from]; e < first_out[from + 1]; e++) {
            uint64_t *to = &s->before[(size_t)out[e] * words];
            for (uint32_t k = 0; k < words; k++)
                to[k] |= s->before[(size_t)from * words + k];
            to[from / 64] |= UINT64_C(1) << from % 64;
            if (--left[out[e]] == 0)
                order[ready++] = out[e];
        }
    }
    if (s && done == n) {
        s->n = n;
        s->words = words;
    } else {
        free(s);
        s = NULL;
    }
    free(left);
    free(order);
    return s;
}

static bool is_node_before(const struct check_nodes *s, uint32_t node, uint32_t other) {
    return !s || node == other || s->before[(size_t)other * s->words + node / 64] >> node % 64 & 1;
}

// ---- following the host -------------------------------------------------------------------

void check_streams_begin(void) {
    if (check_tools() & CHECK_RACE && !atomic_load(&gave_up))
        atomic_store(&check_streams_on, true);
}

void check_streams_give_up(void) {
    atomic_store(&gave_up, true);
    atomic_store(&check_streams_on, false);
}

static struct check_known **known_of(struct kd_queue *q) {
    if (!q->line.known)
        q->line.known = check_known_none();
    return &q->line.known;
}

static void learn_queue(struct check_known **k, struct kd_queue *q) {
    learn(k, q->line.known);
    if (q->line.at)
        learn_place(k, q->id, q->line.at);
}

// With the list locked, too: the queue's operations so far, those that its default queue or a
// default queue stands for, and what the host knows.
static void learn_others(struct check_known **k, struct kd_queue *q) {
    if (q->leads) {
        for (struct kd_queue *p = q->context->queues.list; p; p = p->next)
            if (p->sync == q)
                learn_queue(k, p);
        learn(k, gone);
    } else if (q->sync) {
        learn_queue(k, q->sync);
    }
}

static void set_place(struct op *op, struct check_known *known, uint64_t queue, uint32_t at) {
    op->check = (struct check_place){.known = check_known_hold(known), .queue = queue, .at = at};
}

// Of a node that of the graph's launch, of what kernels have launched that of the outermost grid.
static const struct check_place *place_of(const struct op *op) {
    for (const struct op *launcher; (launcher = nested_launcher(op));)
        op = launcher;
    return op->run ? &graph_gate_of(op)->check : &op->check;
}

static void learn_op(struct check_known **k, const struct op *op) {
    const struct check_place *p = place_of(op);
    learn(k, p->known);
    if (p->known)
        learn_place(k, p->queue, p->at);
}

// Semaphores of other processes and devices.
static bool values_of_others(const struct op *op) {
    bool found = false;
    for (uint32_t k = 0; k < op->values.n; k++)
        found |= op->values.list[k].kind >= KD_VALUE_FILE_SIGNAL;
    return found;
}

void check_streams_submit(struct kd_queue *q, struct op *op, struct op *before) {
    struct queue_set *s = &q->context->queues;
    if (op->kind == OP_VALUES && values_of_others(op)) {
        check_streams_give_up();
        return;
    }
    kd_lock(&s->lock);
    kd_lock(&lock);
    struct check_known **k = known_of(q);
    if (q->line.host != host_learned)
        learn(k, host);
    q->line.host = host_learned;
    learn_others(k, q);
    if (before)
        learn_op(k, before);
    set_place(op, *k, q->id, ++q->line.at);
    if (op->kind == OP_GRAPH)
        op->check.nodes = graph_nodes_of(op);
    if (op->kind == OP_LAUNCH || op->kind == OP_COPY || op->kind == OP_SET ||
        op->kind == OP_VALUES) {
        op->number =
            (uint32_t)(op->kind == OP_LAUNCH ? op->launch.gridid : launch_new_grids(1)) + 1;
        add_item(op, &op->check, op->number);
    }
    if (op->kind == OP_LAUNCH && op->launch.overlaps)
        op->check.overlaps = q->line.launch;
    q->line.launch = op->kind == OP_LAUNCH ? op->number : 0;
    kd_unlock(&lock);
    kd_unlock(&s->lock);
}

void check_streams_child(struct op *op, struct op *grid, const struct op *last,
                         const struct op *event, bool tail) {
    static _Atomic uint64_t lines = UINT64_C(1) << 63;
    uint32_t number = (uint32_t)grid->launch.gridid + 1;
    struct item i;
    kd_lock(&lock);
    if (!find_item(number, &i))
        add_item(grid, &grid->check, number);
    bool is_chained = last && last->check.known;
    struct check_known *k = is_chained ? check_known_hold(last->check.known) : check_known_none();
    if (event && event->check.known) {
        learn(&k, event->check.known);
        learn_place(&k, event->check.queue, event->check.at);
    }
    struct check_vector *launcher = op->check.launcher;
    const struct kd_check_site *site = op->check.site;
    set_place(op, k, is_chained ? last->check.queue : atomic_fetch_add(&lines, 1),
              is_chained ? last->check.at + 1 : 1);
    check_known_drop(k);
    op->check.launcher = launcher;
    op->check.site = site;
    op->check.parent = grid->tail ? grid->check.parent : number;
    op->check.tail = tail;
    if (op->kind == OP_COPY || op->kind == OP_SET)
        op->number = (uint32_t)launch_new_grids(1) + 1;
    if (op->kind == OP_LAUNCH || op->number)
        add_item(op, &op->check,
                 op->kind == OP_LAUNCH ? (uint32_t)op->launch.gridid + 1 : op->number);
    kd_unlock(&lock);
}

static bool is_place_before(const struct check_place *p, uint64_t queue, uint32_t at,
                            uint32_t number) {
    return queue == p->queue ? at < p->at : check_known_has(p->known, queue, at, number);
}

bool check_streams_place_before(const struct check_place *p, uint64_t queue, uint32_t at) {
    return is_place_before(p, queue, at, 0) ||
           check_acquired_has(p->known, p->queue, p->at, queue, at, 0);
}

void check_streams_triggered(const struct op *op) {
    struct item *i = items && op->number ? &items[op->number % ITEMS] : NULL;
    if (i && atomic_load_explicit(&i->number, memory_order_acquire) == op->number)
        __atomic_store_n(&i->told.triggers, true, __ATOMIC_RELAXED);
}

void check_streams_waited(struct op *op) {
    __atomic_store_n(&op->check.waited, true, __ATOMIC_RELAXED);
}

void check_streams_node(struct op *op, uint32_t number) {
    const struct op *gate = graph_gate_of(op);
    op->number = number;
    if (op->kind == OP_VALUES && values_of_others(op))
        check_streams_give_up();
    if (!gate->check.known)
        return;
    kd_lock(&lock);
    add_item(op, &gate->check, number);
    kd_unlock(&lock);
}

void check_streams_wait(struct kd_queue *q, struct op *before) {
    kd_lock(&lock);
    learn_op(known_of(q), before);
    kd_unlock(&lock);
}

// With both locks.
static void learn_context(struct check_known **k, struct kd_context *c,
                          const struct kd_share *share) {
    for (struct kd_queue *q = c->queues.list; q; q = q->next)
        if (!share || q->share == share)
            learn_queue(k, q);
    if (!share)
        learn_queue(k, &c->queues.legacy);
    learn(k, gone);
}

void check_streams_after_all(struct op *op, struct kd_context *c, const struct kd_share *share) {
    kd_lock(&c->queues.lock);
    kd_lock(&lock);
    struct check_known *k = check_known_hold(some(&host));
    learn_context(&k, c, share);
    set_place(op, k, 0, 0);
    check_known_drop(k);
    kd_unlock(&lock);
    kd_unlock(&c->queues.lock);
}

void check_streams_record(struct op *record, const struct op *gate) {
    if (gate->check.known)
        set_place(record, gate->check.known, gate->check.queue, gate->check.at);
}

void check_place_drop(struct check_place *p) {
    check_known_drop(p->known);
    p->known = NULL;
    check_vector_drop(&p->launcher);
}

// To destroy a queue is no way to wait for it (guide 6.2.8.5.2): what waits for all does.
void check_line_drop(struct kd_queue *q) {
    kd_lock(&lock);
    if (q->line.known) {
        if (check_known_has(some(&host), q->id, q->line.at, 0)) {
            retire(q->id, q->line.at);
            check_known_drop(q->line.known);
        } else {
            keep_gone(&(struct gone){q->id, q->line.at, q->line.known});
        }
        q->line.known = NULL;
    }
    kd_unlock(&lock);
}

struct check_known *check_streams_of_queue(struct kd_queue *q) {
    if (!check_streams_follow())
        return NULL;
    kd_lock(&q->context->queues.lock);
    kd_lock(&lock);
    struct check_known *k = check_known_hold(*known_of(q));
    learn_queue(&k, q);
    if (q->leads)
        learn_others(&k, q);
    kd_unlock(&lock);
    kd_unlock(&q->context->queues.lock);
    return k;
}

struct check_known *check_streams_of_context(struct kd_context *c, const struct kd_share *share) {
    if (!check_streams_follow())
        return NULL;
    kd_lock(&c->queues.lock);
    kd_lock(&lock);
    struct check_known *k = check_known_none();
    learn_context(&k, c, share);
    kd_unlock(&lock);
    kd_unlock(&c->queues.lock);
    return k;
}

struct check_known *check_streams_of_op(struct op *op) {
    if (!place_of(op)->known)
        return NULL;
    kd_lock(&lock);
    struct check_known *k = check_known_none();
    learn_op(&k, op);
    kd_unlock(&lock);
    return k;
}

void check_streams_learned(struct check_known *k) {
    if (!k)
        return;
    kd_lock(&lock);
    bool more = !check_known_has_all(some(&host), k);
    if (more) {
        learn(&host, k);
        retire_gone();
        host_learned++;
    }
    kd_unlock(&lock);
    check_known_drop(k);
    if (more)
        check_host_update();
}

void check_streams_forget(struct check_known *k) {
    check_known_drop(k);
}

bool check_streams_answer_later(struct op *record) {
    const struct check_place *p = place_of(record);
    if (!check_streams_follow() || !p->known)
        return false;
    kd_lock(&lock);
    bool first = !record->check.asked && !check_known_has(some(&host), p->queue, p->at, 0);
    record->check.asked = true;
    kd_unlock(&lock);
    return first;
}

bool check_streams_answer_later_of(struct kd_queue *q, const struct check_known *known) {
    if (!known)
        return false;
    kd_lock(&lock);
    bool first = q->line.asked != q->line.at && !check_known_has_all(some(&host), known);
    q->line.asked = q->line.at;
    kd_unlock(&lock);
    return first;
}

// ---- asking -------------------------------------------------------------------------------

bool check_streams_before(const struct op *op, uint32_t number) {
    const struct check_place *p = place_of(op);
    struct item i;
    number = check_child_root(number);
    if (!check_streams_follow() || !p->known || !find_item(number, &i) || i.told.unchecked)
        return true;
    bool same = i.told.queue == p->queue && i.at == p->at;
    bool beside =
        p->overlaps == number && i.told.triggers && !__atomic_load_n(&p->waited, __ATOMIC_RELAXED);
    bool before = same ? !op->run || is_node_before(p->nodes, i.node, op->node)
                       : !beside && is_place_before(p, i.told.queue, i.at, number);
    return before || check_acquired_has(p->known, p->queue, p->at, i.told.queue, i.at, number);
}

bool check_streams_host_knows(uint32_t number) {
    struct item i;
    number = check_child_root(number);
    if (!check_streams_follow() || !find_item(number, &i) || i.told.unchecked)
        return true;
    kd_lock(&lock);
    bool knows = check_known_has(some(&host), i.told.queue, i.at, number) ||
                 check_acquired_has(host, 0, 0, i.told.queue, i.at, number);
    kd_unlock(&lock);
    return knows;
}

// ---- what operations tell each other as they run ------------------------------------------

const struct check_place *check_streams_place(const struct op *op) {
    return place_of(op);
}

bool check_streams_op_knows(const struct op *op, uint64_t queue, uint32_t at, uint32_t number) {
    const struct check_place *p = place_of(op);
    return !p->known || (queue == p->queue && at == p->at) ||
           is_place_before(p, queue, at, number) ||
           check_acquired_has(p->known, p->queue, p->at, queue, at, number);
}

struct check_known *check_streams_released(const struct op *op) {
    const struct check_place *p = place_of(op);
    if (!p->known)
        return NULL;
    kd_lock(&lock);
    struct check_known *k = check_known_none();
    learn_op(&k, op);
    learn_acquired(&k);
    kd_unlock(&lock);
    return k;
}

void check_streams_acquired(const struct op *op, struct check_known *k) {
    const struct check_place *p = place_of(op);
    if (!p->known)
        return;
    kd_lock(&lock);
    struct check_known *all = check_known_hold(some(&host));
    if (k)
        learn(&all, k);
    else
        learn_place(&all, CHECK_KNOWN_NUMBERS, (uint32_t)launch_new_grids(0));
    learn_acquired(&all);
    if (!check_known_has_all(p->known, all) && !check_acquired_add(p->queue, p->at, all))
        check_streams_give_up();
    check_known_drop(all);
    kd_unlock(&lock);
}

void check_streams_told(const struct op *op, uint32_t number) {
    const struct check_place *p = place_of(op);
    struct item i;
    number = check_child_root(number);
    if (!p->known || !find_item(number, &i))
        return;
    kd_lock(&lock);
    struct recent *r = &recent[number % RECENT];
    struct check_known *k = r->number == number ? check_known_hold(r->known) : check_known_none();
    learn_place(&k, i.told.queue, i.at);
    learn_acquired(&k);
    if (!check_acquired_add(p->queue, p->at, k))
        check_streams_give_up();
    check_known_drop(k);
    kd_unlock(&lock);
}
