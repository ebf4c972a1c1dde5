// How many groups of a block run together, instruction by instruction.
#ifndef KUDZU_PIPELINE_TEAM_H
#define KUDZU_PIPELINE_TEAM_H

#include "codegen/pipeline/pipeline.h"

enum {
    MAX_TEAM_INSTRUCTIONS = 3000,
    MAX_BLOCK_INSTRUCTIONS = 26000,
    MAX_WARP_INSTRUCTIONS = 4000, // of a block that is one vector
};

// The first instruction that forbids teams; NULL: none.
const struct kir_inst *team_forbidden(const struct kir_func *f);

// For notes: where the first loop ends an iteration; NULL: there is no loop.
const struct kir_inst *first_loop(const struct flow *fl);

// For notes: why groups do not run together.
unsigned no_team(struct cg *c, const char *why, const struct kir_inst *at);

// Barriers of a block that is one team cost nothing.
bool one_team_fits(const struct cg *c, unsigned groups);

// How many groups run together: as many as registers allow, where there is a loop in which all
// iterate alike. They share what they load alike, walk through memory side by side, and fill the
// latency of each other's chains of operations.
unsigned choose_team(struct cg *c, const struct flow *fl);

// A loop that each group leaves as one, but not all groups together, would run under masks in a
// team, and what it counts would differ from lane to lane: then groups run one by one. Unless most
// of the kernel gains by it: a tile with borders is loaded by such loops.
void try_team(struct pipeline *p);

// transposed.c: as many rows of a block as a line has words make a team where its threads' accesses
// lie in columns: see cg_transpose.c. The kernel has no loops, and no team for other reasons.
void try_transposed(struct pipeline *p, bool may_widen);

#endif
