#include "device/sched/graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/check/host/check_host.h"
#include "device/check/schedule/check_delay.h"
#include "device/internal.h"
#include "device/reason.h"
#include "device/sched/copy.h"
#include "device/sched/dependent.h"
#include "device/sched/graph_ports.h"
#include "device/sched/share.h"
#include "device/sched/value.h"
#include "support/check/check_tools.h"

// ---- What a graph consists of -------------------------------------------------------------

// What one node does. Shared by versions.
struct node {
    atomic_int refs;
    uint64_t serial; // of all nodes ever made
    enum kd_node_kind kind;
    struct kd_context *context;
    bool own_priority, local;
    uint8_t priority;
    uint64_t units, chunk;
    uint32_t workers; // of a cooperative launch: that it needs; else 0
    union {
        struct kd_launch launch;
        struct kd_copy copy;
        struct kd_set set;
        struct {
            kd_host_fn fn;
            void *arg;
            bool always;
        } host;
        struct {
            struct kd_value_op *list;
            uint32_t n;
        } values;
        struct kd_event *event;
        struct kd_condition condition;
    };
    _Alignas(64) uint8_t params[];
};

struct holder {
    atomic_int refs;
    void (*fn)(void *);
    void *arg;
};

struct version {
    atomic_int refs;
    uint64_t serial; // of all versions, and new after each change
    struct node **nodes;
    bool *enabled;
    struct kd_graph_cell *cells;
    size_t ncells;
    struct holder *holder;
};

struct region {
    uint32_t *nodes, *roots;
    uint32_t n, nroots, nsinks, owner;
};

struct shape {
    uint32_t n, nregions;
    struct graph_ports ports;
    uint32_t *first_out, *out, *indegree, *region; // out: successors of i from first_out[i] on
    uint32_t *lists;                               // the storage of the regions' lists
    struct region *regions;
    bool branches;
};

struct kd_graph {
    atomic_int refs;
    pthread_mutex_t lock; // of version, last, and the order of launches
    struct shape shape;
    struct version *version;
    struct graph_run *run;
    struct op *last;            // gate of the last launch, held
    uint64_t handle;            // its user's, when kernels may launch it
    bool updatable;             // by kernels: nodes change in place, under the lock
    atomic_int running, queued; // runs that have not ended; launches by kernels that have not begun
    uint32_t nevents;
    uint32_t *event_slot;      // by node, its number + 1 among event nodes; NULL: there are none
    struct check_nodes *order; // of the nodes, for `kudzu check`; NULL: not known
};

// Operations of the nodes, without the storage for parameters that other operations have.
struct graph_run {
    atomic_int refs; // the graph's, and of threads that look at an operation
    struct kd_graph *graph;
    struct graph_launch *launch;
    uint64_t version; // what the operations were made of
    // Of the launch before, which may be gone: only to be compared.
    struct kd_queue *queue;
    struct kd_context *context;
    struct kd_share *share;
    uint8_t priority;
    uint64_t *serials;  // by node: that of its block, twice, plus enabled
    bool *local;        // by node: that of its block
    atomic_uint *costs; // by node: nanoseconds of the last time, when it was measured
    atomic_uint *left;  // by region: sinks that have not ended
    uint8_t *ops;
};

// Kept in the gate.
struct graph_launch {
    struct kd_graph *graph;
    struct version *version;
    struct op *gate;
    struct op *events[]; // by slot: a record's own operation, or what a wait waits for
};

enum { OP_STRIDE = (offsetof(struct op, inline_bytes) + 63) / 64 * 64 };
enum { LOCAL_UNITS = 32, SHORT_NS = 3000, LONG_NS = 20000 };

static struct op *op_at(struct graph_run *r, uint32_t i) {
    return (struct op *)(r->ops + (size_t)i * OP_STRIDE);
}

static uint64_t new_serial(void) {
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

// ---- Shape --------------------------------------------------------------------------------

static void shape_free(struct shape *s) {
    graph_ports_free(&s->ports);
    free(s->first_out);
    free(s->out);
    free(s->indegree);
    free(s->region);
    free(s->lists);
    free(s->regions);
}

static bool shape_alloc(struct shape *s, const struct kd_graph_shape *from) {
    size_t n = from->nodes;
    s->n = from->nodes;
    s->nregions = from->regions ? from->regions : 1;
    s->first_out = calloc(n + 2, sizeof *s->first_out);
    s->out = calloc((size_t)from->edges + 1, sizeof *s->out);
    s->indegree = calloc(n + 1, sizeof *s->indegree);
    s->region = calloc(n + 1, sizeof *s->region);
    s->lists = calloc(2 * n + 1, sizeof *s->lists);
    s->regions = calloc(s->nregions, sizeof *s->regions);
    return s->first_out && s->out && s->indegree && s->region && s->lists && s->regions;
}

static void shape_edges(struct shape *s, const struct kd_graph_shape *from) {
    uint32_t *first = s->first_out;
    for (uint32_t e = 0; e < from->edges; e++) {
        first[from->from[e] + 2]++;
        s->indegree[from->to[e]]++;
    }
    for (uint32_t i = 2; i < s->n + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t e = 0; e < from->edges; e++)
        s->out[first[from->from[e] + 1]++] = from->to[e];
}

// Nodes and roots of each region, one region after the other in `lists`.
static void shape_regions(struct shape *s, const struct kd_graph_shape *from) {
    for (uint32_t i = 0; i < s->n; i++) {
        s->region[i] = from->region ? from->region[i] : 0;
        struct region *r = &s->regions[s->region[i]];
        r->n++;
        r->nroots += s->indegree[i] == 0;
        r->nsinks += s->first_out[i + 1] == s->first_out[i];
        s->branches = s->branches || s->first_out[i + 1] - s->first_out[i] > 1;
    }
    uint32_t *at = s->lists;
    for (uint32_t k = 0; k < s->nregions; k++) {
        struct region *r = &s->regions[k];
        r->owner = k ? from->owner[k] : 0;
        r->nodes = at;
        r->roots = at += r->n;
        at += r->nroots;
        s->branches = s->branches || r->nroots > 1;
        r->n = r->nroots = 0;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        struct region *r = &s->regions[s->region[i]];
        r->nodes[r->n++] = i;
        if (s->indegree[i] == 0)
            r->roots[r->nroots++] = i;
    }
}

// ---- Runs ---------------------------------------------------------------------------------

static void run_free(struct graph_run *r) {
    free(r->serials);
    free(r->local);
    free(r->costs);
    free(r->left);
    free(r->ops);
    free(r);
}

void graph_run_unref(struct graph_run *r) {
    if (atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) == 1)
        run_free(r);
}

static struct graph_run *run_new(struct kd_graph *g) {
    struct graph_run *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    size_t n = (size_t)g->shape.n + 1;
    r->refs = 1;
    r->graph = g;
    r->serials = calloc(n, sizeof *r->serials);
    r->local = calloc(n, sizeof *r->local);
    r->costs = calloc(n, sizeof *r->costs);
    r->left = calloc(g->shape.nregions, sizeof *r->left);
    r->ops = aligned_alloc(64, n * OP_STRIDE);
    if (r->serials && r->local && r->costs && r->left && r->ops)
        return r;
    run_free(r);
    return NULL;
}

// Threads that are about to see that an operation has no units left hold the run: then another
// one is taken.
static struct graph_run *run_take(struct kd_graph *g) {
    while (atomic_load_explicit(&g->run->refs, memory_order_acquire) != 1) {
        struct graph_run *other = run_new(g);
        if (other) {
            graph_run_unref(g->run);
            g->run = other;
            return other;
        }
        sched_yield();
    }
    return g->run;
}

// ---- Versions -----------------------------------------------------------------------------

static void node_unref(struct node *n) {
    if (n && atomic_fetch_sub_explicit(&n->refs, 1, memory_order_acq_rel) == 1)
        free(n);
}

static void holder_unref(struct holder *h) {
    if (!h || atomic_fetch_sub_explicit(&h->refs, 1, memory_order_acq_rel) != 1)
        return;
    h->fn(h->arg);
    free(h);
}

static void version_unref(struct version *v, uint32_t n) {
    if (!v || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; v->nodes && i < n; i++)
        node_unref(v->nodes[i]);
    holder_unref(v->holder);
    free(v->nodes);
    free(v->enabled);
    free(v->cells);
    free(v);
}

static struct version *version_new(uint32_t n) {
    struct version *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->refs = 1;
    v->serial = new_serial();
    v->nodes = calloc((size_t)n + 1, sizeof *v->nodes);
    v->enabled = malloc((size_t)n + 1);
    if (v->nodes && v->enabled) {
        memset(v->enabled, true, n);
        return v;
    }
    version_unref(v, n);
    return NULL;
}

static bool version_copy(struct version *to, const struct version *from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        to->nodes[i] = from->nodes[i];
        if (to->nodes[i])
            atomic_fetch_add_explicit(&to->nodes[i]->refs, 1, memory_order_relaxed);
    }
    memcpy(to->enabled, from->enabled, n);
    to->holder = from->holder;
    if (to->holder)
        atomic_fetch_add_explicit(&to->holder->refs, 1, memory_order_relaxed);
    if (!from->ncells)
        return true;
    to->cells = malloc(from->ncells * sizeof *to->cells);
    if (!to->cells)
        return false;
    memcpy(to->cells, from->cells, from->ncells * sizeof *to->cells);
    to->ncells = from->ncells;
    return true;
}

// With the lock: a version that no launch uses.
static struct version *version_to_change(struct kd_graph *g) {
    uint32_t n = g->shape.n;
    if (atomic_load_explicit(&g->version->refs, memory_order_acquire) > 1) {
        struct version *v = version_new(n);
        if (!v || !version_copy(v, g->version, n)) {
            version_unref(v, n);
            kd_fail(KD_OUT_OF_MEMORY, "no memory for a change of a graph that runs");
            return NULL;
        }
        version_unref(g->version, n);
        g->version = v;
    }
    g->version->serial = new_serial();
    return g->version;
}

// ---- Life ---------------------------------------------------------------------------------

static void graph_unref(struct kd_graph *g) {
    if (atomic_fetch_sub_explicit(&g->refs, 1, memory_order_acq_rel) != 1)
        return;
    version_unref(g->version, g->shape.n);
    if (g->run)
        graph_run_unref(g->run);
    if (g->last)
        op_unref(g->last);
    shape_free(&g->shape);
    free(g->order);
    free(g->event_slot);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

// Nodes that could run beside each other may race.
static void note_order(struct kd_graph *g) {
    const struct shape *s = &g->shape;
    if (s->n > 1)
        check_delays_begin();
    if (s->n < 2 || !(check_tools() & CHECK_RACE))
        return;
    check_streams_begin();
    if (s->nregions == 1)
        g->order = check_nodes_new(s->n, s->first_out, s->out, s->indegree);
}

enum kd_status kd_graph_new(const struct kd_graph_shape *shape, struct kd_graph **out) {
    struct kd_graph *g = calloc(1, sizeof *g);
    if (!g)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a graph");
    g->refs = 1;
    pthread_mutex_init(&g->lock, NULL);
    struct kd_graph_shape whole;
    struct graph_ports *ports = &g->shape.ports;
    bool ok = graph_ports_open(ports, shape, &whole) && shape_alloc(&g->shape, &whole);
    if (ok) {
        shape_edges(&g->shape, &whole);
        for (uint32_t i = 0; i < shape->nodes && ports->at; i++)
            for (int k = 0; k < 2; k++) // told by the launch
                if (ports->at[i].mark[k])
                    g->shape.indegree[ports->at[i].mark[k]] = 1;
        shape_regions(&g->shape, &whole);
        note_order(g);
        g->version = version_new(whole.nodes);
        g->run = run_new(g);
        ok = g->version && g->run;
    }
    graph_ports_close(ports);
    if (!ok) {
        graph_unref(g);
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a graph of %u nodes", shape->nodes);
    }
    *out = g;
    return kd_succeed();
}

struct kd_graph *kd_graph_ref(struct kd_graph *g) {
    atomic_fetch_add_explicit(&g->refs, 1, memory_order_relaxed);
    return g;
}

void kd_graph_unref(struct kd_graph *g) {
    graph_unref(g);
}

void kd_graph_free(struct kd_graph *g) {
    if (!g)
        return;
    pthread_mutex_lock(&g->lock);
    struct op *last = g->last; // holds nothing of the graph, but its context's pool
    g->last = NULL;
    pthread_mutex_unlock(&g->lock);
    if (last)
        op_unref(last);
    graph_unref(g);
}

// ---- Nodes --------------------------------------------------------------------------------

// Multiprocessors that a launch has to have all of its blocks resident; 0: any number will do.
static uint32_t workers_for(const struct kd_launch_config *c) {
    if (!c->cooperative)
        return 0;
    uint64_t blocks = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
    uint64_t each =
        kd_kernel_occupancy(c->kernel, c->block[0] * c->block[1] * c->block[2], c->shared_bytes);
    return each ? (uint32_t)((blocks + each - 1) / each) : 0;
}

static enum kd_status node_launch(struct node *n, struct op *op, struct kd_launch_config *c) {
    memset(n->params, 0, (c->param_bytes + 63) / 64 * 64 + 64);
    if (c->param_bytes)
        memcpy(n->params, c->params, c->param_bytes);
    c->params = n->params;
    enum kd_status status = launch_prepare(op, c);
    if (!status && c->programmatic)
        dependent_waits(op);
    n->launch = op->launch;
    n->launch.params = n->params;
    n->workers = status ? 0 : workers_for(c);
    enum kd_mode mode = n->launch.code ? n->launch.code->info.mode : KD_MODE_BLOCK;
    n->local = !n->launch.may_wait && n->launch.cluster_blocks <= 1 &&
               (mode == KD_MODE_BLOCK || mode == KD_MODE_INTERPRETER);
    return status;
}

// The operation is a draft: what follows from the parameters is taken from it.
static enum kd_status node_fill(struct node *n, struct op *op, const struct kd_graph_node *from) {
    enum kd_status status = KD_OK;
    op->device = n->context ? n->context->device : NULL;
    op->context = n->context;
    op->units = op->chunk = 1;
    switch (from->kind) {
    case KD_NODE_LAUNCH: {
        struct kd_launch_config c = from->launch;
        status = node_launch(n, op, &c);
        break;
    }
    case KD_NODE_COPY:
        op->kind = OP_COPY;
        op->copy = from->copy;
        copy_plan(op);
        n->copy = op->copy;
        n->local = true;
        break;
    case KD_NODE_SET:
        op->kind = OP_SET;
        op->set = from->set;
        set_plan(op);
        n->set = op->set;
        n->local = true;
        break;
    case KD_NODE_HOST:
    case KD_NODE_CALL:
        n->host.fn = from->host.fn;
        n->host.arg = from->host.arg;
        if (from->host.arg_bytes)
            n->host.arg = memcpy(n->params, from->host.arg, from->host.arg_bytes);
        n->host.always = from->host.always;
        break;
    case KD_NODE_VALUES:
        if (!value_watch())
            return kd_fail(KD_SYSTEM, "the system does not let the device start a thread");
        n->values.n = from->values.n;
        n->values.list =
            memcpy(n->params, from->values.list, from->values.n * sizeof *n->values.list);
        break;
    case KD_NODE_RECORD:
    case KD_NODE_WAIT:
        n->event = from->event;
        break;
    case KD_NODE_CONDITION:
        n->condition = from->condition;
        break;
    case KD_NODE_EMPTY:
        break;
    }
    n->units = op->units;
    n->chunk = op->chunk;
    return status;
}

static enum kd_status node_new(const struct kd_graph_node *from, struct node **out) {
    size_t params = from->kind == KD_NODE_LAUNCH ? from->launch.param_bytes : 0;
    if (from->kind == KD_NODE_HOST || from->kind == KD_NODE_CALL)
        params = from->host.arg_bytes;
    if (from->kind == KD_NODE_VALUES)
        params = from->values.n * sizeof(struct kd_value_op);
    size_t size = (sizeof(struct node) + params + 63) / 64 * 64 + 64;
    struct node *n = aligned_alloc(64, size);
    struct op draft;
    if (!n)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a node of a graph");
    memset(n, 0, sizeof *n);
    memset(&draft, 0, OP_STRIDE);
    n->refs = 1;
    n->serial = new_serial();
    n->kind = from->kind;
    n->context = from->context;
    n->own_priority = from->own_priority;
    if (from->own_priority) {
        const struct kd_properties *p = &from->context->device->properties;
        int least = p->priority_least, greatest = p->priority_greatest;
        int cut = from->priority < greatest ? greatest : from->priority;
        n->priority = (uint8_t)((cut > least ? least : cut) - greatest);
    }
    enum kd_status status = node_fill(n, &draft, from);
    if (status) {
        free(n);
        return status;
    }
    *out = n;
    return KD_OK;
}

static bool is_event(enum kd_node_kind kind) {
    return kind == KD_NODE_RECORD || kind == KD_NODE_WAIT;
}

// With the lock.
static bool give_slot(struct kd_graph *g, uint32_t index) {
    if (!g->event_slot)
        g->event_slot = calloc((size_t)g->shape.n + 1, sizeof *g->event_slot);
    if (g->event_slot && !g->event_slot[index])
        g->event_slot[index] = ++g->nevents;
    return g->event_slot != NULL;
}

enum kd_status kd_graph_set(struct kd_graph *g, uint32_t index, const struct kd_graph_node *from) {
    struct node *n;
    struct kd_graph_node copy;
    if (index >= g->shape.n)
        return kd_fail(KD_INVALID_VALUE, "the graph has no node %u", index);
    if (from->kind == KD_NODE_LAUNCH && g->shape.ports.at) {
        copy = *from;
        copy.launch.programmatic = g->shape.ports.at[index].completion;
        from = &copy;
    }
    if (from->context && !scheduler_start(from->context->device))
        return kd_fail(KD_SYSTEM, "the system does not let the device start its worker threads");
    enum kd_status status = node_new(from, &n);
    if (status)
        return status;
    pthread_mutex_lock(&g->lock);
    struct version *v = version_to_change(g);
    struct node *old = n;
    if (v && is_event(n->kind) && !give_slot(g, index))
        v = NULL;
    if (v) {
        old = v->nodes[index];
        v->nodes[index] = n;
    }
    pthread_mutex_unlock(&g->lock);
    node_unref(old);
    return v ? kd_succeed() : kd_fail(KD_OUT_OF_MEMORY, "no memory for a node of a graph");
}

enum kd_status kd_graph_enable(struct kd_graph *g, uint32_t index, bool enabled) {
    if (index >= g->shape.n)
        return kd_fail(KD_INVALID_VALUE, "the graph has no node %u", index);
    pthread_mutex_lock(&g->lock);
    struct version *v = version_to_change(g);
    if (v)
        v->enabled[index] = enabled;
    pthread_mutex_unlock(&g->lock);
    return v ? kd_succeed() : KD_OUT_OF_MEMORY;
}

void kd_graph_set_updatable(struct kd_graph *g) {
    g->updatable = true;
}

// The launch that the node makes, with a change.
static enum kd_status changed_launch(struct node *n, const struct kd_kernel_update *u,
                                     struct kd_launch_config *c) {
    const struct kd_launch *l = &n->launch;
    *c = (struct kd_launch_config){.kernel = l->kernel,
                                   .shared_bytes = l->dynamic_bytes,
                                   .params = n->params,
                                   .param_bytes = kd_kernel_info(l->kernel)->param_bytes,
                                   .cooperative = l->cooperative,
                                   .programmatic = l->programmatic};
    memcpy(c->grid, u->kind == KD_UPDATE_GRID ? u->grid : l->grid, sizeof c->grid);
    memcpy(c->block, l->block, sizeof c->block);
    if (l->cluster_blocks > 1)
        memcpy(c->cluster, l->cluster, sizeof c->cluster);
    if (!c->grid[0] || !c->grid[1] || !c->grid[2] || c->grid[0] > INT32_MAX ||
        c->grid[1] > UINT16_MAX || c->grid[2] > UINT16_MAX)
        return KD_INVALID_VALUE;
    return launch_check(c);
}

// Code can depend on the grid's size and on how pointers are aligned.
static enum kd_status update_launch(struct node *n, const struct kd_kernel_update *u) {
    struct kd_launch_config c;
    struct op *draft = op_new(n->context, OP_LAUNCH);
    if (!draft)
        return KD_OUT_OF_MEMORY;
    enum kd_status status = changed_launch(n, u, &c);
    if (!status && u->kind == KD_UPDATE_PARAM)
        memcpy(n->params + u->offset, u->value, u->size);
    if (!status)
        status = nested_prepare(draft, &c);
    if (!status && c.programmatic)
        dependent_waits(draft);
    if (!status) {
        n->launch = draft->launch;
        n->launch.params = n->params;
        n->workers = workers_for(&c);
        n->units = draft->units;
        n->chunk = draft->chunk;
    }
    op_unref(draft);
    return status;
}

// The run that is going on, when it has not come to the node yet.
static void update_run(struct kd_graph *g, uint32_t index, const struct version *v) {
    struct graph_run *r = g->run;
    struct op *op = op_at(r, index);
    const struct node *n = v->nodes[index];
    if (atomic_load(&g->running) && atomic_load(&op->pending) > 0) {
        op->kind = v->enabled[index] ? OP_LAUNCH : OP_MARK;
        op->launch = n->launch;
        op->launch.gridid = launch_new_grids(1);
        op->units = n->units;
        op->chunk = n->chunk;
        r->local[index] = n->local;
    }
    r->serials[index] = 0; // the next run takes it anew
    r->version = 0;
}

static enum kd_status update(struct kd_graph *g, uint32_t index, const struct kd_kernel_update *u) {
    struct version *v = g->version;
    struct version *running = atomic_load(&g->running) ? g->run->launch->version : v;
    struct node *n = v->nodes[index];
    if (!n || n->kind != KD_NODE_LAUNCH || running->nodes[index] != n)
        return KD_INVALID_VALUE;
    uint64_t bytes = kd_kernel_info(n->launch.kernel)->param_bytes;
    if (u->kind == KD_UPDATE_PARAM && (u->offset > bytes || u->size > bytes - u->offset))
        return KD_INVALID_VALUE;
    enum kd_status status = KD_OK;
    if (u->kind == KD_UPDATE_ENABLED)
        v->enabled[index] = running->enabled[index] = u->enabled;
    else
        status = update_launch(n, u);
    if (!status)
        update_run(g, index, v);
    return status;
}

enum kd_status kd_graph_update(struct kd_graph *g, uint32_t index,
                               const struct kd_kernel_update *u) {
    if (index >= g->shape.n || !g->updatable)
        return KD_INVALID_VALUE;
    pthread_mutex_lock(&g->lock);
    enum kd_status status = update(g, index, u);
    pthread_mutex_unlock(&g->lock);
    return status;
}

enum kd_status kd_graph_set_cells(struct kd_graph *g, const struct kd_graph_cell *cells, size_t n) {
    struct kd_graph_cell *copy = malloc((n + 1) * sizeof *copy);
    if (!copy)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for the values of conditional nodes");
    if (n)
        memcpy(copy, cells, n * sizeof *copy);
    pthread_mutex_lock(&g->lock);
    struct version *v = version_to_change(g);
    if (v) {
        free(v->cells);
        v->cells = copy;
        v->ncells = n;
    }
    pthread_mutex_unlock(&g->lock);
    if (!v)
        free(copy);
    return v ? kd_succeed() : KD_OUT_OF_MEMORY;
}

enum kd_status kd_graph_hold(struct kd_graph *g, void (*fn)(void *), void *arg) {
    struct holder *h = malloc(sizeof *h);
    if (!h)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a note");
    *h = (struct holder){1, fn, arg};
    struct holder *old = NULL;
    pthread_mutex_lock(&g->lock);
    struct version *v = version_to_change(g);
    if (v) {
        old = v->holder;
        v->holder = h;
    }
    pthread_mutex_unlock(&g->lock);
    holder_unref(old);
    if (!v)
        free(h);
    return v ? kd_succeed() : KD_OUT_OF_MEMORY;
}

// ---- Launching ----------------------------------------------------------------------------

// Waits are for what was recorded before the launch, so they come before its own records.
static bool take_events(struct graph_launch *l, struct kd_queue *q) {
    struct kd_graph *g = l->graph;
    for (uint32_t i = 0; i < g->shape.n && g->nevents; i++) {
        const struct node *n = l->version->nodes[i];
        if (g->event_slot[i] && n->kind == KD_NODE_WAIT)
            l->events[g->event_slot[i] - 1] = event_take_record(n->event);
    }
    for (uint32_t k = 0; k < g->nevents && check_streams_follow(); k++)
        if (l->events[k] && q)
            check_streams_wait(q, l->events[k]);
    for (uint32_t i = 0; i < g->shape.n && g->nevents; i++) {
        const struct node *n = l->version->nodes[i];
        if (!g->event_slot[i] || n->kind != KD_NODE_RECORD)
            continue;
        struct op *op = op_new(q->context, OP_MARK);
        if (!op)
            return false;
        op->immediate = op->timed = true;
        op->queue = q;
        l->events[g->event_slot[i] - 1] = op;
    }
    return true;
}

// With the graph's lock. The launch has been submitted, and may have ended: before, who waits for
// the records in the queue would come before the launch, which would follow him.
static void set_records(struct kd_graph *g, const struct op *gate, struct kd_queue *q) {
    const struct graph_launch *l = gate->graph;
    for (uint32_t i = 0; i < g->shape.n && g->nevents; i++) {
        const struct node *n = g->version->nodes[i];
        if (!g->event_slot[i] || n->kind != KD_NODE_RECORD)
            continue;
        struct op *op = l->events[g->event_slot[i] - 1];
        check_streams_record(op, gate);
        event_set_record(n->event, op, q);
        op_unref(op);
    }
}

static void hold_records(struct kd_graph *g, const struct graph_launch *l) {
    for (uint32_t i = 0; i < g->shape.n && g->nevents; i++)
        if (g->event_slot[i] && g->version->nodes[i]->kind == KD_NODE_RECORD)
            op_ref(l->events[g->event_slot[i] - 1]);
}

static void drop_events(struct graph_launch *l) {
    for (uint32_t i = 0; i < l->graph->nevents; i++)
        if (l->events[i])
            op_unref(l->events[i]);
}

// With the graph's lock. The launch lies in the gate.
static struct op *gate_new(struct kd_graph *g, struct kd_context *c, struct kd_queue *q) {
    struct op *gate = op_new(c, OP_GRAPH);
    if (!gate)
        return NULL;
    size_t bytes = sizeof(struct graph_launch) + g->nevents * sizeof(struct op *);
    struct graph_launch *l = (struct graph_launch *)op_bytes(gate, bytes);
    if (!l) {
        op_unref(gate);
        return NULL;
    }
    memset(l, 0, bytes);
    l->graph = g;
    l->version = g->version;
    l->gate = gate;
    gate->graph = l;
    gate->units = gate->chunk = 1;
    if (!take_events(l, q)) {
        drop_events(l);
        op_unref(gate);
        return NULL;
    }
    atomic_fetch_add_explicit(&g->refs, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&g->version->refs, 1, memory_order_relaxed);
    return gate;
}

static void launch_ended(struct graph_launch *l) {
    version_unref(l->version, l->graph->shape.n);
    graph_unref(l->graph);
}

// With the graph's lock. Nodes were checked against the whole device when they were made.
static enum kd_status check_share(const struct kd_graph *g, const struct kd_queue *q) {
    const struct version *v = g->version;
    uint32_t has = (uint32_t)kd_queue_workers(q);
    for (uint32_t i = 0; q->share && i < g->shape.n; i++) {
        const struct node *n = v->nodes[i];
        if (n && v->enabled[i] && n->workers > has && n->context->device == q->context->device)
            return kd_fail(KD_COOPERATIVE_TOO_LARGE,
                           "a cooperative kernel of the graph needs %u multiprocessors to have all "
                           "of its blocks resident; the stream's green context has %u",
                           n->workers, has);
    }
    return KD_OK;
}

static enum kd_status launch(struct kd_graph *g, struct kd_queue *q) {
    enum kd_status status = check_share(g, q);
    if (status)
        return status;
    struct op *gate = gate_new(g, q->context, q);
    if (!gate)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for the launch of a graph");
    const struct graph_launch *l = gate->graph;
    hold_records(g, l);
    op_ref(gate);
    struct op *last = g->last;
    g->last = gate;
    status = queue_submit_after(q, gate, last);
    set_records(g, gate, q);
    if (last)
        op_unref(last);
    return status;
}

enum kd_status kd_graph_launch(struct kd_graph *g, struct kd_queue *q) {
    enum kd_status status = context_status(q->context);
    if (status)
        return status;
    kd_context_flush_printf(q->context);
    if (!scheduler_start(q->context->device))
        return kd_fail(KD_SYSTEM, "the system does not let the device start its worker threads");
    struct op *gate = NULL;
    pthread_mutex_lock(&g->lock);
    status = launch(g, q);
    if (check_host_follow() && !status && (gate = g->last))
        op_ref(gate);
    pthread_mutex_unlock(&g->lock);
    if (gate)
        check_host_submitted(gate);
    return status;
}

void kd_graph_set_handle(struct kd_graph *g, uint64_t handle) {
    g->handle = handle;
}

struct op *graph_gate_of(const struct op *node) {
    return node->run->launch->gate;
}

const struct check_nodes *graph_nodes_of(const struct op *gate) {
    return gate->graph->graph->order;
}

uint64_t graph_current_handle(const struct op *kernel) {
    return kernel->run ? kernel->run->graph->handle : 0;
}

// A graph runs once at a time; one that runs may come again behind itself.
static bool may_launch(struct kd_graph *g, const struct op *kernel, enum nested_graph_mode mode) {
    if (atomic_load(&g->queued))
        return false;
    return !atomic_load(&g->running) || (mode == NESTED_GRAPH_TAIL && g == kernel->run->graph);
}

enum kd_status graph_launch_nested(struct kd_graph *g, struct op *kernel,
                                   enum nested_graph_mode mode) {
    if (!kernel->run || g->nevents)
        return KD_INVALID_VALUE;
    struct op *from = kernel->run->launch->gate;
    pthread_mutex_lock(&g->lock);
    bool allowed = may_launch(g, kernel, mode);
    struct op *gate = allowed ? gate_new(g, from->context, NULL) : NULL;
    if (gate)
        atomic_fetch_add(&g->queued, 1);
    pthread_mutex_unlock(&g->lock);
    if (!gate)
        return allowed ? KD_OUT_OF_MEMORY : KD_INVALID_VALUE;
    gate->queue = from->queue;
    gate->share = share_ref(from->share);
    gate->priority = from->priority;
    gate->ranked = true;
    if (nested_submit_graph(from, gate, mode))
        return KD_OK;
    atomic_fetch_sub(&g->queued, 1);
    launch_ended(gate->graph);
    op_unref(gate);
    return KD_OUT_OF_RESOURCES;
}

bool kd_graph_idle(struct kd_graph *g) {
    pthread_mutex_lock(&g->lock);
    bool idle = !g->last || op_ended(g->last);
    pthread_mutex_unlock(&g->lock);
    return idle;
}

// ---- Running ------------------------------------------------------------------------------

static uint8_t op_kind_of(const struct node *n) {
    switch (n->kind) {
    case KD_NODE_LAUNCH:
        return OP_LAUNCH;
    case KD_NODE_COPY:
        return OP_COPY;
    case KD_NODE_SET:
        return OP_SET;
    case KD_NODE_HOST:
        return OP_HOST;
    case KD_NODE_CALL:
        return OP_CALL;
    case KD_NODE_VALUES:
        return OP_VALUES;
    case KD_NODE_CONDITION:
        return OP_CONDITION;
    default:
        return OP_MARK;
    }
}

static struct op *op_of_port(struct graph_run *r, uint32_t node) {
    return node ? op_at(r, node) : NULL;
}

static void load_ports(struct graph_run *r, struct op *op) {
    const struct graph_ports *p = &r->graph->shape.ports;
    if (!p->at || op->node >= p->n)
        return;
    op->triggered = op_of_port(r, p->at[op->node].mark[0]);
    op->begun = op_of_port(r, p->at[op->node].mark[1]);
    op->completion = op_of_port(r, p->at[op->node].completion);
}

// The operation of node i, as version v has it, but for what comes from the launch.
static void load(struct graph_run *r, const struct version *v, uint32_t i) {
    struct op *op = op_at(r, i);
    struct node *n = v->nodes[i];
    memset(op, 0, OP_STRIDE);
    op->run = r;
    op->node = i;
    op->kind = n && v->enabled[i] ? op_kind_of(n) : OP_MARK;
    op->units = op->chunk = 1;
    r->local[i] = n && n->local;
    if (!n)
        return;
    load_ports(r, op);
    op->units = n->units;
    op->chunk = n->chunk;
    if (n->kind == KD_NODE_LAUNCH)
        op->launch = n->launch;
    else if (n->kind == KD_NODE_COPY)
        op->copy = n->copy;
    else if (n->kind == KD_NODE_SET)
        op->set = n->set;
    else if (n->kind == KD_NODE_VALUES)
        op->values.list = n->values.list, op->values.n = n->values.n;
    else if (n->kind == KD_NODE_CONDITION)
        op->condition = &n->condition;
    else if (n->kind == KD_NODE_HOST || n->kind == KD_NODE_CALL)
        op->host.fn = n->host.fn, op->host.arg = n->host.arg, op->host.always = n->host.always;
}

static uint64_t serial_of(const struct version *v, uint32_t i) {
    return v->nodes[i] ? 2 * v->nodes[i]->serial + v->enabled[i] : 1;
}

static void prepare(struct graph_run *r) {
    const struct version *v = r->launch->version;
    struct op *gate = r->launch->gate;
    uint32_t n = r->graph->shape.n;
    bool moved = r->queue != gate->queue || r->context != gate->context ||
                 r->priority != gate->priority || r->share != gate->share;
    if (r->version == v->serial && !moved)
        return;
    for (uint32_t i = 0; i < n; i++) {
        struct op *op = op_at(r, i);
        if (r->serials[i] != serial_of(v, i)) {
            load(r, v, i);
            r->serials[i] = serial_of(v, i);
        }
        op->context = v->nodes[i] && v->nodes[i]->context ? v->nodes[i]->context : gate->context;
        op->device = op->context->device;
        op->queue = gate->queue;
        op->share = op->device == gate->device ? gate->share : NULL;
        op->priority =
            v->nodes[i] && v->nodes[i]->own_priority ? v->nodes[i]->priority : gate->priority;
    }
    r->version = v->serial;
    r->queue = gate->queue;
    r->context = gate->context;
    r->priority = gate->priority;
    r->share = gate->share;
}

static void reset(struct graph_run *r, const struct region *region) {
    uint64_t grid = launch_new_grids(region->n);
    for (uint32_t k = 0; k < region->n; k++) {
        struct op *op = op_at(r, region->nodes[k]);
        uint32_t before = r->graph->shape.indegree[op->node];
        op->nedges = 0;
        atomic_store_explicit(&op->pending, before ? (int)before : 1, memory_order_relaxed);
        atomic_store_explicit(&op->taken, 0, memory_order_relaxed);
        atomic_store_explicit(&op->done_units, 0, memory_order_relaxed);
        atomic_store_explicit(&op->blocks_triggered, 0, memory_order_relaxed);
        atomic_store_explicit(&op->blocks_begun, 0, memory_order_relaxed);
        if (op->kind == OP_VALUES)
            op->values.at = 0;
        if (op->kind == OP_LAUNCH) {
            op->launch.gridid = grid + k;
            op->launch.workspace.barrier = 0;
        }
        if (check_streams_follow())
            check_streams_node(op, (uint32_t)(grid + k) + 1);
    }
}

// False: the region has no nodes. What belongs to the run must not be touched after the last root
// was made ready, when the whole run may end.
static bool start_region(struct graph_run *r, uint32_t index, struct worklist *w) {
    const struct region *region = &r->graph->shape.regions[index];
    uint32_t nroots = region->nroots;
    const uint32_t *roots = region->roots;
    uint8_t *ops = r->ops;
    if (!region->n)
        return false;
    if (index)
        reset(r, region);
    atomic_store_explicit(&r->left[index], region->nsinks, memory_order_relaxed);
    for (uint32_t k = 0; k < nroots; k++)
        op_release((struct op *)(ops + (size_t)roots[k] * OP_STRIDE), w);
    return true;
}

static void lock_updates(struct kd_graph *g) {
    if (g->updatable)
        pthread_mutex_lock(&g->lock);
}

static void unlock_updates(struct kd_graph *g) {
    if (g->updatable)
        pthread_mutex_unlock(&g->lock);
}

static void run_ended(struct graph_run *r, struct worklist *w) {
    struct graph_launch *l = r->launch;
    struct nested *environment = atomic_load_explicit(&l->gate->environment, memory_order_acquire);
    struct kd_graph *g = l->graph; // l lies in the gate, which may go
    lock_updates(g);               // which look at the launch
    atomic_fetch_sub(&g->running, 1);
    unlock_updates(g);
    struct version *v = l->version;
    if (environment)
        nested_child_ended(environment, false, w);
    else
        op_push_ended(w, l->gate);
    version_unref(v, g->shape.n);
    graph_unref(g);
}

// ---- Conditional nodes --------------------------------------------------------------------

// The region that the node runs next; -1: none, it has ended.
static int64_t next_region(const struct op *op, bool again) {
    const struct kd_condition *c = op->condition;
    if (context_faulted(op->context) || (again && c->kind != KD_CONDITION_WHILE))
        return -1;
    uint32_t value = __atomic_load_n(c->value, __ATOMIC_ACQUIRE);
    uint32_t turn = c->kind == KD_CONDITION_SWITCH ? value : value == 0;
    return turn < c->n ? (int64_t)c->first + turn : -1;
}

static void condition_step(struct op *op, bool again, struct worklist *w) {
    for (;; again = true) {
        int64_t region = next_region(op, again);
        if (region < 0) {
            op_push_ended(w, op);
            return;
        }
        if (start_region(op->run, (uint32_t)region, w))
            return;
    }
}

static void region_ended(struct graph_run *r, uint32_t index, struct worklist *w) {
    if (index)
        condition_step(op_at(r, r->graph->shape.regions[index].owner), true, w);
    else
        run_ended(r, w);
}

// ---- Events -------------------------------------------------------------------------------

// Before any node starts: later only the predecessors are left to wait for.
static void wait_for_events(struct graph_run *r) {
    struct graph_launch *l = r->launch;
    struct kd_graph *g = r->graph;
    for (uint32_t i = 0; i < g->shape.n && g->nevents; i++) {
        if (!g->event_slot[i] || l->version->nodes[i]->kind != KD_NODE_WAIT)
            continue;
        struct op *before = l->events[g->event_slot[i] - 1];
        if (before) {
            op_after(op_at(r, i), before); // the edge is one of those that an operation has
            op_unref(before);
        }
    }
}

static void record_happened(const struct graph_run *r, uint32_t i, struct worklist *w) {
    const struct kd_graph *g = r->graph;
    if (g->event_slot && g->event_slot[i] && r->launch->version->nodes[i]->kind == KD_NODE_RECORD)
        op_release(r->launch->events[g->event_slot[i] - 1], w);
}

void graph_cancel(struct op *gate, struct worklist *w) {
    struct graph_launch *l = gate->graph;
    struct kd_graph *g = l->graph;
    for (uint32_t i = 0; i < g->shape.n && g->nevents; i++) {
        struct op *op = g->event_slot[i] ? l->events[g->event_slot[i] - 1] : NULL;
        if (op && l->version->nodes[i]->kind == KD_NODE_RECORD)
            op_release(op, w);
        else if (op)
            op_unref(op);
    }
    launch_ended(l);
}

// ---- Nodes --------------------------------------------------------------------------------

void graph_begin(struct op *gate, struct worklist *w) {
    struct graph_launch *l = gate->graph;
    if (gate->parent)
        atomic_fetch_sub(&l->graph->queued, 1);
    if (context_faulted(gate->context)) {
        graph_cancel(gate, w);
        op_push_ended(w, gate);
        return;
    }
    lock_updates(l->graph);
    atomic_fetch_add(&l->graph->running, 1);
    struct graph_run *r = run_take(l->graph);
    r->launch = l;
    prepare(r);
    reset(r, &r->graph->shape.regions[0]);
    unlock_updates(l->graph);
    for (size_t i = 0; i < l->version->ncells; i++)
        __atomic_store_n(l->version->cells[i].cell, l->version->cells[i].value, __ATOMIC_RELEASE);
    wait_for_events(r);
    if (!start_region(r, 0, w))
        run_ended(r, w);
}

// In a large graph nothing is in the caches any more when its turn comes: nodes run about in the
// order in which they were made.
static void prefetch_behind(struct graph_run *r, uint32_t node) {
    enum { AHEAD = 3 };
    if (r->graph->updatable || node + AHEAD >= r->graph->shape.n)
        return;
    const char *later = (const char *)op_at(r, node + AHEAD);
    for (size_t at = 0; at < offsetof(struct op, inline_bytes); at += 64)
        __builtin_prefetch(later + at, 1);
    const struct op *next = op_at(r, node + 1);
    if (next->kind == OP_LAUNCH)
        __builtin_prefetch(next->launch.params);
}

// A node that other nodes could run beside goes to other threads, unless it is known to be short.
static bool run_here(struct op *op) {
    struct runner *runner = runner_current();
    struct graph_run *r = op->run;
    if (!runner || !runner->running || op->units > LOCAL_UNITS ||
        op->device != r->launch->gate->device || (op->share && op->share != runner->share))
        return false;
    if (!r->local[op->node])
        return false;
    prefetch_behind(r, op->node);
    unsigned cost = atomic_load_explicit(&r->costs[op->node], memory_order_relaxed);
    if (op->device->scheduler.slots > 1) {
        if (op->units > 1 && cost > LONG_NS)
            return false;
        if (runner->local && (cost == 0 || cost > SHORT_NS))
            return false;
    }
    op->began_ns = r->graph->shape.branches || op->units > 1;
    op->ready_next = runner->local;
    runner->local = op;
    return true;
}

bool graph_node_ready(struct op *op, struct worklist *w) {
    switch (op->kind) {
    case OP_LAUNCH:
    case OP_COPY:
    case OP_SET:
        return run_here(op);
    case OP_HOST:
    case OP_VALUES:
        return false;
    case OP_CALL:
        if (op->host.always || !context_faulted(op->context))
            op->host.fn(op->host.arg, context_faulted(op->context) ? KD_FAULTED : KD_OK);
        break;
    case OP_CONDITION:
        condition_step(op, false, w);
        return true;
    default:
        break;
    }
    op_push_ended(w, op);
    return true;
}

static void note_cost(struct op *op) {
    if (op->began_ns > 1) {
        uint64_t ns = kd_now_ns() - op->began_ns + 1;
        unsigned cost = ns < UINT32_MAX ? (unsigned)ns : UINT32_MAX;
        atomic_store_explicit(&op->run->costs[op->node], cost, memory_order_relaxed);
    }
    op->began_ns = 0;
}

// After the last successor was made ready, or the last sink counted, the run may be gone.
void graph_node_ended(struct op *op, struct worklist *w) {
    struct graph_run *r = op->run;
    const struct shape *s = &r->graph->shape;
    uint32_t i = op->node, e = s->first_out[i], end = s->first_out[i + 1];
    const uint32_t *out = s->out;
    uint8_t *ops = r->ops;
    note_cost(op);
    record_happened(r, i, w);
    if (e == end) {
        uint32_t region = s->region[i];
        if (atomic_fetch_sub_explicit(&r->left[region], 1, memory_order_acq_rel) == 1)
            region_ended(r, region, w);
        return;
    }
    for (; e < end; e++)
        op_release((struct op *)(ops + (size_t)out[e] * OP_STRIDE), w);
}
