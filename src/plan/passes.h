// The passes that decide how memory is accessed, in their order. Each looks at an access of which
// nothing but what is stated here is known, and says whether it has decided its kind.
#ifndef KUDZU_PLAN_PASSES_H
#define KUDZU_PLAN_PASSES_H

#include "plan/plan.h"

bool plan_at_one_place(const struct plan_inputs *in, struct plan_access *a, const struct shape *s);
bool plan_at_offsets(const struct plan_inputs *in, struct plan_access *a, const struct shape *s);
bool plan_in_runs(const struct plan_inputs *in, struct plan_access *a, const struct shape *s);
bool plan_at_steps(const struct plan_inputs *in, struct plan_access *a);

// Has another mechanism of emission taken the access for itself?
static inline bool plan_is_taken(const struct plan_inputs *in, const struct kir_inst *i) {
    return in->is_taken && in->is_taken(in->who, i);
}

// Of accesses whose kind is known.
void plan_find_window(const struct plan_inputs *in, struct plan_access *a);
void plan_find_lane_words(const struct plan_inputs *in, struct plan_access *a,
                          const struct shape *s);
bool plan_is_column(const struct plan_inputs *in, const struct plan_access *a,
                    const struct shape *s);
void plan_find_lone(const struct plan_inputs *in, struct plan_access *a);
void plan_without_mask(const struct plan_inputs *in, struct plan_access *a, const struct shape *s);

// When all accesses have kinds: what x is made together with.
void plan_join_row(struct arena *a, struct plan *p, struct plan_access *x);
void plan_join_eights(struct plan *p, struct plan_access *x);

// Of all stores, rows too.
void plan_find_streams(struct arena *a, struct plan *p);

#endif
