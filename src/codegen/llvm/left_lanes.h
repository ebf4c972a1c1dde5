// Which lanes have left a loop.
#ifndef KUDZU_CODEGEN_LEFT_LANES_H
#define KUDZU_CODEGEN_LEFT_LANES_H

#include "codegen/core/state.h"

// A loop that collects the lanes that leave it, iteration by iteration, and keeps those that stay,
// knows the first from the second: they are those that entered and do not stay. Where they are
// wanted behind the loop alone, the loop collects nothing any more.
void cg_find_left_lanes(struct cg *c);

#endif
