// Dominators of any directed graph, in nearly linear time.
#ifndef KUDZU_IR_DOMINATORS_H
#define KUDZU_IR_DOMINATORS_H

#include "support/arena.h"

// Nodes are 0 to n - 1. The edges of v go to succs[first_succ[v]] up to first_succ[v + 1], and come
// from preds[first_pred[v]] up to first_pred[v + 1].
struct dominator_graph {
    uint32_t n, root;
    const uint32_t *first_succ, *succs, *first_pred, *preds;
};

enum { DOMINATORS_NONE = UINT32_MAX };

// By node: its immediate dominator; the root: itself; not reachable from the root:
// DOMINATORS_NONE. order (n entries): the reachable nodes, each behind those that dominate it.
// Gives their number. Temporary memory from `tmp`. Lengauer and Tarjan: A Fast Algorithm for
// Finding Dominators in a Flowgraph, with simple linking: O(edges * log nodes).
uint32_t dominators_find(struct arena *tmp, const struct dominator_graph *g, uint32_t *idom,
                         uint32_t *order);

#endif
