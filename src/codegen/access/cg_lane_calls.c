// Accesses at an address a lane in quick code. Written out they are most of what LLVM's instruction
// selection has to go through; here each is a call of a function that all accesses of its size
// share. Places and values pass through memory, so that nothing but scalar loads and stores is in
// these functions, which the fast instruction selection knows.
#include <stdio.h>

#include "codegen/access/cg_gather.h"
#include "codegen/access/cg_lane_calls.h"
#include "codegen/access/cg_places.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"

enum { MAX_COMPONENTS = 4, PLACE_BYTES = 8 };

bool cg_calls_for_lanes(const struct cg_func *g, const struct cg_lane_access *a) {
    const struct cg *c = g->cg;
    unsigned b = a->bytes;
    return (c->spec.flags & KD_SPEC_QUICK) && c->width > 1 && !a->whole &&
           a->count <= MAX_COMPONENTS && (b == 1 || b == 2 || b == 4 || b == 8) &&
           !(g->now.mask && LLVMIsConstant(g->now.mask));
}

static LLVMValueRef memory(struct cg_func *g, LLVMValueRef *at, LLVMTypeRef t) {
    if (!*at) {
        *at = cg_entry_alloca(g, t);
        LLVMSetAlignment(*at, 64);
    }
    return *at;
}

// One component of all lanes.
static unsigned vector_bytes(const struct cg *c, const struct cg_lane_access *a) {
    return c->width * a->bytes;
}

static LLVMValueRef values(struct cg_func *g) {
    return memory(
        g, &g->lane_values,
        LLVMArrayType2(LLVMVectorType(g->cg->i64, g->cg->width), (uint64_t)MAX_COMPONENTS));
}

static LLVMValueRef at_byte(struct cg *c, LLVMValueRef p, uint64_t bytes) {
    LLVMValueRef at = cg_i64(c, bytes);
    return bytes ? LLVMBuildInBoundsGEP2(c->b, c->i8, p, &at, 1, "") : p;
}

// What is stored here only the function's loads read, and the other way round.
static void keep(LLVMValueRef access, unsigned align) {
    LLVMSetAlignment(access, align);
    LLVMSetVolatile(access, 1);
}

// void (places, values): moves each lane's components to its place, or from it.
static void write_body(struct cg *c, LLVMValueRef f, const struct cg_lane_access *a, bool store) {
    LLVMTypeRef t = cg_int_type(c, a->bytes * 8);
    LLVMValueRef places = LLVMGetParam(f, 0), vals = LLVMGetParam(f, 1);
    for (unsigned l = 0; l < c->width; l++) {
        LLVMValueRef p = LLVMBuildLoad2(c->b, c->ptr, at_byte(c, places, l * PLACE_BYTES), "");
        for (unsigned k = 0; k < a->count; k++) {
            LLVMValueRef there = at_byte(c, p, k * a->bytes);
            LLVMValueRef here = at_byte(c, vals, k * vector_bytes(c, a) + l * a->bytes);
            LLVMValueRef x = LLVMBuildLoad2(c->b, t, store ? here : there, "");
            LLVMSetAlignment(x, a->bytes);
            LLVMSetAlignment(LLVMBuildStore(c->b, x, store ? there : here), a->bytes);
        }
    }
    LLVMBuildRetVoid(c->b);
}

static void call(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef vals, bool store) {
    struct cg *c = g->cg;
    char name[48];
    LLVMTypeRef params[2] = {c->ptr, c->ptr}, t = LLVMFunctionType(c->void_t, params, 2, 0);
    snprintf(name, sizeof name, "kd_%s_%u_%u", store ? "scatter" : "gather", a->count, a->bytes);
    struct cg_own own = cg_own_function(c, name, t, CG_ANY_EFFECT);
    if (own.from) {
        write_body(c, own.f, a, store);
        cg_end_own(c, &own);
    }
    LLVMValueRef args[2] = {g->lane_places, vals};
    cg_call_own(c, t, own.f, args, 2);
    c->lane_calls = true;
}

// Inactive lanes are sent to a place of the function's own.
static void store_places(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef idle) {
    struct cg *c = g->cg;
    LLVMValueRef p = cg_pointers(g, &a->at);
    if (g->now.mask)
        p = cg_select(c, g->now.mask, p, cg_splat(c, idle));
    LLVMValueRef to = memory(g, &g->lane_places, LLVMVectorType(c->i64, c->width));
    keep(LLVMBuildStore(c->b, p, to), 64);
}

LLVMValueRef cg_call_values(struct cg *c, LLVMValueRef first, unsigned k) {
    return at_byte(c, first, (uint64_t)k * c->width * PLACE_BYTES);
}

struct cg_call_memory cg_call_memory(struct cg_func *g, LLVMValueRef pointers) {
    struct cg *c = g->cg;
    struct cg_call_memory m;
    m.places = memory(g, &g->lane_places, LLVMVectorType(c->i64, c->width));
    keep(LLVMBuildStore(c->b, pointers, m.places), 64);
    for (unsigned k = 0; k < CG_CALL_MEMORIES; k++)
        m.values[k] = cg_call_values(c, values(g), k);
    c->lane_calls = true;
    return m;
}

void cg_gather_by_call(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *out) {
    struct cg *c = g->cg;
    store_places(g, a, g->now.mask ? cg_zero_slot(g) : NULL);
    LLVMValueRef from = values(g);
    call(g, a, from, false);
    for (unsigned k = 0; k < a->count; k++) {
        out[k] = LLVMBuildLoad2(c->b, cg_vec_of(c, a->elem),
                                at_byte(c, from, k * vector_bytes(c, a)), "");
        keep(out[k], vector_bytes(c, a) < 64 ? vector_bytes(c, a) : 64);
    }
}

void cg_scatter_by_call(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp) {
    struct cg *c = g->cg;
    store_places(g, a, g->now.mask ? cg_sink_slot(g) : NULL);
    LLVMValueRef to = values(g);
    for (unsigned k = 0; k < a->count; k++)
        keep(LLVMBuildStore(c->b, comp[k], at_byte(c, to, k * vector_bytes(c, a))),
             vector_bytes(c, a) < 64 ? vector_bytes(c, a) : 64);
    call(g, a, to, true);
}
