// The shape of a function's control flow: dominators, loops, and the layout, an order of
// blocks in which every edge goes forward except edges to the header of a loop that
// contains their source, and in which the blocks of a loop are contiguous, header first.
#ifndef KUDZU_PASSES_CFG_H
#define KUDZU_PASSES_CFG_H

#include "ir/ir.h"

// Blocks of all loops, where a block counts once for each loop that it is in.
enum { CFG_MOST_NESTED = 200000000 };

struct cfg_loop {
    struct cfg_loop *parent, *outermost; // outermost: around it, or itself
    struct kir_block *header;
    uint32_t first, last; // positions in the layout
    uint32_t depth;       // 1: outermost
    bool irreducible;     // entered at several blocks
    bool in_irreducible;  // it or one around it
    uint32_t index;
};

struct cfg {
    struct kir_func *func;
    uint32_t nblocks;
    uint32_t func_blocks;         // of the function when it was analysed, unreachable ones too
    struct kir_block **order;     // the layout: reachable blocks
    uint32_t *pos;                // by block id; UINT32_MAX: not reachable
    struct cfg_loop **loop;       // by block id: innermost, or NULL
    VEC(struct cfg_loop *) loops; // outer before inner
    // The k-th target of block b: which of the target's preds that edge is, edge_pred[first_edge[b]
    // + k]. The p-th of its preds: which of that block's targets, pred_edge[first_pred[b] + p].
    uint32_t *first_edge, *edge_pred, *first_pred, *pred_edge;
    uint32_t *idom, *ipdom; // by block id: block id, or UINT32_MAX (none, or the exit)
    // By block id: what is below a block in the tree of (post)dominators has these numbers.
    uint32_t *dom_in, *dom_last, *pdom_in, *pdom_last;
};

// Analyses f; everything lives in `a`. NULL: its loops lie inside each other so deeply that what is
// done for all blocks of each loop would take no bounded time (CFG_MOST_NESTED).
struct cfg *cfg_build(struct arena *a, struct kir_func *f);
bool cfg_dominates(const struct cfg *c, const struct kir_block *x, const struct kir_block *y);
bool cfg_postdominates(const struct cfg *c, const struct kir_block *x, const struct kir_block *y);
bool cfg_in_loop(const struct cfg_loop *l, const struct cfg_loop *inner); // inner is l or inside
// The innermost loop that contains both; NULL: none.
struct cfg_loop *cfg_common_loop(struct cfg_loop *x, struct cfg_loop *y);

#endif
