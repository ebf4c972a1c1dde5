// What the files of the plan's interpreter share.
//
//   plan_interp.c   what is looked up by program counter
//   groups.c        which lanes run next
//   lanes.c         threads of a team, and what they have
//   step.c          one instruction of lanes that run together
//   values.c        what the plan says of results
//   accesses.c      what it says of addresses, and loads and stores by that
//   statement.c     statements that do not hold
#ifndef KUDZU_PLAN_INTERP_INTERNAL_H
#define KUDZU_PLAN_INTERP_INTERNAL_H

#include "ir/interp/interp_internal.h"
#include "plan/interp/plan_interp.h"

enum { PLAN_MOST_LANES = 1024 }; // threads of a block

// What the plan says of the instruction at a program counter.
struct plan_at {
    uint32_t place; // in the layout
    const struct plan_access *access;
    bool guarded;      // its address has offsets only where a condition holds
    bool only_ends;    // behind it no lane meets others of its warp or block
    uint32_t *members; // program counters of a row's stores, at the last of them
    uint32_t nmembers;
};

struct plan_code {
    const struct plan *plan;
    struct plan_at *at; // by program counter
};

struct plan_interp {
    struct interp_way way;  // first
    struct kir_module m;    // with a number of its own
    struct plan_code *code; // by function index; no plan: none
    unsigned width, team;
    bool parks;
    void (*tell)(const char *);
};

// Lanes that stand at one instruction, of a team, by their numbers.
struct plan_lanes {
    unsigned n;
    struct interp_thread *t[PLAN_MOST_LANES];
};

struct plan_step {
    const struct plan_interp *p;
    struct interp *in;
    const struct plan *plan; // of the function
    const struct plan_at *at;
    const struct interp_func *func;
    const struct interp_inst *inst;
    uint32_t depth; // of the call that they are in
    struct plan_lanes *lanes;
};

static inline unsigned plan_group_of(const struct plan_step *s, const struct interp_thread *t) {
    return t->id / s->p->width;
}
static inline unsigned plan_lane_of(const struct plan_step *s, const struct interp_thread *t) {
    return t->id % s->p->width;
}
// lanes.c
// A thread of the block in the call of the function that the lanes run; NULL: it is not in it.
struct interp_thread *plan_companion(const struct plan_step *s, uint32_t id);
// How many lanes from the k-th on are of its group.
unsigned plan_group_lanes(const struct plan_step *s, const struct plan_lanes *lanes, unsigned k);
// Where a thread in that call has the result v of an instruction, and what it has of any value.
uint64_t *plan_register_of(const struct plan_step *s, const struct interp_thread *t,
                           const struct kir_value *v);
uint64_t plan_value_of(const struct plan_step *s, const struct interp_thread *t,
                       const struct kir_value *v);
// The results of the instruction that is run, from one to the other.
void plan_copy_results(const struct plan_step *s, const struct interp_thread *from,
                       struct interp_thread *to);

// step.c
void plan_run_step(struct plan_step *s);

// values.c: what the plan says of v, which the lanes have by themselves, holds and is so for the
// lanes that it stands for.
void plan_settle(struct plan_step *s, const struct plan_lanes *lanes, const struct kir_inst *i,
                 const struct kir_value *v);

// accesses.c: a load or store
void plan_make_access(struct plan_step *s);

// statement.c: what the plan says of i does not hold for thread t, which has `own` where by the
// plan it has `said`. The block ends.
void plan_broken(struct plan_step *s, const struct interp_thread *t, const struct kir_inst *i,
                 const char *statement, uint64_t own, uint64_t said);

#endif
