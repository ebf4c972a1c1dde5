// Which parameters and results of functions are the same in all lanes, whoever calls them: such
// ones are scalars. A function that is called with what differs from lane to lane once gets vectors
// from all its callers.
#ifndef KUDZU_PASSES_CALL_SHAPES_H
#define KUDZU_PASSES_CALL_SHAPES_H

#include "passes/flow/flow.h"

struct call_shapes {
    const struct kir_module *m;
    const uint8_t *needed;        // by kir_func index: reachable
    const uint8_t *address_taken; // by kir_func index: may be called through a pointer
    uint8_t **params, **results;  // by kir_func index, number: uniform
    uint8_t *stale;               // by kir_func index: its flow rests on what has changed since
};

// All is uniform, and every function stale.
struct call_shapes *call_shapes_new(struct arena *a, const struct kir_module *m,
                                    const uint8_t *needed, const uint8_t *address_taken);

// Takes back what fl, a function's flow under the present assumptions, does not bear out, and marks
// the functions that this concerns as stale.
void call_shapes_narrow(struct call_shapes *s, const struct flow *fl);

// May the call, which is through a pointer, be one of f?
bool call_may_be_of(const struct call_shapes *s, const struct kir_inst *call,
                    const struct kir_func *f);

// Is the call's result of that number the same in all lanes?
bool call_result_uniform(const struct flow *fl, const struct kir_inst *call, uint32_t result);

#endif
