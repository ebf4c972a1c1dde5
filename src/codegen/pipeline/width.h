// How many lanes a vector has.
#ifndef KUDZU_PIPELINE_WIDTH_H
#define KUDZU_PIPELINE_WIDTH_H

#include "codegen/pipeline/traits.h"

// What the kernel's types, instructions and the launch want, before it is analysed.
unsigned choose_width(const struct cg *c, const struct traits *t);

// Does the kernel walk over memory in steps that depend on the grid (a grid-stride loop)? Each
// group then touches a small piece at each step, far from the last one: wider groups use more of
// every cache line and page.
bool has_grid_stride_loop(const struct flow *fl);

// Rows of blocks are 32 lanes wide, and a team of narrower groups would hold halves of rows, which
// have nothing at a constant distance: whole rows do.
bool rows_want_32(const struct cg *c);

// Rows of threads that pass through a kernel without loops, neighbours along memory (a stencil, a
// picture's filter): in vectors of a whole warp, a row's index and what is tested of it count once
// for more lanes.
bool rows_without_loops(const struct cg *c, const struct flow *fl);

// Where groups meet at barriers, vectors of two registers make half as many groups of a block: what
// each does to stop and to go on is done half as often, and more blocks are one team. Registers
// with masks pay for that by twice the lanes already.
bool groups_want_two_registers(const struct cg *c);

// How many lanes a kernel without teams gets whose threads leave loops in different iterations.
// Such a loop ends with a branch that waits for what the iteration computes, and often is
// mispredicted: no other group's work goes on meanwhile. Vectors of two or four registers are as
// many chains side by side, as far as what loops keep fits the registers.
unsigned width_for_latency(const struct cg *c, const struct flow *fl);

#endif
