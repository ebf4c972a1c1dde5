// Grids that kernels launch: what orders them, the grids that launch them, and each other.
#ifndef KUDZU_DEVICE_CHECK_CHILDREN_H
#define KUDZU_DEVICE_CHECK_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

struct check_stamp;
struct kd_block;
struct op;

// A thread is about to launch or submit op, which knows what the thread knows. Only where races are
// looked for.
void check_child_launched(struct kd_block *b, uint32_t thread, struct op *op);
// Was the access made by a grid with the same outermost grid as op? *over: whether all that the
// access's warp did up to then is before what op does.
bool check_child_related(const struct op *op, const struct check_stamp *s, bool *over);
// The same for one thread that made the access, where it is not over for all of its warp.
bool check_child_knows(const struct op *op, const struct check_stamp *s, uint32_t thread);
// op has read strongly what a grid of the same outermost grid wrote so, and may know of it now.
void check_child_told(const struct op *op, uint32_t number);
// The outermost grid's number of all operations.
uint32_t check_child_root(uint32_t number);

#endif
