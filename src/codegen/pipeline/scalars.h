// Threads that run one after the other, in scalars.
#ifndef KUDZU_PIPELINE_SCALARS_H
#define KUDZU_PIPELINE_SCALARS_H

#include "codegen/pipeline/pipeline.h"
#include "codegen/pipeline/traits.h"

// One thread after the other, where vectors would be taken apart for most of what they do, or a
// thread's own words are vectors.
bool wants_scalars(struct cg *c, const struct traits *t, const struct flow *fl);

// One thread after the other, which leaves two loops worse than one.
void run_threads(struct pipeline *p);

#endif
