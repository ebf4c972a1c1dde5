// By how much values change when something else goes on by one: the index of a block, the number
// that it has taken from a counter, the group of a team. Sums that wrap are not looked for: whoever
// uses an answer guesses, or tests it when it runs.
#ifndef KUDZU_PASSES_AFFINE_MOTION_H
#define KUDZU_PASSES_AFFINE_MOTION_H

#include "passes/affine/affine.h"
#include "passes/flow/flow.h"

// What is known of a value without its operands.
enum affine_moves {
    AFFINE_MOVES,   // by a constant, 0 where it stays
    AFFINE_FOLLOWS, // as its operands tell
    AFFINE_UNKNOWN
};

struct affine_mover {
    enum affine_moves (*moves)(const void *who, const struct kir_value *v, int64_t *by);
    const void *who;
};

struct affine_motion {
    uint8_t *known; // by value id
    int64_t *by;    // by value id
};

// Of all values, in one pass over the layout.
struct affine_motion *affine_motion_find(struct arena *a, const struct affine *f,
                                         const struct affine_mover *m);

// From a block to the next one of its row.
struct affine_motion *affine_by_block(struct arena *a, const struct affine *f);

// From a group of a team to the next one, in each lane alike.
struct affine_motion *affine_by_group(struct arena *a, const struct affine *f,
                                      const struct flow *fl);

// False: not by a constant that is known.
bool affine_moved(const struct affine_motion *m, const struct kir_value *v, int64_t *by);

#endif
