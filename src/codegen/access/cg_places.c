// Where the lanes of an access find their memory: a base and an index or a distance a lane, where
// the IR shows one, or a pointer each.
#include "codegen/access/cg_places.h"
#include "codegen/access/cg_stretch.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_source.h"
#include "codegen/value/cg_value.h"

enum { SLOT_BYTES = 128 };

LLVMValueRef cg_byte_gep(const struct cg *c, LLVMValueRef p, int64_t off) {
    LLVMValueRef at = LLVMConstInt(c->i64, (unsigned long long)off, 1);
    return off ? LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "") : p;
}

static bool in_block(struct cg_func *g, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->def->block == g->block;
}

// x == idx * scale with a 32-bit idx: the form that gather instructions take.
static bool scaled_index(struct cg_func *g, struct kir_value *x, struct kir_value **idx,
                         uint64_t *scale, bool *is_signed) {
    struct kir_inst *d = x->def;
    uint64_t s;
    if (!in_block(g, x))
        return false;
    if (d->op == ISA_OP_MUL && d->mods.half == ISA_WIDE && isa_type_bits(d->ty) == 32 &&
        d->ops[0]->type == KIR_B32 && flow_const(d->ops[1], scale)) {
        *idx = d->ops[0];
        *is_signed = isa_type_is_signed(d->ty);
        return *scale == 1 || *scale == 2 || *scale == 4 || *scale == 8;
    }
    if (d->op == ISA_OP_SHL && flow_const(d->ops[1], &s) && s <= 3 && in_block(g, d->ops[0]) &&
        d->ops[0]->def->op == ISA_OP_CVT && isa_type_bits(d->ops[0]->def->ty2) == 32 &&
        !isa_type_is_float(d->ops[0]->def->ty2) && d->ops[0]->def->ops[0]->type == KIR_B32 &&
        isa_type_bits(d->ops[0]->def->ty) == 64) {
        *idx = d->ops[0]->def->ops[0];
        *is_signed = isa_type_is_signed(d->ops[0]->def->ty2);
        *scale = 1ULL << s;
        return true;
    }
    return false;
}

static struct cg_places indexed(struct cg_func *g, LLVMValueRef base, struct kir_value *x) {
    struct cg *c = g->cg;
    struct kir_value *idx;
    uint64_t scale;
    struct cg_places p = {.base = base};
    if (scaled_index(g, x, &idx, &scale, &p.index_signed) && cg_at_hand(g, idx)) {
        p.index = cg_vec(g, idx);
        p.index_of = idx;
        p.scale = (unsigned)scale;
        p.stretches = scale == 4 && cg_may_stretch(g, idx);
        return p;
    }
    LLVMValueRef v = cg_vec(g, x);
    p.pointers = LLVMBuildGEP2(c->b, c->i8, base, &v, 1, "");
    return p;
}

// An address that is the sum of something uniform and a rest; false: it is none. later: they need
// not be at hand yet.
static bool base_and_rest(struct cg_func *g, const struct kir_inst *i, bool later,
                          struct kir_value **base, struct kir_value **rest) {
    struct kir_value *v = i->ops[0];
    if (i->mods.space == ISA_SPACE_LOCAL || !in_block(g, v) || v->def->op != ISA_OP_ADD ||
        v->type != KIR_B64)
        return false;
    for (int k = 0; k < 2; k++) {
        struct kir_value *u = v->def->ops[k], *x = v->def->ops[1 - k];
        if (cg_shape(g, u).kind != SHAPE_UNIFORM || u->type != KIR_B64 || x->type != KIR_B64 ||
            (!later && !(cg_at_hand(g, u) && cg_at_hand(g, x))))
            continue;
        *base = u;
        *rest = x;
        return true;
    }
    return false;
}

struct kir_value *cg_index_of(struct cg_func *g, const struct kir_inst *i, unsigned bytes,
                              struct kir_value **base) {
    struct kir_value *rest, *idx;
    uint64_t scale;
    bool is_signed;
    if (!base_and_rest(g, i, true, base, &rest) || !scaled_index(g, rest, &idx, &scale, &is_signed))
        return NULL;
    return scale == bytes ? idx : NULL;
}

// In the form base + index wherever the IR shows one.
static struct cg_places places(struct cg_func *g, const struct kir_inst *i) {
    struct cg *c = g->cg;
    struct kir_value *v = i->ops[0], *u, *x;
    enum isa_space s = i->mods.space;
    LLVMTypeRef v64 = cg_vec_of(c, c->i64);
    if (base_and_rest(g, i, false, &u, &x)) {
        LLVMValueRef base = cg_pointer(g, s, cg_scalar(g, u), false);
        return indexed(g, cg_byte_gep(c, base, i->offset), x);
    }
    LLVMValueRef addr = cg_vec(g, v);
    if (s == ISA_SPACE_SHARED || s == ISA_SPACE_CLUSTER)
        return (struct cg_places){.base = cg_byte_gep(c, g->shared_base, i->offset),
                                  .index = cg_narrow(c, addr, 32),
                                  .scale = 1,
                                  .index_signed = true};
    if (kir_type_bits(v->type) < 64)
        addr = LLVMBuildZExt(c->b, addr, v64, "");
    LLVMValueRef off = cg_splat(c, LLVMConstInt(c->i64, (unsigned long long)i->offset, 1));
    return (struct cg_places){.pointers =
                                  cg_pointer(g, s, LLVMBuildAdd(c->b, addr, off, ""), true)};
}

// One pointer a lane from the address itself; safe to make before a branch.
LLVMValueRef cg_exact_pointers(struct cg_func *g, const struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMTypeRef v64 = cg_vec_of(c, c->i64);
    LLVMValueRef addr = cg_vec(g, i->ops[0]);
    LLVMValueRef off = cg_splat(c, LLVMConstInt(c->i64, (unsigned long long)i->offset, 1));
    if (kir_type_bits(i->ops[0]->type) < 64)
        addr = LLVMBuildZExt(c->b, addr, v64, "");
    return cg_pointer(g, i->mods.space, LLVMBuildAdd(c->b, addr, off, ""), true);
}

// The address as one scalar pointer (uniform, or the base of offsets), i->offset included.
LLVMValueRef cg_scalar_pointer(struct cg_func *g, const struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef addr = cg_scalar(g, i->ops[0]);
    if (kir_type_bits(i->ops[0]->type) < 64)
        addr = LLVMBuildZExt(c->b, addr, c->i64, "");
    if (i->mods.space == ISA_SPACE_LOCAL) {
        addr = LLVMBuildAdd(c->b, addr, LLVMConstInt(c->i64, (unsigned long long)i->offset, 1), "");
        return cg_pointer(g, i->mods.space, addr, false);
    }
    return cg_byte_gep(c, cg_pointer(g, i->mods.space, addr, false), i->offset);
}

struct cg_places cg_places_of(struct cg_func *g, struct kir_inst *i) {
    struct shape s = cg_shape(g, i->ops[0]);
    if (s.kind == SHAPE_OFFSETS && !s.guard && i->mods.space != ISA_SPACE_LOCAL)
        return (struct cg_places){.base = cg_scalar_pointer(g, i), .offs = s.offs};
    return places(g, i);
}

LLVMValueRef cg_pointers(struct cg_func *g, const struct cg_places *p) {
    struct cg *c = g->cg;
    if (p->pointers)
        return p->pointers;
    LLVMTypeRef v64 = cg_vec_of(c, c->i64);
    if (p->step) {
        LLVMValueRef lanes = cg_offs_vec(g, g->fl->iota, c->i64);
        LLVMValueRef at = LLVMBuildMul(c->b, cg_splat(c, p->step), lanes, "");
        return LLVMBuildGEP2(c->b, c->i8, p->base, &at, 1, "");
    }
    if (!p->index) {
        LLVMValueRef at = cg_offs_vec(g, p->offs, c->i64);
        return LLVMBuildGEP2(c->b, c->i8, p->base, &at, 1, "");
    }
    LLVMValueRef at = p->index_signed ? LLVMBuildSExt(c->b, p->index, v64, "")
                                      : LLVMBuildZExt(c->b, p->index, v64, "");
    return LLVMBuildGEP2(c->b, cg_int_type(c, p->scale * 8), p->base, &at, 1, "");
}

struct cg_spread cg_spread_places(struct cg_func *g, const struct cg_places *p) {
    if (p->pointers)
        return cg_spread(g, p->pointers, 0);
    if (p->index && cg_is_narrow(p->index))
        return cg_take_apart(g, p->index, 0);
    return p->index ? cg_spread(g, p->index, 0) : (struct cg_spread){0};
}

struct cg_spread cg_take_places_apart(struct cg_func *g, const struct cg_places *p) {
    if (p->pointers)
        return cg_take_apart(g, p->pointers, 0);
    return p->index ? cg_take_apart(g, p->index, 0) : (struct cg_spread){0};
}

LLVMValueRef cg_place(struct cg_func *g, const struct cg_places *p, struct cg_spread *s,
                      unsigned lane) {
    struct cg *c = g->cg;
    if (p->pointers)
        return cg_spread_lane(g, s, lane);
    if (p->step) {
        LLVMValueRef by = LLVMBuildMul(c->b, p->step, cg_i64(c, lane), "");
        return LLVMBuildGEP2(c->b, c->i8, p->base, &by, 1, "");
    }
    if (!p->index)
        return cg_byte_gep(c, p->base, p->offs[lane]);
    LLVMValueRef at = cg_spread_lane(g, s, lane);
    at =
        p->index_signed ? LLVMBuildSExt(c->b, at, c->i64, "") : LLVMBuildZExt(c->b, at, c->i64, "");
    return LLVMBuildGEP2(c->b, cg_int_type(c, p->scale * 8), p->base, &at, 1, "");
}

static LLVMValueRef zeroed_slot(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMVectorType(c->i64, SLOT_BYTES / 8);
    LLVMValueRef slot = cg_entry_alloca(g, t);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMPositionBuilderBefore(c->b, LLVMGetNextInstruction(slot));
    LLVMBuildStore(c->b, LLVMConstNull(t), slot);
    LLVMPositionBuilderAtEnd(c->b, here);
    return slot;
}

LLVMValueRef cg_zero_slot(struct cg_func *g) {
    if (!g->zero_slot)
        g->zero_slot = zeroed_slot(g);
    return g->zero_slot;
}

LLVMValueRef cg_sink_slot(struct cg_func *g) {
    if (!g->sink_slot)
        g->sink_slot = zeroed_slot(g);
    return g->sink_slot;
}
