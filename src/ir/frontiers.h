// Dominance frontiers: of each block the blocks where ways on which it is passed meet others.
#ifndef KUDZU_IR_FRONTIERS_H
#define KUDZU_IR_FRONTIERS_H

#include "support/arena.h"
#include "support/vec.h"

struct frontier {
    uint32_t block, next; // next: plus one
};

// Lists in which the blocks that come last in `order` stand first. Those below a block and its own
// have their tails in common: of loops inside each other each one's list is the next outer one's
// with one block more.
struct frontiers {
    struct arena *a; // what follows up to `turn` is given
    uint32_t nblocks, nreached;
    const uint32_t *order;              // blocks that are reached, dominators first
    const uint32_t *idom;               // by block, of those that are reached
    const uint32_t *first_pred, *preds; // of b: preds[first_pred[b]] up to first_pred[b + 1]
    uint32_t *turn;                     // by block: its place in order; UINT32_MAX: not there
    uint32_t *first;                    // by block: of items, plus one
    VEC(struct frontier) items;
};

// Finds them all. Each item is a step of work (support/work.h).
void frontiers_find(struct frontiers *f);

static inline const struct frontier *frontier_at(const struct frontiers *f, uint32_t k) {
    return k ? &f->items.data[k - 1] : NULL;
}

// The list of a block; NULL: it is empty.
static inline const struct frontier *frontier_first(const struct frontiers *f, uint32_t block) {
    return frontier_at(f, f->first[block]);
}

static inline const struct frontier *frontier_next(const struct frontiers *f,
                                                   const struct frontier *at) {
    return frontier_at(f, at->next);
}

#endif
