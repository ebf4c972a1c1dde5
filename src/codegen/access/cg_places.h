#ifndef KUDZU_CODEGEN_CG_PLACES_H
#define KUDZU_CODEGEN_CG_PLACES_H

#include "codegen/core/cg_spread.h"
#include "codegen/core/state.h"

// A place a lane: `base` + offs[lane], `base` + index[lane] * scale (32-bit indices),
// `base` + lane * step (i64), or the vector `pointers`.
struct cg_places {
    LLVMValueRef pointers, base, index, step;
    struct kir_value *index_of; // what the index is the vector of, where that is known
    const int64_t *offs;
    unsigned scale; // bytes: 1, 2, 4 or 8
    bool index_signed;
    bool stretches; // the lanes' own index is part of theirs: they may lie side by side
};
LLVMValueRef cg_pointers(struct cg_func *g, const struct cg_places *p); // a vector

// The memory that inactive lanes read and write instead.
LLVMValueRef cg_zero_slot(struct cg_func *g);
LLVMValueRef cg_sink_slot(struct cg_func *g);

// The places as they are used without a mask, lane by lane.
struct cg_spread cg_spread_places(struct cg_func *g, const struct cg_places *p);
struct cg_spread cg_take_places_apart(struct cg_func *g, const struct cg_places *p);
LLVMValueRef cg_place(struct cg_func *g, const struct cg_places *p, struct cg_spread *s,
                      unsigned lane);

// The 32-bit index behind the address of i, which is a uniform base and `bytes` times the index;
// NULL: there is none.
struct kir_value *cg_index_of(struct cg_func *g, const struct kir_inst *i, unsigned bytes,
                              struct kir_value **base);

// Where the lanes of an access find their memory, i->offset included.
struct cg_places cg_places_of(struct cg_func *g, struct kir_inst *i);

// The address of i as one scalar pointer (uniform, or the base of offsets), i->offset included.
LLVMValueRef cg_scalar_pointer(struct cg_func *g, const struct kir_inst *i);

// One pointer a lane from the address itself; safe to make before a branch.
LLVMValueRef cg_exact_pointers(struct cg_func *g, const struct kir_inst *i);

// The pointer, or the pointers, so many bytes behind p.
LLVMValueRef cg_byte_gep(const struct cg *c, LLVMValueRef p, int64_t bytes);

#endif
