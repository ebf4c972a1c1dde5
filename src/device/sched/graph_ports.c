#include "device/sched/graph_ports.h"

#include <stdlib.h>

#include "support/check/check_tools.h"

static void add_node(struct graph_ports *p, struct kd_graph_shape *whole, uint32_t *number,
                     uint32_t beside) {
    if (*number)
        return;
    *number = whole->nodes++;
    p->region[*number] = p->region[beside];
}

static void add_edge(struct graph_ports *p, struct kd_graph_shape *whole, uint32_t from,
                     uint32_t to) {
    p->from[whole->edges] = from;
    p->to[whole->edges++] = to;
}

static uint32_t end_of(const struct graph_ports *p, uint32_t node) {
    return p->at[node].completion ? p->at[node].completion : node;
}

// What `kudzu check` knows of the order between launches is that of their ends.
static bool any(const struct kd_graph_shape *shape) {
    bool found = false;
    if (check_tools())
        return false;
    for (uint32_t e = 0; e < shape->edges && shape->port; e++)
        found |= shape->port[e] != KD_PORT_END;
    return found;
}

// At most three nodes and three edges come to each edge, and an edge to each node.
static bool reserve(struct graph_ports *p, const struct kd_graph_shape *shape) {
    size_t nodes = (size_t)shape->nodes + 3 * (size_t)shape->edges;
    size_t edges = 3 * (size_t)shape->edges + shape->nodes;
    p->n = shape->nodes;
    p->at = calloc(p->n, sizeof *p->at);
    p->from = malloc(edges * sizeof *p->from);
    p->to = malloc(edges * sizeof *p->to);
    p->region = calloc(nodes, sizeof *p->region);
    return p->at && p->from && p->to && p->region;
}

bool graph_ports_open(struct graph_ports *p, const struct kd_graph_shape *shape,
                      struct kd_graph_shape *whole) {
    *whole = *shape;
    if (!any(shape))
        return true;
    if (!reserve(p, shape))
        return false;
    for (uint32_t i = 0; i < shape->nodes && shape->region; i++)
        p->region[i] = shape->region[i];
    whole->from = p->from;
    whole->to = p->to;
    whole->region = p->region;
    whole->port = NULL;
    whole->edges = 0;
    for (uint32_t e = 0; e < shape->edges; e++) {
        if (shape->port[e] == KD_PORT_END)
            continue;
        add_node(p, whole, &p->at[shape->from[e]].mark[shape->port[e] == KD_PORT_BEGIN],
                 shape->from[e]);
        add_node(p, whole, &p->at[shape->to[e]].completion, shape->to[e]);
    }
    for (uint32_t i = 0; i < shape->nodes; i++)
        if (p->at[i].completion)
            add_edge(p, whole, i, p->at[i].completion);
    for (uint32_t e = 0; e < shape->edges; e++) {
        uint32_t from = shape->from[e], to = shape->to[e];
        if (shape->port[e] == KD_PORT_END) {
            add_edge(p, whole, end_of(p, from), to);
            continue;
        }
        add_edge(p, whole, p->at[from].mark[shape->port[e] == KD_PORT_BEGIN], to);
        add_edge(p, whole, end_of(p, from), p->at[to].completion);
    }
    return true;
}

void graph_ports_close(struct graph_ports *p) {
    free(p->from);
    free(p->to);
    free(p->region);
    p->from = p->to = p->region = NULL;
}

void graph_ports_free(struct graph_ports *p) {
    graph_ports_close(p);
    free(p->at);
}
