// Executable graphs: many operations with the order between them, prepared once and run often.
//
// The shape of a graph never changes. What a node does is a block of its own, prepared when it is
// set; the list of these blocks, a version, is shared by the launches that are queued, and copied
// before a change while there are any. A launch is a gate, the operation that stands in the stream,
// and costs the same for any number of nodes. When its turn comes the nodes' operations, which the
// graph keeps in one piece of memory, are made ready to run; launches of one graph follow each
// other, so one such piece is enough. The thread that ends a node makes its successors ready, and
// runs short kernels among them itself.
#ifndef KUDZU_DEVICE_GRAPH_H
#define KUDZU_DEVICE_GRAPH_H

#include "device/exec/runner.h"
#include "device/sched/nested.h"
#include "device/sched/op.h"

struct graph_run; // begins with its count of references

// The gate's turn has come: starts the nodes.
void graph_begin(struct op *gate, struct worklist *w);
// The gate will not begin: what waits for the nodes goes on. The gate itself is the caller's.
void graph_cancel(struct op *gate, struct worklist *w);
// A node's operation has ended.
void graph_node_ended(struct op *op, struct worklist *w);
// A node's operation is ready. False: the scheduler has to run it.
bool graph_node_ready(struct op *op, struct worklist *w);
void graph_run_unref(struct graph_run *r);
// A launch by a kernel that is a node of a graph. KD_INVALID_VALUE: it is none, or g runs or will;
// KD_OUT_OF_RESOURCES: too many launches.
enum kd_status graph_launch_nested(struct kd_graph *g, struct op *kernel,
                                   enum nested_graph_mode mode);
// Of the graph that the kernel is a node of; 0: it has none, or is no node.
uint64_t graph_current_handle(const struct op *kernel);
// The gate of the launch that a node's operation belongs to, and how a gate's nodes follow each
// other.
struct op *graph_gate_of(const struct op *node);
const struct check_nodes *graph_nodes_of(const struct op *gate);

#endif
