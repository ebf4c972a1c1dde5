#ifndef KUDZU_PIPELINE_ANALYSE_H
#define KUDZU_PIPELINE_ANALYSE_H

#include "codegen/pipeline/pipeline.h"

// Analyses every needed function at c->width into p->fl and p->waits; says whether what that width
// and one mask a warp allow is enough: no lane has to wait for another of its own vector.
bool analyse_all(struct pipeline *p);

// For notes: why threads or warps need stacks of their own.
void because(struct cg *c, const char *why, const struct kir_inst *at);

// KUDZU_DEBUG=mask: the mode, and what is known of the masks of the kernel's blocks.
void debug_masks(const struct cg *c, const struct flow *fl);

#endif
