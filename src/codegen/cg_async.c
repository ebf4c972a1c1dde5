// mbarrier objects and asynchronous copies: a call of the device's helper for each active lane, or
// one for all of them when they ask the same question.
#include "codegen/cg.h"
#include "ir/async.h"

struct call {
    LLVMValueRef args, out; // memory for operands and result
    uint32_t code;
};

static void call_helper(struct cg_func *g, const struct kir_inst *i, const struct call *k,
                        LLVMValueRef *operands, LLVMValueRef lane) {
    struct cg *c = g->cg;
    for (uint32_t n = 0; n < i->nops; n++) {
        LLVMValueRef at = cg_i64(c, n), x = operands[n];
        if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind)
            x = cg_extract(g, x, lane);
        LLVMBuildStore(c->b, x, LLVMBuildInBoundsGEP2(c->b, c->i64, k->args, &at, 1, ""));
    }
    LLVMValueRef thread = LLVMBuildAdd(c->b, g->now.t0, lane, "");
    LLVMValueRef a[] = {g->blk, thread, cg_i32(c, k->code), k->args};
    LLVMValueRef r = cg_call_rt(c, "kd_rt_async", a, 4);
    if (!i->nres)
        return;
    LLVMValueRef p = k->out;
    if (c->width > 1)
        p = LLVMBuildInBoundsGEP2(c->b, c->i64, p, &lane, 1, "");
    LLVMBuildStore(c->b, r, p);
}

static LLVMValueRef fit(struct cg *c, LLVMValueRef x, const struct kir_value *r) {
    if (r->type == KIR_PRED)
        return LLVMBuildICmp(c->b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
    return cg_narrow(c, x, kir_type_bits(r->type));
}

bool cg_emit_async(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct call k = {.code = kir_async_code(i)};
    LLVMValueRef operands[KD_ASYNC_MAX_ARGS];
    if (i->nops > KD_ASYNC_MAX_ARGS)
        return false;
    bool once = c->width == 1 || (i->nres && g->fl->shape[i->res[0]->id].kind == SHAPE_UNIFORM);
    for (uint32_t n = 0; n < i->nops; n++) {
        bool scalar = c->width == 1 || cg_shape(g, i->ops[n]).kind == SHAPE_UNIFORM;
        LLVMValueRef x = scalar ? cg_scalar(g, i->ops[n]) : cg_vec(g, i->ops[n]);
        x = cg_operand_bits(g, i, n, x);
        LLVMTypeRef to = scalar ? c->i64 : cg_vec_of(c, c->i64);
        if (kir_type_bits(i->ops[n]->type) < 64)
            x = LLVMBuildZExt(c->b, cg_narrow(c, x, kir_type_bits(i->ops[n]->type)), to, "");
        operands[n] = x;
    }
    k.args = cg_entry_alloca(g, LLVMArrayType2(c->i64, KD_ASYNC_MAX_ARGS));
    LLVMTypeRef out = c->width == 1 ? c->i64 : cg_vec_of(c, c->i64);
    if (i->nres) {
        k.out = cg_entry_alloca(g, out);
        LLVMBuildStore(c->b, LLVMConstNull(out), k.out);
    }
    if (once) {
        call_helper(g, i, &k, operands, cg_i32(c, 0));
        if (i->nres)
            cg_set_scalar(g, i->res[0], fit(c, LLVMBuildLoad2(c->b, c->i64, k.out, ""), i->res[0]));
        return true;
    }
    struct cg_lane_loop l = cg_begin_lanes(g, cg_mask(g));
    call_helper(g, i, &k, operands, l.lane);
    cg_end_lanes(g, &l);
    if (i->nres)
        cg_set_vec(g, i->res[0], fit(c, LLVMBuildLoad2(c->b, out, k.out, ""), i->res[0]));
    return true;
}
