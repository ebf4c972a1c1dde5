// Which lanes run next.
#ifndef KUDZU_PLAN_INTERP_GROUPS_H
#define KUDZU_PLAN_INTERP_GROUPS_H

#include "ir/interp/interp_internal.h"

// One round of a block's teams: each runs until its turn ends, or until nobody is ready.
bool plan_round(const struct interp_way *way, struct interp *in);

#endif
