// mbarrier objects and asynchronous copies: one call of the device's helper for the lanes of a
// group, or for all of them together when they ask the same question.
#include "codegen/emit/cg_async.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "ir/async.h"

// Operand n in 64 bits: a scalar where all lanes have the same.
static LLVMValueRef operand(struct cg_func *g, struct kir_inst *i, uint32_t n) {
    struct cg *c = g->cg;
    bool scalar = c->width == 1 || cg_shape(g, i->ops[n]).kind == SHAPE_UNIFORM;
    LLVMValueRef x = scalar ? cg_scalar(g, i->ops[n]) : cg_vec(g, i->ops[n]);
    x = cg_operand_bits(g, i, n, x);
    unsigned bits = kir_type_bits(i->ops[n]->type);
    if (bits < 64)
        x = LLVMBuildZExt(c->b, cg_narrow(c, x, bits), scalar ? c->i64 : cg_vec_of(c, c->i64), "");
    return x;
}

static LLVMValueRef fit(struct cg *c, LLVMValueRef x, const struct kir_value *r) {
    if (r->type == KIR_PRED)
        return LLVMBuildICmp(c->b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
    return cg_narrow(c, x, kir_type_bits(r->type));
}

static LLVMValueRef row(struct cg *c, LLVMValueRef args, uint32_t k) {
    LLVMValueRef at = cg_i64(c, k);
    return LLVMBuildInBoundsGEP2(c->b, c->i64, args, &at, 1, "");
}

static LLVMValueRef call_once(struct cg_func *g, const struct kir_inst *i, uint32_t code,
                              const LLVMValueRef *operands) {
    struct cg *c = g->cg;
    LLVMValueRef args = cg_entry_alloca(g, LLVMArrayType2(c->i64, KD_ASYNC_MAX_ARGS));
    for (uint32_t n = 0; n < i->nops; n++)
        LLVMBuildStore(c->b, operands[n], row(c, args, n));
    LLVMValueRef a[] = {g->blk, g->now.t0, cg_i32(c, code), args};
    return cg_call_rt(c, "kd_rt_async", a, 4);
}

// A wait at which all threads of the block have met: the phase has ended, but in clusters. The
// parity of an object's phase, and of a state's, is the highest bit (device/helpers/async.c).
static void emit_met(struct cg_func *g, struct kir_inst *i, uint32_t code) {
    struct cg *c = g->cg;
    LLVMValueRef of[2] = {operand(g, i, 0), operand(g, i, 1)}, parity = of[1];
    LLVMValueRef now = LLVMBuildLoad2(c->b, c->i64, LLVMBuildIntToPtr(c->b, of[0], c->ptr, ""), "");
    LLVMBasicBlockRef wait = cg_new_block(g, "phase"), next = cg_new_block(g, "met");
    LLVMSetVolatile(now, 1);
    if (!kir_async_waits_by_state(i))
        parity = LLVMBuildShl(c->b, parity, cg_i64(c, 63), "");
    LLVMValueRef ended =
        LLVMBuildICmp(c->b, LLVMIntSLT, LLVMBuildXor(c->b, now, parity, ""), cg_i64(c, 0), "");
    LLVMBuildCondBr(c->b, ended, next, wait);
    LLVMPositionBuilderAtEnd(c->b, wait);
    call_once(g, i, code, of);
    LLVMBuildBr(c->b, next);
    LLVMPositionBuilderAtEnd(c->b, next);
    cg_set_scalar(g, i->res[0], LLVMConstInt(c->i1, 1, 0));
}

static void emit_once(struct cg_func *g, struct kir_inst *i, uint32_t code) {
    struct cg *c = g->cg;
    LLVMValueRef operands[KD_ASYNC_MAX_ARGS];
    for (uint32_t n = 0; n < i->nops; n++)
        operands[n] = operand(g, i, n);
    LLVMValueRef r = call_once(g, i, code, operands);
    if (i->nres)
        cg_set_scalar(g, i->res[0], fit(c, r, i->res[0]));
}

static void emit_lanes(struct cg_func *g, struct kir_inst *i, uint32_t code) {
    struct cg *c = g->cg;
    LLVMTypeRef vec = cg_vec_of(c, c->i64);
    LLVMValueRef args = cg_entry_alloca(g, LLVMArrayType2(vec, i->nops));
    LLVMValueRef out = cg_entry_alloca(g, vec), operands[KD_ASYNC_MAX_ARGS];
    for (uint32_t n = 0; n < i->nops; n++) {
        operands[n] = operand(g, i, n);
        if (LLVMTypeOf(operands[n]) == c->i64) {
            operands[n] = cg_splat(c, operands[n]);
            code |= n < 2 ? 1u << (KD_ASYNC_SAME_SHIFT + n) : 0;
        }
    }
    if (i->nres)
        LLVMBuildStore(c->b, LLVMConstNull(vec), out);
    LLVMValueRef bits = cg_mask_bits(g, cg_mask(g));
    if (c->width < 32)
        bits = LLVMBuildZExt(c->b, bits, c->i32, "");
    // Mostly one thread of the block asks: other groups of a team do nothing.
    LLVMBasicBlockRef call = cg_new_block(g, "async"), next = cg_new_block(g, "issued");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntNE, bits, cg_i32(c, 0), ""), call, next);
    LLVMPositionBuilderAtEnd(c->b, call);
    for (uint32_t n = 0; n < i->nops; n++)
        LLVMSetAlignment(LLVMBuildStore(c->b, operands[n], row(c, args, n * c->width)), 8);
    LLVMValueRef a[] = {
        g->blk, g->now.t0, cg_i32(c, code), cg_i32(c, c->width), cg_i32(c, i->nops), bits,
        args,   out};
    cg_call_rt(c, "kd_rt_async_lanes", a, 8);
    LLVMBuildBr(c->b, next);
    LLVMPositionBuilderAtEnd(c->b, next);
    if (i->nres)
        cg_set_vec(g, i->res[0], fit(c, LLVMBuildLoad2(c->b, vec, out, ""), i->res[0]));
}

// Do all lanes ask, or do, the same?
static bool same_for_all(struct cg_func *g, const struct kir_inst *i) {
    if (g->cg->width == 1)
        return true;
    for (uint32_t n = 0; n < i->nops; n++)
        if (cg_shape(g, i->ops[n]).kind != SHAPE_UNIFORM)
            return false;
    return i->nres && g->fl->shape[i->res[0]->id].kind == SHAPE_UNIFORM;
}

bool cg_emit_async(struct cg_func *g, struct kir_inst *i) {
    uint32_t code = kir_async_code(i);
    if (i->nops > KD_ASYNC_MAX_ARGS)
        return false;
    if (code & KD_ASYNC_WHOLE && kir_async_waits(i) && same_for_all(g, i))
        emit_met(g, i, code);
    else if (same_for_all(g, i))
        emit_once(g, i, code);
    else
        emit_lanes(g, i, code);
    return true;
}
