// Teams whose groups load the same places at different instructions, as rows of threads do that
// each look at several rows of a tile: when each group runs some instructions behind the one before
// it, they load such a place at the same time, and once.
#ifndef KUDZU_PASSES_SKEW_H
#define KUDZU_PASSES_SKEW_H

#include "passes/flow/flow.h"

// A stretch of one block in which nothing orders what different groups do, and by how many
// instructions each group is behind the one before it; 0: that would gain nothing.
struct skew {
    struct kir_inst *end; // the instruction behind the stretch
    unsigned length, by;
};
struct skew skew_from(const struct flow *fl, struct kir_inst *from);

#endif
