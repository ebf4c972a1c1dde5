// Copies and sets as operations.
#ifndef KUDZU_DEVICE_COPY_H
#define KUDZU_DEVICE_COPY_H

#include "device/sched/op.h"

struct runner;

// Divides the work into units; a short one becomes immediate.
void copy_plan(struct op *op);
void set_plan(struct op *op);
// Runs units [first, first + n), which the caller reports.
void copy_run(struct runner *r, struct op *op, uint64_t first, uint64_t n);
// A copy of one row that is short enough to be made by the caller at once, without an operation.
enum { COPY_AT_ONCE = 16 << 10 };
void copy_at_once(struct kd_context *c, const struct kd_copy *copy);
// All of an immediate operation, on the calling thread; does not report.
void copy_run_immediate(struct op *op);

#endif
