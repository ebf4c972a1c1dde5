// Edges of a graph that leave a launch before its end (guide 6.2.8.6.3), as marks and edges of the
// ordinary kind: a mark for each port that is used, which the launch tells, and for each node that
// such edges lead to a completion, which comes after it and all that it depends on, and which
// others depend on in its place (dependent.h).
#ifndef KUDZU_DEVICE_GRAPH_PORTS_H
#define KUDZU_DEVICE_GRAPH_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"

// Of a node. Numbers of other nodes; 0: none, for these come behind those that there were before.
struct node_ports {
    uint32_t mark[2]; // of KD_PORT_TRIGGER, KD_PORT_BEGIN
    uint32_t completion;
};

struct graph_ports {
    uint32_t n;            // nodes
    struct node_ports *at; // by node; NULL: all edges are of KD_PORT_END
    uint32_t *from, *to, *region;
};

// *whole: what the device runs in place of `shape`, until graph_ports_close. False: no memory.
bool graph_ports_open(struct graph_ports *p, const struct kd_graph_shape *shape,
                      struct kd_graph_shape *whole);
void graph_ports_close(struct graph_ports *p);
void graph_ports_free(struct graph_ports *p);

#endif
