// Values in a team: neighbouring groups of lanes that run together, instruction by instruction.
// A value's lag is the distance between the bases (uniform values, or the bases of offsets) of
// one group and the next one. What has a lag is computed for the first group alone.
#ifndef KUDZU_PASSES_TEAM_H
#define KUDZU_PASSES_TEAM_H

#include "passes/flow/flow.h"

enum { TEAM_UNKNOWN, TEAM_LAG, TEAM_DIFFERS };

// One pass over all instructions, from unknown to a lag to none; true when something changed.
bool team_pass(struct flow *fl);
// Sets fl->shared and fl->affine.
void team_finish(struct flow *fl);

#endif
