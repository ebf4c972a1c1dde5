// Shapes of values and divergence of control flow, for one function at one lane width. The two
// depend on each other (a varying condition makes a branch divergent, a divergent join makes
// a phi varying), so they are computed together, from optimistic to true.
//
// Vocabulary. Lanes that take an edge either all go at once, jumping straight to the target
// (a direct edge), or are added to the target's mask and picked up when the layout reaches it
// (a deferred edge). A block is full when it is executed with the mask that the function was
// entered with. A block is a join when lanes can be there that came over different edges, or
// over the same edge at different times.
#ifndef KUDZU_PASSES_FLOW_H
#define KUDZU_PASSES_FLOW_H

#include "abi/generated_code.h"
#include "passes/flow/cfg.h"

struct call_shapes;

enum shape_kind {
    SHAPE_UNKNOWN, // not reached yet
    SHAPE_UNIFORM, // one scalar
    SHAPE_OFFSETS, // scalar base + offs[lane], modulo the type's width
    SHAPE_VARYING,
};

struct shape {
    uint8_t kind;
    bool guard;          // OFFSETS holds only when a condition at run time does
    bool of_bits;        // ... which is not only that nothing wraps, modulo 2^32
    uint8_t tz;          // the base is a multiple of 2^tz
    const int64_t *offs; // OFFSETS: W of them
    int64_t lo, hi;      // UNIFORM, OFFSETS: range of the base as a signed number
};

// How threadIdx.<d> follows from the index t0 of a group's first thread: base = (t0 / div) % mod
// (a div or mod of 0: none; -1: only known at run time), lane offsets offs (NULL: none).
struct tid_form {
    bool varying; // no such form: computed lane by lane
    bool zero;    // base is 0
    int64_t div, mod;
    const int64_t *offs;
    uint8_t tz;
    int64_t max; // largest base
};

struct flow {
    struct arena *arena;
    struct cfg *cfg;
    struct kir_func *func;
    unsigned width;
    unsigned team; // groups that run together, instruction by instruction
    struct kd_spec spec;
    struct tid_form tid[3];
    const int64_t *iota;       // 0, 1, 2, ...
    const struct flow *before; // teams: what the first analysis found; NULL: this is the first
    struct shape *shape;       // by value id
    uint8_t *divergent;        // by block id: the terminator sends lanes several ways
    uint8_t **deferred;        // by block id, target index
    uint32_t *waits;           // where lanes may wait: flow.c
    uint32_t wait_leaves;
    // By position: the last one that deferred edges from up to there go to.
    uint32_t *reach;
    uint8_t *full, *join;    // by block id
    uint8_t *exit_only;      // by block id: kernels: nothing but ret or exit
    uint8_t *loop_divergent; // by loop index: lanes may leave at different times
    uint8_t *loop_waits;     // by loop index: see waiting.h
    uint8_t *live_out;       // by value id: used outside a divergent loop it is defined in
    uint8_t *lag_state;      // by value id: see team.h
    int64_t *lag;            // by value id
    uint8_t *shared;         // by value id: the same for all groups of a team
    uint8_t *affine;         // by value id: the first group's and a lag
    bool no_full;            // lanes may die in calls, or be parked
    bool parks; // lanes are parked at barriers and warp operations that others have to come to
    const struct call_shapes *calls; // NULL: parameters and results of functions differ
};

// A team is `team` neighbouring groups of `width` lanes: control flow is uniform only where all
// of them agree. calls: see call_shapes.h; NULL: nothing is known.
struct flow *flow_analyse(struct arena *a, struct kir_func *f, unsigned width, unsigned team,
                          const struct kd_spec *spec, bool calls_can_exit,
                          const struct call_shapes *calls);

// The shape that a use of v in `block` sees: a uniform value that leaves a divergent loop
// varies.
struct shape flow_use(const struct flow *fl, const struct kir_value *v,
                      const struct kir_block *block);

// Can lanes wait at x (a block, or the end of the loop whose header x is) while b runs?
bool flow_pending(const struct flow *fl, const struct kir_block *x, const struct kir_block *b,
                  bool own_edges);

// Do lanes wait at x, wherever in the layout it stands, while b runs?
bool flow_waits(const struct flow *fl, const struct kir_block *x, const struct kir_block *b);

// Where control goes on after position `pos`, where block b (or the end of its loop) ran: a
// block, a loop's end, or the end of the function (both NULL).
struct flow_next {
    struct kir_block *block;
    struct cfg_loop *loop_end;
};
struct flow_next flow_next(const struct flow *fl, const struct kir_block *b, uint32_t pos,
                           struct cfg_loop *after_loop, bool own_edges,
                           const struct kir_block *target);

// A phi's or value's constant, if it is one: *out is its bits.
bool flow_const(const struct kir_value *v, uint64_t *out);

#endif
