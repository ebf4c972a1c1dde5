// Work that kernels submit (guide 13): grids, copies and sets that belong to a parent grid.
//
// A grid has ended when its blocks have and all that they submitted: its operation is ended late.
// What goes into a stream of the grid, or the NULL stream of a block, waits for what is there
// already. Tail launches are kept until all else has ended, and then run one after the other.
//
// Called from kernel code: no memory that a kernel named is touched here, nothing waits, but for a
// kernel that has to be compiled first; that is done by a thread of its own, for the compiler needs
// more stack than kernels have.
#ifndef KUDZU_DEVICE_NESTED_H
#define KUDZU_DEVICE_NESTED_H

#include <stdbool.h>
#include <stdint.h>

#include "device/sched/op.h"

struct resident;

enum { NESTED_MAX_DEPTH = 24 };

// Where an operation goes.
enum nested_place { NESTED_BLOCK, NESTED_STREAM, NESTED_FORGET, NESTED_TAIL };

// Streams and events have numbers that no other of the process has, so that one of another grid is
// found out. 0: no memory.
uint64_t nested_stream_new(struct op *grid);
bool nested_stream_free(struct op *grid, uint64_t stream);
bool nested_stream_known(struct op *grid, uint64_t stream);
uint64_t nested_event_new(struct op *grid);
bool nested_event_free(struct op *grid, uint64_t event);
bool nested_event_known(struct op *grid, uint64_t event);
// What is in the stream now. `tail`: of the NULL stream of the calling block.
void nested_event_record(struct op *grid, uint64_t event, enum nested_place place, uint64_t stream,
                         struct op *tail);
// What comes into the stream from now on waits for the event. False: no memory.
bool nested_stream_wait(struct op *grid, enum nested_place place, uint64_t stream,
                        struct op **block_tail, uint64_t event);

// A launch that has not been submitted yet, with its parameters; NULL with the status.
// launch_prepare on a kernel's stack: code that has to be made is made by another thread.
enum kd_status nested_prepare(struct op *op, const struct kd_launch_config *config);
struct op *nested_launch_new(struct op *grid, const struct kd_launch_config *config,
                             enum kd_status *status);
// A copy or set, to be filled and planned by the caller. NULL: no memory.
struct op *nested_op_new(struct op *grid, enum op_kind kind);
// Hands it over. block_tail: the last operation of the calling block's NULL stream. False: no
// memory, and the operation is gone.
bool nested_submit(struct op *grid, struct op *op, enum nested_place place, uint64_t stream,
                   struct op **block_tail);

// The grid whose thread has launched op; NULL: the host has, or a graph.
const struct op *nested_launcher(const struct op *op);

// All blocks of a grid have run.
void nested_grid_ended(struct op *grid);
// An operation with a parent has ended.
void nested_child_ended(struct nested *parent, bool sibling, struct worklist *w);

// A graph that a kernel of the graph behind `from`, a gate, launches (guide 6.2.8.7.7).
// Environments are kept as grids are: a gate ends when its nodes have and all that they launched.
enum nested_graph_mode { NESTED_GRAPH_TAIL = 1, NESTED_GRAPH_FORGET, NESTED_GRAPH_SIBLING };
// False: no memory, or too many launches; then the gate is still the caller's.
bool nested_submit_graph(struct op *from, struct op *gate, enum nested_graph_mode mode);

#endif
