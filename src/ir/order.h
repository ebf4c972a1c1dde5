// Order and dominance of the blocks of a function.
#ifndef KUDZU_IR_ORDER_H
#define KUDZU_IR_ORDER_H

#include "ir/ir.h"

enum { KIR_UNREACHABLE = UINT32_MAX };

struct kir_order {
    uint32_t n;       // reachable blocks
    uint32_t *blocks; // their ids in reverse postorder; blocks[0] is 0
    uint32_t *number; // by block id: position in blocks, KIR_UNREACHABLE when not there
    uint32_t *idom;   // by block id: id of the immediate dominator (entry: itself)
    uint32_t *in;     // by block id: preorder interval in the dominator tree
    uint32_t *out;
};

// The edges between blocks, by id: those of b go to succs[first_succ[b]] up to first_succ[b + 1],
// and come from preds[first_pred[b]] up to first_pred[b + 1].
struct kir_edges {
    uint32_t *first_succ, *succs, *first_pred, *preds;
};
struct kir_edges kir_edges_of(const struct kir_func *f, struct arena *a);

// Reverse postorder from terminators. Memory from `a`.
void kir_order_blocks(const struct kir_func *f, struct arena *a, struct kir_order *o);
// The same with idom, in and out; needs preds.
void kir_order_dominators(const struct kir_func *f, struct arena *a, struct kir_order *o);
// Whether block a dominates block b (reflexive); both reachable.
static inline bool kir_dominates(const struct kir_order *o, uint32_t a, uint32_t b) {
    return o->in[a] <= o->in[b] && o->out[b] <= o->out[a];
}

#endif
