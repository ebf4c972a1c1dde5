// What a kernel that is checked asks of the device and tells it: one call for the lanes of a group.
#include "codegen/emit/cg_check.h"
#include "abi/check_shadow.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_check_shadow.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/check.h"

// Operand n: once where all lanes have the same, else a row of lanes.
static LLVMValueRef value(struct cg_func *g, struct kir_inst *i, uint32_t n, LLVMTypeRef type,
                          bool *same) {
    struct cg *c = g->cg;
    *same = c->width == 1 || cg_shape(g, i->ops[n]).kind == SHAPE_UNIFORM;
    LLVMTypeRef t = *same ? type : cg_vec_of(c, type);
    LLVMValueRef x = *same ? cg_scalar(g, i->ops[n]) : cg_vec(g, i->ops[n]);
    unsigned bits = kir_type_bits((enum kir_type)i->ops[n]->type), want = LLVMGetIntTypeWidth(type);
    x = cg_narrow(c, cg_operand_bits(g, i, n, x), bits < want ? bits : want);
    return bits < want ? LLVMBuildZExt(c->b, x, t, "") : x;
}

static LLVMValueRef spill(struct cg_func *g, LLVMValueRef x) {
    LLVMValueRef at = cg_entry_alloca(g, LLVMTypeOf(x));
    LLVMBuildStore(g->cg->b, x, at);
    return at;
}

static LLVMValueRef lanes(struct cg_func *g) {
    struct cg *c = g->cg;
    if (c->width == 1)
        return cg_i32(c, 1);
    LLVMValueRef bits = cg_mask_bits(g, cg_mask(g));
    return c->width < 32 ? LLVMBuildZExt(c->b, bits, c->i32, "") : bits;
}

static LLVMValueRef ask(struct cg_func *g, LLVMValueRef address, bool same, LLVMTypeRef element,
                        uint32_t bytes) {
    struct cg *c = g->cg;
    LLVMTypeRef t = same ? element : cg_vec_of(c, element);
    LLVMValueRef out = cg_entry_alloca(g, t);
    LLVMBuildStore(c->b, LLVMConstNull(t), out);
    LLVMValueRef a[] = {g->blk,
                        g->now.t0,
                        same ? cg_i32(c, 1) : lanes(g),
                        cg_i32(c, (same ? 1 : c->width) | bytes << KD_CHECK_SHADOW_BYTES),
                        spill(g, address),
                        out};
    cg_call_rt(c, "kd_rt_check_origin", a, 6);
    return LLVMBuildLoad2(c->b, t, out, "");
}

static void emit_origin(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    bool same;
    LLVMValueRef address = value(g, i, 0, c->i64, &same), r;
    bool counts = i->index == KD_CHECK_TEXELS || i->index == KD_CHECK_GROUP;
    if (counts || i->index & KD_CHECK_LINES) {
        r = ask(g, address, same, c->i64, i->index);
    } else if (i->index) {
        struct cg_shadow s = {.of = i->ops[0],
                              .address = address,
                              .bytes = i->index,
                              .same = same,
                              .shared = i->mods.space == ISA_SPACE_SHARED};
        cg_shadow_begin(g, &s);
        LLVMPositionBuilderAtEnd(c->b, s.ask);
        LLVMValueRef asked = ask(g, address, same, c->i64, i->index);
        r = cg_shadow_load(g, &s, asked);
    } else {
        r = ask(g, address, same, c->i32, 0);
    }
    if (same)
        cg_set_scalar(g, i->res[0], r);
    else
        cg_set_vec(g, i->res[0], r);
}

// Are threads' accesses to all of these arrays of no concern in this launch? The device says so as
// it is told of the first one, in the block's description.
static LLVMValueRef are_apart(struct cg_func *g, uint64_t arrays) {
    struct cg *c = g->cg;
    LLVMValueRef at =
        LLVMBuildGEP2(c->b, c->i8, g->blk,
                      (LLVMValueRef[]){cg_i64(c, offsetof(struct kd_block, check_apart))}, 1, "");
    LLVMValueRef all = LLVMBuildLoad2(c->b, c->i64, at, "apart");
    LLVMSetVolatile(all, 1);
    LLVMValueRef bits = cg_i64(c, arrays);
    return LLVMBuildICmp(c->b, LLVMIntEQ, LLVMBuildAnd(c->b, all, bits, ""), bits, "");
}

static LLVMValueRef field(struct cg_func *g, LLVMValueRef p, size_t at, LLVMTypeRef type) {
    struct cg *c = g->cg;
    LLVMValueRef f = LLVMBuildGEP2(c->b, c->i8, p, (LLVMValueRef[]){cg_i64(c, at)}, 1, "");
    return LLVMBuildLoad2(c->b, type, f, "");
}

// Where what an access's pointer was made from lies: its first address, in those of the access's
// space, and its size. False: only the device knows.
static bool extent(struct cg_func *g, struct kir_inst *i, LLVMValueRef *base, LLVMValueRef *size) {
    struct cg *c = g->cg;
    const struct kir_value *o = i->ops[1];
    const struct kir_module *m = g->f->module;
    bool global = i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC;
    if (o->kind == KIR_VALUE_INST && global) {
        LLVMValueRef number = cg_scalar(g, i->ops[1]);
        LLVMValueRef small =
            LLVMBuildICmp(c->b, LLVMIntULT, number, cg_i32(c, KD_CHECK_EXTENTS), "");
        LLVMValueRef at = LLVMBuildSelect(c->b, small, number, cg_i32(c, 0), "");
        at = LLVMBuildShl(c->b, LLVMBuildZExt(c->b, at, c->i64, ""), cg_i64(c, 4), "");
        LLVMValueRef table =
            cg_block_field(g, offsetof(struct kd_block, check_extents), c->ptr, "");
        LLVMValueRef e = LLVMBuildGEP2(c->b, c->i8, table, &at, 1, "");
        *base = field(g, e, offsetof(struct kd_check_extent, base), c->i64);
        *size = field(g, e, offsetof(struct kd_check_extent, size), c->i64);
        return true;
    }
    if (o->kind != KIR_VALUE_CONST)
        return false;
    uint32_t number = o->bits.u32[0], k = number & ~KD_CHECK_VARIABLE;
    if (number >= KD_CHECK_VARIABLE && global && k < m->vars.len) {
        LLVMValueRef vars = cg_block_field(g, offsetof(struct kd_block, vars), c->ptr, "");
        *base = field(g, vars, k * sizeof(void *), c->i64);
        *size = cg_i64(c, m->vars.data[k]->size);
        return true;
    }
    if (number < KD_CHECK_SHARED || number >= KD_CHECK_VARIABLE ||
        i->mods.space != ISA_SPACE_SHARED || k >= m->shared.len)
        return false;
    const struct kir_symbol *s = m->shared.data[k];
    *base = cg_i64(c, s->offset);
    *size = cg_i64(c, s->size);
    if (s->dynamic) {
        LLVMValueRef n =
            cg_block_field(g, offsetof(struct kd_block, dynamic_shared_bytes), c->i32, "");
        *base = g->dynamic_shared;
        *size = LLVMBuildZExt(c->b, n, c->i64, "");
    }
    return true;
}

// Are all active lanes' accesses in [base, base + size), and aligned?
static LLVMValueRef is_inside(struct cg_func *g, struct kir_inst *i, LLVMValueRef address,
                              bool same_address, LLVMValueRef mask, LLVMValueRef base,
                              LLVMValueRef size) {
    struct cg *c = g->cg;
    uint64_t bytes = UINT64_C(1) << (i->index >> KD_CHECK_BYTES_SHIFT);
    LLVMTypeRef t = LLVMTypeOf(address);
    LLVMValueRef fits = LLVMBuildICmp(c->b, LLVMIntUGE, size, cg_i64(c, bytes), "");
    LLVMValueRef most = LLVMBuildSub(c->b, size, cg_i64(c, bytes), "");
    LLVMValueRef from = LLVMBuildSub(c->b, cg_i64(c, (uint64_t)i->offset), base, "");
    LLVMValueRef offset = cg_i64(c, (uint64_t)i->offset), low = cg_i64(c, bytes - 1);
    if (!same_address) {
        most = cg_splat(c, most);
        from = cg_splat(c, from);
        offset = cg_splat(c, offset);
        low = cg_splat(c, low);
    }
    LLVMValueRef at = LLVMBuildAdd(c->b, address, from, "");
    LLVMValueRef bad = LLVMBuildICmp(c->b, LLVMIntUGT, at, most, "");
    if (bytes > 1) {
        LLVMValueRef rest = LLVMBuildAnd(c->b, LLVMBuildAdd(c->b, address, offset, ""), low, "");
        bad =
            LLVMBuildOr(c->b, bad, LLVMBuildICmp(c->b, LLVMIntNE, rest, LLVMConstNull(t), ""), "");
    }
    if (!same_address) {
        bad = LLVMBuildBitCast(c->b, bad, LLVMIntTypeInContext(c->ctx, c->width), "");
        bad = c->width < 32 ? LLVMBuildZExt(c->b, bad, c->i32, "") : bad;
        bad = LLVMBuildAnd(c->b, bad, mask, "");
        bad = LLVMBuildICmp(c->b, LLVMIntNE, bad, cg_i32(c, 0), "");
    }
    return LLVMBuildAnd(c->b, fits, LLVMBuildNot(c->b, bad, ""), "inside");
}

// Has any lane a bit?
static LLVMValueRef is_dirty(struct cg_func *g, LLVMValueRef bits, bool same, LLVMValueRef mask) {
    struct cg *c = g->cg;
    LLVMValueRef some = LLVMBuildICmp(c->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
    if (same)
        return some;
    some = LLVMBuildBitCast(c->b, some, LLVMIntTypeInContext(c->ctx, c->width), "");
    some = c->width < 32 ? LLVMBuildZExt(c->b, some, c->i32, "") : some;
    return LLVMBuildICmp(c->b, LLVMIntNE, LLVMBuildAnd(c->b, some, mask, ""), cg_i32(c, 0), "");
}

static void emit_access(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    bool same_address, same_origin, same_more = false;
    LLVMValueRef address = value(g, i, 0, c->i64, &same_address);
    LLVMValueRef origin = value(g, i, 1, c->i32, &same_origin);
    LLVMValueRef more = i->nops > 3 ? value(g, i, 3, c->i64, &same_more) : NULL;
    LLVMValueRef site = cg_scalar(g, i->ops[2]), mask = lanes(g);
    LLVMBasicBlockRef next = NULL;
    uint32_t code = c->width, array = i->index & KD_CHECK_ARRAY;
    code |= same_address ? KD_CHECK_SAME_ADDRESS : 0;
    code |= same_origin ? KD_CHECK_SAME_ORIGIN : 0;
    code |= same_more ? KD_CHECK_SAME_MORE : 0;
    LLVMValueRef told = cg_i32(c, code), apart = NULL, inside = NULL, base, size;
    bool outside = i->index & KD_CHECK_IF_OUTSIDE;
    if (array)
        apart = are_apart(g, UINT64_C(1) << (array - 1));
    bool may_skip = array || !(i->index & KD_CHECK_IF_RACES);
    if (outside && same_origin && extent(g, i, &base, &size)) {
        struct cg_span span;
        uint32_t bytes = 1u << (i->index >> KD_CHECK_BYTES_SHIFT);
        bool spans = !same_address && cg_span_of(g, i->ops[0], bytes, INT64_C(1) << 30, &span);
        if (spans) {
            inside =
                cg_span_inside(g, &span, cg_i64(c, (uint64_t)i->offset), bytes, base, size, true);
            if (may_skip) { // most are; else the active lanes are looked at
                LLVMBasicBlockRef look = cg_new_block(g, "look");
                next = cg_new_block(g, "told");
                inside = apart ? LLVMBuildAnd(c->b, inside, apart, "") : inside;
                LLVMBuildCondBr(c->b, inside, next, look);
                LLVMPositionBuilderAtEnd(c->b, look);
            }
        }
        if (!spans || may_skip)
            inside = is_inside(g, i, address, same_address, mask, base, size);
        told = LLVMBuildSelect(c->b, inside, cg_i32(c, code | KD_CHECK_IS_INSIDE), told, "");
    }
    LLVMValueRef skip = !may_skip            ? NULL
                        : inside && apart    ? LLVMBuildAnd(c->b, inside, apart, "")
                        : outside && !inside ? NULL
                        : inside             ? inside
                                             : apart;
    struct cg_shadow shadow = {.of = i->ops[0],
                               .address = address,
                               .bytes = 1u << (i->index >> KD_CHECK_BYTES_SHIFT),
                               .same = same_address};
    bool store = i->index & KD_CHECK_IS_STORE;
    if (i->index & (KD_CHECK_IF_DIRTY | KD_CHECK_IS_STORE)) {
        LLVMValueRef dirty = is_dirty(g, more, same_more, mask);
        skip = store ? NULL : LLVMBuildNot(c->b, dirty, "");
        if (store)
            next = cg_shadow_store(g, &shadow, i, dirty);
    }
    if (skip) {
        LLVMBasicBlockRef tell = cg_new_block(g, "tell");
        next = next ? next : cg_new_block(g, "told");
        LLVMBuildCondBr(c->b, skip, next, tell);
        LLVMPositionBuilderAtEnd(c->b, tell);
    }
    LLVMValueRef a[] = {g->blk,
                        g->now.t0,
                        mask,
                        told,
                        site,
                        spill(g, address),
                        spill(g, origin),
                        more ? spill(g, more) : LLVMConstNull(c->ptr)};
    cg_call_rt(c, "kd_rt_check_access", a, 8);
    if (next) {
        LLVMBuildBr(c->b, next);
        LLVMPositionBuilderAtEnd(c->b, next);
    }
}

static void emit_sync(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef next = NULL;
    if (i->offset) {
        LLVMBasicBlockRef tell = cg_new_block(g, "tell");
        next = cg_new_block(g, "told");
        LLVMBuildCondBr(c->b, are_apart(g, (uint64_t)i->offset), next, tell);
        LLVMPositionBuilderAtEnd(c->b, tell);
    }
    LLVMValueRef a[] = {g->blk, g->now.t0, lanes(g), cg_i32(c, i->index)};
    cg_call_rt(c, "kd_rt_check_sync", a, 4);
    if (next) {
        LLVMBuildBr(c->b, next);
        LLVMPositionBuilderAtEnd(c->b, next);
    }
}

void cg_emit_check(struct cg_func *g, struct kir_inst *i) {
    if (i->op == ISA_OP_CHECK_ORIGIN)
        emit_origin(g, i);
    else if (i->op == ISA_OP_CHECK_SYNC)
        emit_sync(g, i);
    else
        emit_access(g, i);
}
