// A plan's tables, for those that make one.
#ifndef KUDZU_PLAN_TABLES_H
#define KUDZU_PLAN_TABLES_H

#include "plan/plan.h"

// An empty plan.
struct plan *plan_new(struct arena *a, const struct plan_inputs *in);
// Loads and stores, of which there is a plan.
bool plan_is_access(const struct kir_inst *i);
// What follows from one alone, of a kind that is not known yet.
struct plan_access plan_describe(const struct flow *fl, const struct kir_inst *i);
// When all accesses are there: lets plan_access_of find them.
void plan_index(struct arena *a, struct plan *p);

#endif
