// Which lanes run next.
#ifndef KUDZU_PLAN_INTERP_GROUPS_H
#define KUDZU_PLAN_INTERP_GROUPS_H

#include "ir/interp/interp_internal.h"

// One round of a block's teams: each runs until its turn ends, or until nobody is ready.
bool plan_round(const struct interp_way *way, struct interp *in);
// Whether a ready thread meets no others of its warp or block any more, in the kernel itself: as
// under masks, lanes on the other way of a branch do not wait for it.
bool plan_only_ends(const struct interp_way *way, struct interp_thread *t);

#endif
