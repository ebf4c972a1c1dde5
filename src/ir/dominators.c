#include "ir/dominators.h"

#include <string.h>

// Nodes go by their number in depth-first order here, but in the graph.
struct finder {
    const struct dominator_graph *g;
    uint32_t *number;           // by node of the graph; NONE: not reached
    uint32_t *node;             // by number
    uint32_t *parent;           // in the depth-first tree
    uint32_t *semi;             // semidominator
    uint32_t *ancestor, *label; // the forest of what has been linked; NONE: a root
    uint32_t *bucket, *next;    // numbers by their semidominator
    uint32_t *path;
    uint32_t *idom;
};

static uint32_t depth_first(struct finder *d, uint32_t *at) {
    const struct dominator_graph *g = d->g;
    uint32_t n = 0, depth = 0;
    d->number[g->root] = n;
    d->node[n++] = g->root;
    d->path[depth++] = g->root;
    while (depth) {
        uint32_t v = d->path[depth - 1];
        if (at[v] == g->first_succ[v + 1] - g->first_succ[v]) {
            depth--;
            continue;
        }
        uint32_t w = g->succs[g->first_succ[v] + at[v]++];
        if (d->number[w] != DOMINATORS_NONE)
            continue;
        d->parent[n] = d->number[v];
        d->number[w] = n;
        d->node[n++] = w;
        d->path[depth++] = w;
    }
    return n;
}

// Of v and what is above it in the forest, but for the tree's root, the one with the least
// semidominator. The way up becomes short.
static uint32_t eval(struct finder *d, uint32_t v) {
    uint32_t n = 0;
    if (d->ancestor[v] == DOMINATORS_NONE)
        return v;
    for (uint32_t u = v; d->ancestor[d->ancestor[u]] != DOMINATORS_NONE; u = d->ancestor[u])
        d->path[n++] = u;
    while (n) {
        uint32_t u = d->path[--n], above = d->ancestor[u];
        if (d->semi[d->label[above]] < d->semi[d->label[u]])
            d->label[u] = d->label[above];
        d->ancestor[u] = d->ancestor[above];
    }
    return d->label[v];
}

static void empty_bucket(struct finder *d, uint32_t of) {
    for (uint32_t v = d->bucket[of], next; v != DOMINATORS_NONE; v = next) {
        uint32_t u = eval(d, v);
        next = d->next[v];
        d->idom[v] = d->semi[u] < d->semi[v] ? u : of;
    }
    d->bucket[of] = DOMINATORS_NONE;
}

static void find_semidominator(struct finder *d, uint32_t w) {
    const struct dominator_graph *g = d->g;
    uint32_t node = d->node[w];
    for (uint32_t k = g->first_pred[node]; k < g->first_pred[node + 1]; k++) {
        uint32_t v = d->number[g->preds[k]];
        if (v == DOMINATORS_NONE)
            continue;
        uint32_t s = d->semi[eval(d, v)];
        if (s < d->semi[w])
            d->semi[w] = s;
    }
}

uint32_t dominators_find(struct arena *tmp, const struct dominator_graph *g, uint32_t *idom,
                         uint32_t *order) {
    uint32_t n = g->n;
    struct finder d = {.g = g};
    uint32_t **arrays[] = {&d.number, &d.node,   &d.parent, &d.semi, &d.ancestor,
                           &d.label,  &d.bucket, &d.next,   &d.path, &d.idom};
    for (uint32_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = arena_array(tmp, uint32_t, n + 1);
    memset(d.number, 0xff, n * sizeof *d.number);
    memset(d.ancestor, 0xff, n * sizeof *d.ancestor);
    memset(d.bucket, 0xff, n * sizeof *d.bucket);
    memset(idom, 0xff, n * sizeof *idom);
    uint32_t reached = depth_first(&d, arena_array(tmp, uint32_t, n + 1));
    for (uint32_t w = 0; w < reached; w++)
        d.semi[w] = d.label[w] = w;
    for (uint32_t w = reached; w-- > 1;) {
        find_semidominator(&d, w);
        d.next[w] = d.bucket[d.semi[w]];
        d.bucket[d.semi[w]] = w;
        d.ancestor[w] = d.parent[w];
        empty_bucket(&d, d.parent[w]);
    }
    for (uint32_t w = 1; w < reached; w++)
        if (d.idom[w] != d.semi[w])
            d.idom[w] = d.idom[d.idom[w]];
    for (uint32_t w = 0; w < reached; w++) {
        idom[d.node[w]] = d.node[d.idom[w]];
        order[w] = d.node[w];
    }
    return reached;
}
