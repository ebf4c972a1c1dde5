// Operations and their dependencies. An operation runs when all that it waits for has ended;
// finishing one makes its dependents ready. No lock: each operation counts its unfinished
// predecessors, and each predecessor keeps a list to which dependents are pushed until it ends.
#ifndef KUDZU_DEVICE_OP_H
#define KUDZU_DEVICE_OP_H

#include <stdatomic.h>

#include "device/check/check_streams.h"
#include "device/device.h"
#include "device/exec/launch.h"
#include "device/sync.h"

enum op_kind {
    OP_MARK,
    OP_LAUNCH,
    OP_COPY,
    OP_SET,
    OP_HOST,
    OP_CALL,
    OP_VALUES,
    OP_GRAPH,
    OP_CONDITION,
};

struct op_edge {
    struct op_edge *next;
    struct op *op; // the dependent
};

struct graph_run;
struct graph_launch;

enum { OP_EDGES = 3, OP_INLINE_BYTES = 1024 };
struct op {
    atomic_int pending; // predecessors that have not ended; one more until op_start
    atomic_int refs;
    _Atomic(struct op_edge *) dependents; // OP_ENDED once it has ended
    atomic_uint done;                     // 0; 1: ended; 2: not ended, threads sleep on it
    uint8_t kind;                         // enum op_kind
    uint8_t priority;                     // 0 goes first
    uint8_t nedges;
    bool immediate; // so short that the thread that makes it ready runs it
    bool timed;     // record ended_ns
    bool ranked;    // has a priority of its own, not its queue's
    bool started;   // ready list: units are being handed out
    struct op_edge edges[OP_EDGES];
    struct op_edge_block *more_edges;
    struct kd_device *device;
    struct kd_context *context;
    struct kd_queue *queue; // to tell queues apart; not to be followed
    uint64_t ended_ns;
    struct nested *parent; // nested.h: the grid whose thread submitted it; NULL: the host did
    bool tail;             // a tail launch of that grid
    bool sibling;          // a graph that its parent's end waits for, and not its tail launches
    _Atomic(struct nested *) environment; // of a graph's gate; NULL: its kernels launched no graph
    struct kd_share *share;               // its queue's; held, but by nodes of graphs
    bool counted; // counts among the context's pending launches until it begins
    bool early;   // can end before what is before it in its queue: dependent.h

    // dependent.h. The first two are held, but by nodes of graphs; NULL: nobody may ask.
    struct op *triggered;  // ends when all blocks have triggered or ended
    struct op *begun;      // ends when all blocks have begun
    struct op *completion; // ends when it has and what it overlaps with; NULL: nothing
    struct op *rest; // of the last operation of a queue: a grid, not waited for, that the next
                     // grid depends on, held; NULL: none
    _Atomic uint64_t blocks_triggered, blocks_begun;

    // Units are blocks of a launch, pieces of a copy; handed out in chunks, from the beginning on
    // or from both ends: handout.c.
    uint64_t units, chunk;
    uint32_t most;   // units of a small launch that are handed out at a time
    uint64_t piece;  // units a piece, where they are handed out in pieces: handout.c
    uint8_t pieces;  // 0: in chunks
    atomic_int crew; // threads that are worth it
    _Atomic uint64_t taken, done_units;
    atomic_uint failures;                      // blocks whose assertions failed
    _Atomic(struct kd_fault_record *) failure; // of the first of them: the launch ends with it
    struct op *ready_next, *ready_prev;        // scheduler's lists; free list
    // A node of a graph's run: its references are the run's. NULL: an operation of its own.
    struct graph_run *run;
    uint32_t node;
    uint64_t began_ns; // when a thread began to run the node, 0: not measured
    uint64_t ready_ns; // kernel_times.h: when the launch could begin, 0: not measured
    uint64_t quick_ns; // the same of launches in quick code
    struct check_place check;
    uint64_t delayed; // check_delay.h: the how manieth of those that were kept
    uint32_t number;  // check_streams.h: among all operations; 0: not followed

    union {
        struct kd_launch launch;
        struct kd_copy copy;
        struct kd_set set;
        struct {
            kd_host_fn fn;
            void *arg;
            bool always;
        } host; // and a call, which the thread that makes it ready makes
        struct {
            struct kd_value_op *list;
            uint32_t n, at; // at: the next one
        } values;
        struct graph_launch *graph;     // a gate: what it starts
        struct kd_condition *condition; // a conditional node
    };
    uint8_t *heap_bytes; // parameters or staged data that do not fit inline
    _Alignas(64) uint8_t inline_bytes[OP_INLINE_BYTES];
};

static inline struct op *launch_op(struct kd_launch *l) {
    return (struct op *)((char *)l - offsetof(struct op, launch));
}

// A new operation with one reference, which op_start hands to its execution. NULL: no memory.
struct op *op_new(struct kd_context *c, enum op_kind kind);
// Storage of the operation's own for n bytes, aligned to 64; NULL: no memory.
uint8_t *op_bytes(struct op *op, size_t n);
// op waits for `before`. Only before op_start. False: no memory.
bool op_after(struct op *op, struct op *before);
void op_start(struct op *op);

// Operations to be ended by this thread, linked by ready_next: ending one can end its dependents
// at once, and the chain may be long.
struct worklist {
    struct op *first;
};
static inline void op_push_ended(struct worklist *w, struct op *op) {
    op->ready_next = w->first;
    w->first = op;
}
// One of the things that op waits for has happened.
void op_release(struct op *op, struct worklist *w);
// Nothing is left that op waits for.
void op_ready(struct op *op, struct worklist *w);
void op_end_all(struct worklist *w);
// The launch ends with this fault when all of its blocks have been run. False: it has failed often
// enough, or there is no memory: now.
bool op_fails_at_end(struct op *op, const struct kd_fault_record *f);
// Units have run; the thread that reports the last one ends the operation.
void op_units_done(struct op *op, uint64_t n);
// Ends an operation without units (host functions).
void op_end(struct op *op);
static inline bool op_ended(const struct op *op) {
    return atomic_load_explicit(&op->done, memory_order_acquire) == 1;
}
static inline void op_ref(struct op *op) {
    atomic_int *refs = op->run ? (atomic_int *)op->run : &op->refs;
    atomic_fetch_add_explicit(refs, 1, memory_order_relaxed);
}
void op_unref(struct op *op);

// event.c: what an event stands for; held for the caller, NULL: never recorded.
struct op *event_take_record(struct kd_event *e);
// `mark` becomes the record, of a place in `launch`, which goes on behind it.
void event_set_early(struct kd_event *e, struct op *mark, struct op *launch);
// `op` becomes the record, in queue q before what is submitted from now on.
void event_set_record(struct kd_event *e, struct op *op, struct kd_queue *q);

#endif
