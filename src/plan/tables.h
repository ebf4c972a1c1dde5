// A plan's tables, for those that make one.
#ifndef KUDZU_PLAN_TABLES_H
#define KUDZU_PLAN_TABLES_H

#include "plan/plan.h"

// An empty plan.
struct plan *plan_new(struct arena *a, const struct plan_inputs *in);
// Loads and stores, of which there is a plan.
bool plan_is_access(const struct kir_inst *i);
// What follows from one alone, of a kind that is not known yet.
struct plan_access plan_describe(const struct flow *fl, struct kir_inst *i);
// When all accesses are there: lets plan_access_of find them.
void plan_index(struct arena *a, struct plan *p);
void plan_insert(struct plan *p, struct plan_access *x); // one that is in no list
struct plan_access *plan_find(const struct plan *p, const struct kir_inst *i);
// i by itself. sole: the only lane that can act in its block; -1: several can.
struct plan_access plan_decide(const struct plan_inputs *in, struct kir_inst *i, int sole);
// The access i, which stands for others, decided and inserted.
struct plan_access *plan_add(struct arena *a, struct plan *p, struct kir_inst *i);

#endif
