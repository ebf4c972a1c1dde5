// What a kernel's instructions say of it before they are analysed, and some of what they say then.
#ifndef KUDZU_PIPELINE_TRAITS_H
#define KUDZU_PIPELINE_TRAITS_H

#include "codegen/core/state.h"

// Of all needed functions together.
struct traits {
    bool allocates, warp_ops, volatile_shared, volatile_load, volatile_store, block_in_function,
        odd_barrier, barrier, mbarrier_wait, device_runtime, block_index, describes, asserts,
        cancels, meets, triggers, grid_waits;
    const struct kir_inst *barrier_at, *mbarrier_at;
    unsigned f64, f32;
};

// Does a needed function allocate memory of its frame (alloca)?
bool any_allocates(const struct cg *c);

struct traits traits_of(const struct cg *c);

// Lanes that pass values to each other through volatile memory, as the last steps of a reduction do
// that go without a barrier: all load before any stores. In global memory a flag that others wait
// for is volatile, too, but then most kernels have only its loads or only its stores.
bool by_volatile(const struct traits *t);

// A block is one thread?
bool one_thread(const struct cg *c);

// How many it has.
unsigned func_instructions(const struct kir_func *f);

// An instruction at which a block meets?
bool func_has_barrier(const struct kir_func *f);

// Lanes of one group that act one after the other.
unsigned lanes_of_atomics(const struct cg *c, const struct flow *fl);

// Some load or store has an address a lane that follows no pattern?
bool any_varying_access(const struct flow *fl);

// Does one pass through the kernel run the whole block?
bool is_one_team(const struct cg *c);

static inline bool varies(const struct flow *fl, const struct kir_value *v) {
    return fl->shape[v->id].kind == SHAPE_VARYING;
}

// Writes "kernel NAME: n WHAT are more than the MOST that can be compiled" where they are.
bool is_too_long(struct cg *c, size_t n, size_t most, const char *what);

#endif
