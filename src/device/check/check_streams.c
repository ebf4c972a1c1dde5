// Each operation has a place in its queue, and knows up to which places of others all has ended
// before it begins: by its queue, by what the host knew when it submitted it, and by events. All
// threads of the host count as one. A launch of a graph is one operation, whose nodes follow each
// other as the graph has it.
#include "device/check/check_streams.h"

#include <stdlib.h>
#include <string.h>

#include "device/check/check_children.h"
#include "device/check/check_host.h"
#include "device/check/check_pages.h"
#include "device/check/check_vector.h"
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

// Sorted by queue; never changed.
struct check_known {
    uint32_t refs, n;
    struct known_place {
        uint64_t queue;
        uint32_t at;
    } places[];
};
static struct check_known nothing = {.refs = 3}; // its own, the host's, and that of what is gone
static struct check_known *host = &nothing;
static struct check_known *gone = &nothing; // what was in queues that are gone
static uint32_t host_learned = 1;           // how often

static struct check_known *hold(struct check_known *k) {
    __atomic_fetch_add(&k->refs, 1, __ATOMIC_RELAXED);
    return k;
}

static void drop(struct check_known *k) {
    if (k && __atomic_fetch_sub(&k->refs, 1, __ATOMIC_ACQ_REL) == 1)
        free(k);
}

static uint32_t place_in(const struct check_known *k, uint64_t queue) {
    uint32_t low = 0, high = k->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (k->places[middle].queue < queue)
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->n && k->places[low].queue == queue ? k->places[low].at : 0;
}

static bool has_all(const struct check_known *k, const struct check_known *of) {
    enum { FAR = 16 }; // from one to the next: a search takes less than a walk
    bool few = of->n < k->n / FAR;
    if (of->n > k->n)
        return false;
    for (uint32_t i = 0, j = 0; i < of->n; i++) {
        const struct known_place *p = &of->places[i];
        while (!few && j < k->n && k->places[j].queue < p->queue)
            j++;
        bool there = !few && j < k->n && k->places[j].queue == p->queue;
        if ((few ? place_in(k, p->queue) : there ? k->places[j].at : 0) < p->at)
            return false;
    }
    return true;
}

static struct check_known *both(const struct check_known *a, const struct check_known *b) {
    struct check_known *k = malloc(sizeof *k + (a->n + b->n) * sizeof *k->places);
    if (!k)
        return NULL;
    k->refs = 1;
    k->n = 0;
    for (uint32_t i = 0, j = 0; i < a->n || j < b->n;) {
        bool from_a = j == b->n || (i < a->n && a->places[i].queue <= b->places[j].queue);
        struct known_place p = from_a ? a->places[i] : b->places[j];
        bool same = from_a && j < b->n && b->places[j].queue == p.queue;
        if (same && b->places[j].at > p.at)
            p.at = b->places[j].at;
        i += from_a;
        j += !from_a || same;
        k->places[k->n++] = p;
    }
    return k;
}

// *k is to know what `other` has. Without memory nothing is told of any more.
static void learn(struct check_known **k, struct check_known *other) {
    if (!other || *k == other || has_all(*k, other))
        return;
    struct check_known *more = has_all(other, *k) ? hold(other) : both(*k, other);
    if (!more) {
        check_streams_give_up();
        return;
    }
    drop(*k);
    *k = more;
}

static void learn_place(struct check_known **k, uint64_t queue, uint32_t at) {
    _Alignas(struct check_known) char room[sizeof(struct check_known) + sizeof(struct known_place)];
    struct check_known *one = (struct check_known *)room;
    if (place_in(*k, queue) >= at)
        return;
    *one = (struct check_known){.refs = 1, .n = 1};
    one->places[0] = (struct known_place){queue, at};
    struct check_known *more = both(*k, one);
    if (!more) {
        check_streams_give_up();
        return;
    }
    drop(*k);
    *k = more;
}

// ---- operations by their numbers ----------------------------------------------------------

enum { ITEMS = 1 << 18 }; // that are remembered
struct item {
    _Atomic uint32_t number;
    uint32_t at, node;
    struct check_item told;
};
static struct item *items;

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
        q->line.known = hold(&nothing);
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
    op->check = (struct check_place){.known = hold(known), .queue = queue, .at = at};
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

void check_streams_submit(struct kd_queue *q, struct op *op, struct op *before) {
    struct queue_set *s = &q->context->queues;
    if (op->kind == OP_VALUES) {
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
    if (op->kind == OP_LAUNCH || op->kind == OP_COPY || op->kind == OP_SET) {
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
    struct check_known *k = hold(is_chained ? last->check.known : &nothing);
    if (event && event->check.known) {
        learn(&k, event->check.known);
        learn_place(&k, event->check.queue, event->check.at);
    }
    struct check_vector *launcher = op->check.launcher;
    const struct kd_check_site *site = op->check.site;
    set_place(op, k, is_chained ? last->check.queue : atomic_fetch_add(&lines, 1),
              is_chained ? last->check.at + 1 : 1);
    drop(k);
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

bool check_streams_place_before(const struct check_place *p, uint64_t queue, uint32_t at) {
    return queue == p->queue ? at < p->at : place_in(p->known, queue) >= at;
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
    if (op->kind == OP_VALUES)
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
    struct check_known *k = hold(host);
    learn_context(&k, c, share);
    set_place(op, k, 0, 0);
    drop(k);
    kd_unlock(&lock);
    kd_unlock(&c->queues.lock);
}

void check_streams_record(struct op *record, const struct op *gate) {
    if (gate->check.known)
        set_place(record, gate->check.known, gate->check.queue, gate->check.at);
}

void check_place_drop(struct check_place *p) {
    drop(p->known);
    p->known = NULL;
    check_vector_drop(&p->launcher);
}

// To destroy a queue is no way to wait for it (guide 6.2.8.5.2): what waits for all does.
void check_line_drop(struct kd_queue *q) {
    kd_lock(&lock);
    if (q->line.known) {
        if (place_in(host, q->id) < q->line.at)
            learn_queue(&gone, q);
        drop(q->line.known);
        q->line.known = NULL;
    }
    kd_unlock(&lock);
}

struct check_known *check_streams_of_queue(struct kd_queue *q) {
    if (!check_streams_follow())
        return NULL;
    kd_lock(&q->context->queues.lock);
    kd_lock(&lock);
    struct check_known *k = hold(*known_of(q));
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
    struct check_known *k = hold(&nothing);
    learn_context(&k, c, share);
    kd_unlock(&lock);
    kd_unlock(&c->queues.lock);
    return k;
}

struct check_known *check_streams_of_op(struct op *op) {
    if (!place_of(op)->known)
        return NULL;
    kd_lock(&lock);
    struct check_known *k = hold(&nothing);
    learn_op(&k, op);
    kd_unlock(&lock);
    return k;
}

void check_streams_learned(struct check_known *k) {
    if (!k)
        return;
    kd_lock(&lock);
    bool more = !has_all(host, k);
    if (more) {
        learn(&host, k);
        host_learned++;
    }
    kd_unlock(&lock);
    drop(k);
    if (more)
        check_host_update();
}

void check_streams_forget(struct check_known *k) {
    drop(k);
}

bool check_streams_answer_later(struct op *record) {
    const struct check_place *p = place_of(record);
    if (!check_streams_follow() || !p->known)
        return false;
    kd_lock(&lock);
    bool first = !record->check.asked && place_in(host, p->queue) < p->at;
    record->check.asked = true;
    kd_unlock(&lock);
    return first;
}

bool check_streams_answer_later_of(struct kd_queue *q, const struct check_known *known) {
    if (!known)
        return false;
    kd_lock(&lock);
    bool first = q->line.asked != q->line.at && !has_all(host, known);
    q->line.asked = q->line.at;
    kd_unlock(&lock);
    return first;
}

// ---- asking -------------------------------------------------------------------------------

// What kernels may have told each other while they ran beside each other.
struct tale {
    uint64_t from, to; // queues
    uint32_t from_at, to_at;
};
enum { TALES = 256 };
static struct tale tales[TALES];
static _Atomic uint32_t ntales;

static bool was_told(const struct check_place *p, uint64_t queue, uint32_t at, int depth) {
    uint32_t n = atomic_load_explicit(&ntales, memory_order_acquire);
    for (uint32_t k = 0; k < n && depth; k++) {
        const struct tale *t = &tales[k];
        if (t->from != queue || t->from_at < at)
            continue;
        if ((t->to == p->queue && t->to_at == p->at) ||
            check_streams_place_before(p, t->to, t->to_at) ||
            was_told(p, t->to, t->to_at, depth - 1))
            return true;
    }
    return false;
}

bool check_streams_before(const struct op *op, uint32_t number) {
    enum { DEPTH = 4 };
    const struct check_place *p = place_of(op);
    struct item i;
    number = check_child_root(number);
    if (!check_streams_follow() || !p->known || !find_item(number, &i) || i.told.unchecked)
        return true;
    if (i.told.queue == p->queue && i.at == p->at)
        return !op->run || is_node_before(p->nodes, i.node, op->node) ||
               was_told(p, p->queue, p->at, DEPTH);
    bool beside =
        p->overlaps == number && i.told.triggers && !__atomic_load_n(&p->waited, __ATOMIC_RELAXED);
    return (!beside && check_streams_place_before(p, i.told.queue, i.at)) ||
           was_told(p, i.told.queue, i.at, DEPTH);
}

bool check_streams_host_knows(uint32_t number) {
    struct item i;
    number = check_child_root(number);
    if (!check_streams_follow() || !find_item(number, &i) || i.told.unchecked)
        return true;
    kd_lock(&lock);
    bool knows = place_in(host, i.told.queue) >= i.at;
    kd_unlock(&lock);
    return knows;
}

void check_streams_told(const struct op *op, uint32_t number) {
    const struct check_place *p = place_of(op);
    struct item i;
    if (!p->known || !find_item(check_child_root(number), &i))
        return;
    struct tale t = {i.told.queue, p->queue, i.at, p->at};
    kd_lock(&lock);
    uint32_t n = atomic_load(&ntales), k = 0;
    while (k < n && (tales[k].from != t.from || tales[k].to != t.to || tales[k].to_at != t.to_at ||
                     tales[k].from_at < t.from_at))
        k++;
    if (k == TALES) {
        check_streams_give_up();
    } else if (k == n) {
        tales[n] = t;
        atomic_store_explicit(&ntales, n + 1, memory_order_release);
    }
    kd_unlock(&lock);
}
