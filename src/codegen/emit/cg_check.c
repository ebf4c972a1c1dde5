// What a kernel that is checked asks of the device and tells it: one call for the lanes of a group.
#include "abi/check_shadow.h"
#include "codegen/emit/cg.h"

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

static void emit_origin(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    bool same;
    LLVMValueRef address = spill(g, value(g, i, 0, c->i64, &same));
    LLVMTypeRef element = i->index ? c->i64 : c->i32, t = same ? element : cg_vec_of(c, element);
    LLVMValueRef out = cg_entry_alloca(g, t);
    LLVMBuildStore(c->b, LLVMConstNull(t), out);
    LLVMValueRef a[] = {g->blk,
                        g->now.t0,
                        same ? cg_i32(c, 1) : lanes(g),
                        cg_i32(c, (same ? 1 : c->width) | i->index << KD_CHECK_SHADOW_BYTES),
                        address,
                        out};
    cg_call_rt(c, "kd_rt_check_origin", a, 6);
    LLVMValueRef r = LLVMBuildLoad2(c->b, t, out, "");
    if (same)
        cg_set_scalar(g, i->res[0], r);
    else
        cg_set_vec(g, i->res[0], r);
}

// Is what a check is about of no concern in this launch? The device says so as it is told of the
// first one, in the block's description.
static LLVMValueRef is_apart(struct cg_func *g, uint32_t array) {
    struct cg *c = g->cg;
    LLVMValueRef at =
        LLVMBuildGEP2(c->b, c->i8, g->blk,
                      (LLVMValueRef[]){cg_i64(c, offsetof(struct kd_block, check_apart))}, 1, "");
    LLVMValueRef all = LLVMBuildLoad2(c->b, c->i64, at, "apart");
    LLVMSetVolatile(all, 1);
    return LLVMBuildICmp(c->b, LLVMIntNE,
                         LLVMBuildAnd(c->b, all, cg_i64(c, UINT64_C(1) << array), ""), cg_i64(c, 0),
                         "");
}

static void emit_access(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    bool same_address, same_origin, same_more = false;
    LLVMValueRef address = value(g, i, 0, c->i64, &same_address);
    LLVMValueRef origin = value(g, i, 1, c->i32, &same_origin);
    LLVMValueRef more = i->nops > 3 ? value(g, i, 3, c->i64, &same_more) : NULL;
    LLVMValueRef site = cg_scalar(g, i->ops[2]), mask = lanes(g);
    LLVMBasicBlockRef tell = NULL, next = NULL;
    uint32_t code = c->width;
    code |= same_address ? KD_CHECK_SAME_ADDRESS : 0;
    code |= same_origin ? KD_CHECK_SAME_ORIGIN : 0;
    code |= same_more ? KD_CHECK_SAME_MORE : 0;
    if (i->index) {
        tell = cg_new_block(g, "tell");
        next = cg_new_block(g, "told");
        LLVMBuildCondBr(c->b, is_apart(g, i->index - 1), next, tell);
        LLVMPositionBuilderAtEnd(c->b, tell);
    }
    LLVMValueRef a[] = {g->blk,
                        g->now.t0,
                        mask,
                        cg_i32(c, code),
                        site,
                        spill(g, address),
                        spill(g, origin),
                        more ? spill(g, more) : LLVMConstNull(c->ptr)};
    cg_call_rt(c, "kd_rt_check_access", a, 8);
    if (i->index) {
        LLVMBuildBr(c->b, next);
        LLVMPositionBuilderAtEnd(c->b, next);
    }
}

void cg_emit_check(struct cg_func *g, struct kir_inst *i) {
    LLVMValueRef sync[] = {g->blk, g->now.t0, lanes(g), cg_i32(g->cg, i->index)};
    if (i->op == ISA_OP_CHECK_ORIGIN)
        emit_origin(g, i);
    else if (i->op == ISA_OP_CHECK_SYNC)
        cg_call_rt(g->cg, "kd_rt_check_sync", sync, 4);
    else
        emit_access(g, i);
}
