// What orders launches, copies and sets of the host: streams, events, graphs, and calls that wait.
#ifndef KUDZU_DEVICE_CHECK_STREAMS_H
#define KUDZU_DEVICE_CHECK_STREAMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct check_known;
struct check_vector;
struct host_call;
struct kd_check_site;
struct kd_context;
struct kd_queue;
struct kd_share;
struct op;

// How the nodes of a graph follow each other; NULL: each one follows all others.
struct check_nodes;

// Of an operation that was submitted to a queue: its place there, and the places of other queues
// that are before it. `known` is NULL where nothing is followed.
struct check_place {
    struct check_known *known;
    const struct check_nodes *nodes; // of a graph's launch
    uint64_t queue;
    uint32_t at;
    uint32_t overlaps; // number of the launch in front, if this one may begin before that one ends
    bool waited;       // some block of this one has waited for that one
    bool asked;        // of an event: it was asked for already
    // Of what a kernel has launched, whose queue is a stream of its own: see check_children.h.
    uint32_t parent; // number of the kernel's grid; 0: the host has launched it
    bool tail;
    struct check_vector *launcher; // what the thread knew that has launched it, held; NULL: nothing
    const struct kd_check_site *site; // of a copy or set: where it was submitted; NULL: not known
};
// Of a queue: that of its last operation.
struct check_line {
    struct check_known *known;
    uint32_t at, host; // host: how often that had learned
    uint32_t launch;   // number of the last operation if that is a launch
    uint32_t asked;    // place of the last operation when the queue was asked for
};

// There may be work that nothing orders, and races between operations are looked for.
extern atomic_bool check_streams_on;
static inline bool check_streams_follow(void) {
    return __builtin_expect(atomic_load_explicit(&check_streams_on, memory_order_relaxed), 0);
}
// From now on operations are followed: there are streams, or graphs with several nodes.
void check_streams_begin(void);
// Something orders operations that is not followed: nothing is told of them any more.
void check_streams_give_up(void);

// An operation is about to become the last one of q, and behind `before` (may be NULL).
void check_streams_submit(struct kd_queue *q, struct op *op, struct op *before);
// A node of a graph is about to run, as the number `number` of all operations.
void check_streams_node(struct op *op, uint32_t number);
// A kernel has let dependent launches begin, or has waited for what it depends on (guide 6.2.8.6).
// That one block has waited counts for all, as blocks may tell each other.
void check_streams_triggered(const struct op *op);
void check_streams_waited(struct op *op);
// What comes into q later is behind an operation, and all that this is behind.
void check_streams_wait(struct kd_queue *q, struct op *before);
// A kernel, a copy or a set becomes the last one of a stream of the grid that submits it, behind
// `last` (NULL: it is the first one); a tail launch is of no stream. And what is behind it there is
// behind `event`, too (may be NULL).
void check_streams_child(struct op *op, struct op *grid, const struct op *last,
                         const struct op *event, bool tail);
bool check_streams_place_before(const struct check_place *p, uint64_t queue, uint32_t at);
// An operation is behind all that was submitted to the context's queues, or to those of a share.
void check_streams_after_all(struct op *op, struct kd_context *c, const struct kd_share *share);
// An event of a graph's launch is recorded: what waits for it is behind the launch.
void check_streams_record(struct op *record, const struct op *gate);
void check_place_drop(struct check_place *p);
// The queue is gone. Its work has ended, but nobody has waited for it so far.
void check_line_drop(struct kd_queue *q);

// What a host thread is about to wait for, and what it has waited for then. NULL: nothing.
struct check_known *check_streams_of_queue(struct kd_queue *q);
struct check_known *check_streams_of_context(struct kd_context *c, const struct kd_share *share);
struct check_known *check_streams_of_op(struct op *op);
// Both take the reference.
void check_streams_learned(struct check_known *k);
void check_streams_forget(struct check_known *k);
// A host thread asks whether an event has happened, or q has no work left, and it is so. True: the
// answer is to be that it is not so, once, as it may be: who does not look at it goes on without
// having waited. known: that of check_streams_of_queue, may be NULL.
bool check_streams_answer_later(struct op *record);
bool check_streams_answer_later_of(struct kd_queue *q, const struct check_known *known);

// For s nodes, edges from first_out[i] to first_out[i + 1] in `out`. NULL: no memory, or too many.
struct check_nodes *check_nodes_new(uint32_t n, const uint32_t *first_out, const uint32_t *out,
                                    const uint32_t *indegree);

// Is the operation with a number, other than op's, before op?
bool check_streams_before(const struct op *op, uint32_t number);
// Has the host waited for the operation with a number?
bool check_streams_host_knows(uint32_t number);
// The place that counts for an operation: its own, or that of what it is part of.
const struct check_place *check_streams_place(const struct op *op);
// Is a place before what op does, or that of op itself?
bool check_streams_op_knows(const struct op *op, uint64_t queue, uint32_t at, uint32_t number);
// All that is over when an operation ends, held; NULL: nothing is followed.
struct check_known *check_streams_released(const struct op *op);
// An operation that runs has come to know k; NULL: all operations there are so far.
void check_streams_acquired(const struct op *op, struct check_known *k);
// An operation has read what another one wrote that nothing orders before it, and may know of it
// now.
void check_streams_told(const struct op *op, uint32_t number);
// What is known of an operation's place and shape, to tell of it. False: it is too long ago.
struct check_item {
    uint64_t queue;
    uint32_t at, parent; // as of its place
    bool tail;
    uint32_t ntid[2], nctaid[2]; // of a launch
    bool is_launch, in_graph, unchecked;
    bool triggers;                    // dependent launches may have begun before it ended
    const struct host_call *call;     // of a copy or set; NULL: not known
    const struct kd_check_site *site; // the same of a kernel's; NULL: not known
};
bool check_streams_item(uint32_t number, struct check_item *out);

#endif
