// Warp operations. With 32 lanes they are vector code on the current mask; with one lane a call
// that waits for the other lanes' stacks.
#include "codegen/emit/cg_warp.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_thread_atomic.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/warp.h"

static LLVMValueRef lane_numbers(struct cg_func *g) {
    return cg_offs_vec(g, g->fl->iota, g->cg->i32);
}

static LLVMValueRef splat32(struct cg *c, uint64_t v) {
    return cg_splat(c, cg_i32(c, v));
}

static LLVMValueRef bits32(struct cg_func *g, LLVMValueRef mask) {
    return cg_narrow(g->cg, cg_mask_bits(g, mask), 32);
}

static LLVMValueRef active_and(struct cg_func *g, LLVMValueRef pred) {
    return g->now.mask ? cg_select(g->cg, g->now.mask, pred, LLVMConstNull(cg_mask_type(g->cg)))
                       : pred;
}

// ---- one lane: helpers --------------------------------------------------------------------

static LLVMValueRef member(struct cg_func *g, const struct kir_inst *i, uint32_t k) {
    struct cg *c = g->cg;
    if (i->nops > k)
        return cg_narrow(c, cg_scalar(g, i->ops[k]), 32);
    LLVMValueRef a[2] = {g->blk, g->now.t0};
    return cg_call_rt(c, "kd_rt_warp_activemask", a, 2);
}

static void set_pair(struct cg_func *g, struct kir_inst *i, LLVMValueRef r) {
    struct cg *c = g->cg;
    LLVMValueRef low = LLVMBuildTrunc(c->b, r, c->i32, "");
    LLVMValueRef bit = LLVMBuildTrunc(c->b, LLVMBuildLShr(c->b, r, cg_i64(c, 32), ""), c->i1, "");
    if (i->nres > 0)
        cg_set_result(g, i->res[0], cg_widen(c, low, ISA_B32, i->res[0]->type));
    if (i->nres > 1)
        cg_set_result(g, i->res[1], bit);
}

static void scalar_elect(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef m = member(g, i, 0);
    LLVMValueRef args[2] = {m, LLVMConstInt(c->i1, 0, 0)};
    LLVMValueRef leader = cg_call_intrinsic(c, "llvm.cttz", &c->i32, 1, args, 2);
    LLVMValueRef sync[3] = {g->blk, g->now.t0, m};
    cg_call_rt(c, "kd_rt_warp_sync", sync, 3);
    LLVMValueRef lane = LLVMBuildAnd(c->b, g->now.t0, cg_i32(c, 31), "");
    cg_set_result(g, i->res[0], cg_widen(c, leader, ISA_B32, i->res[0]->type));
    if (i->nres > 1)
        cg_set_result(g, i->res[1], LLVMBuildICmp(c->b, LLVMIntEQ, lane, leader, ""));
}

static bool emit_scalar(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef a[7] = {g->blk, g->now.t0, cg_i32(c, i->mods.mode)};
    switch (i->op) {
    case ISA_OP_SHFL:
        a[3] = cg_narrow(c, cg_operand_bits(g, i, 0, cg_scalar(g, i->ops[0])), 32);
        a[4] = cg_narrow(c, cg_scalar(g, i->ops[1]), 32);
        a[5] = cg_narrow(c, cg_scalar(g, i->ops[2]), 32);
        a[6] = member(g, i, 3);
        set_pair(g, i, cg_call_rt(c, "kd_rt_warp_shfl", a, 7));
        return true;
    case ISA_OP_VOTE: {
        a[3] = cg_narrow(c, cg_scalar(g, i->ops[0]), 32);
        a[4] = member(g, i, 1);
        LLVMValueRef r = cg_call_rt(c, "kd_rt_warp_vote", a, 5);
        if (i->mods.mode != ISA_VOTE_BALLOT)
            r = LLVMBuildICmp(c->b, LLVMIntNE, r, cg_i32(c, 0), "");
        cg_set_result(g, i->res[0], r);
        return true;
    }
    case ISA_OP_MATCH:
        a[3] = cg_narrow(c, cg_operand_bits(g, i, 0, cg_scalar(g, i->ops[0])), 64);
        a[4] = cg_i32(c, isa_type_bits(i->ty));
        a[5] = member(g, i, 1);
        set_pair(g, i, cg_call_rt(c, "kd_rt_warp_match", a, 6));
        return true;
    case ISA_OP_REDUX:
        a[2] = cg_i32(c, i->mods.atom);
        a[3] = cg_i32(c, isa_type_is_signed(i->ty));
        a[4] = cg_narrow(c, cg_scalar(g, i->ops[0]), 32);
        a[5] = member(g, i, 1);
        cg_set_result(g, i->res[0], cg_call_rt(c, "kd_rt_warp_redux", a, 6));
        return true;
    case ISA_OP_ACTIVEMASK:
        cg_set_result(g, i->res[0], cg_call_rt(c, "kd_rt_warp_activemask", a, 2));
        return true;
    case ISA_OP_BAR_WARP_SYNC:
        a[2] = member(g, i, 0);
        cg_call_rt(c, "kd_rt_warp_sync", a, 3);
        return true;
    case ISA_OP_ELECT:
        scalar_elect(g, i);
        return true;
    default:
        return false;
    }
}

// ---- 32 lanes -----------------------------------------------------------------------------

// Each lane's source lane and whether it is in range, for constant b and c; false otherwise.
static bool constant_sources(const struct kir_inst *i, unsigned width, unsigned *src, bool *in) {
    uint64_t bb, cc;
    if (!flow_const(i->ops[1], &bb) || !flow_const(i->ops[2], &cc))
        return false;
    unsigned bval = bb & 31, cval = cc & 31, mask = (cc >> 8) & 31;
    for (unsigned lane = 0; lane < width; lane++) {
        unsigned max_lane = (lane & mask) | (cval & ~mask), min_lane = lane & mask;
        int j;
        switch (i->mods.mode) {
        case ISA_SHFL_UP:
            j = (int)lane - (int)bval;
            in[lane] = j >= (int)max_lane;
            break;
        case ISA_SHFL_DOWN:
            j = (int)(lane + bval);
            in[lane] = j <= (int)max_lane;
            break;
        case ISA_SHFL_BFLY:
            j = (int)(lane ^ bval);
            in[lane] = j <= (int)max_lane;
            break;
        default:
            j = (int)(min_lane | (bval & ~mask));
            in[lane] = j <= (int)max_lane;
        }
        src[lane] = in[lane] ? (unsigned)j : lane;
    }
    return true;
}

// The same at run time: source lanes as a vector, in-range as a mask.
static LLVMValueRef sources(struct cg_func *g, struct kir_inst *i, LLVMValueRef *in) {
    struct cg *c = g->cg;
    LLVMValueRef lane = lane_numbers(g), five = splat32(c, 31);
    LLVMValueRef b = LLVMBuildAnd(c->b, cg_vec(g, i->ops[1]), five, "");
    LLVMValueRef cc = cg_vec(g, i->ops[2]);
    LLVMValueRef cval = LLVMBuildAnd(c->b, cc, five, "");
    LLVMValueRef mask = LLVMBuildAnd(c->b, LLVMBuildLShr(c->b, cc, splat32(c, 8), ""), five, "");
    LLVMValueRef inv = LLVMBuildXor(c->b, mask, five, "");
    LLVMValueRef min = LLVMBuildAnd(c->b, lane, mask, "");
    LLVMValueRef max = LLVMBuildOr(c->b, min, LLVMBuildAnd(c->b, cval, inv, ""), "");
    LLVMValueRef j;
    switch (i->mods.mode) {
    case ISA_SHFL_UP:
        j = LLVMBuildSub(c->b, lane, b, "");
        *in = LLVMBuildICmp(c->b, LLVMIntSGE, j, max, "");
        break;
    case ISA_SHFL_DOWN:
        j = LLVMBuildAdd(c->b, lane, b, "");
        *in = LLVMBuildICmp(c->b, LLVMIntSLE, j, max, "");
        break;
    case ISA_SHFL_BFLY:
        j = LLVMBuildXor(c->b, lane, b, "");
        *in = LLVMBuildICmp(c->b, LLVMIntSLE, j, max, "");
        break;
    default:
        j = LLVMBuildOr(c->b, min, LLVMBuildAnd(c->b, b, inv, ""), "");
        *in = LLVMBuildICmp(c->b, LLVMIntSLE, j, max, "");
    }
    return cg_select(c, *in, j, lane);
}

// result[lane] = v[index[lane]] through memory: for sources known only at run time.
static LLVMValueRef permute(struct cg_func *g, LLVMValueRef v, LLVMValueRef index) {
    struct cg *c = g->cg;
    LLVMTypeRef vt = LLVMTypeOf(v), et = LLVMGetElementType(vt);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMPositionBuilderBefore(c->b, LLVMGetFirstInstruction(g->entry));
    LLVMValueRef buf = LLVMBuildAlloca(c->b, vt, "shfl");
    LLVMPositionBuilderAtEnd(c->b, here);
    LLVMBuildStore(c->b, v, buf);
    LLVMValueRef at = LLVMBuildSExt(c->b, index, cg_vec_of(c, c->i64), "");
    LLVMValueRef p = LLVMBuildGEP2(c->b, et, buf, &at, 1, "");
    LLVMTypeRef ov[2] = {vt, cg_vec_of(c, c->ptr)};
    LLVMValueRef args[4] = {p, cg_i32(c, 4), LLVMConstAllOnes(cg_mask_type(c)), LLVMConstNull(vt)};
    return cg_call_intrinsic(c, "llvm.masked.gather", ov, 2, args, 4);
}

static void emit_shfl(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    unsigned src[32];
    bool in[32];
    LLVMValueRef v = cg_operand_bits(g, i, 0, cg_vec(g, i->ops[0])), r, in_mask;
    if (g->fl->shape[i->res[0]->id].kind == SHAPE_UNIFORM) {
        LLVMValueRef lane = LLVMBuildAnd(c->b, cg_scalar(g, i->ops[1]), cg_i32(c, 31), "");
        cg_set_scalar(g, i->res[0], cg_extract(g, v, lane));
        if (i->nres > 1)
            cg_set_result(g, i->res[1], LLVMConstAllOnes(cg_mask_type(c)));
        return;
    }
    if (constant_sources(i, c->width, src, in)) {
        LLVMValueRef idx[32], bit[32];
        for (unsigned k = 0; k < c->width; k++) {
            idx[k] = cg_i32(c, src[k]);
            bit[k] = LLVMConstInt(c->i1, in[k], 0);
        }
        r = LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                   LLVMConstVector(idx, c->width), "");
        in_mask = LLVMConstVector(bit, c->width);
    } else {
        r = permute(g, v, sources(g, i, &in_mask));
    }
    if (LLVMTypeOf(r) != cg_vec_type(c, i->res[0]->type))
        r = LLVMBuildBitCast(c->b, r, cg_vec_type(c, i->res[0]->type), "");
    cg_set_result(g, i->res[0], r);
    if (i->nres > 1)
        cg_set_result(g, i->res[1], in_mask);
}

// The members among the active lanes, as a scalar; *vec set instead when the member mask varies.
static LLVMValueRef members(struct cg_func *g, struct kir_inst *i, uint32_t k, LLVMValueRef *vec) {
    struct cg *c = g->cg;
    LLVMValueRef active = bits32(g, cg_mask(g));
    *vec = NULL;
    if (i->nops <= k)
        return active;
    if (cg_shape(g, i->ops[k]).kind == SHAPE_UNIFORM)
        return LLVMBuildAnd(c->b, active, cg_scalar(g, i->ops[k]), "");
    *vec = LLVMBuildAnd(c->b, cg_splat(c, active), cg_vec(g, i->ops[k]), "");
    return NULL;
}

static void emit_vote(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef vec, yes = bits32(g, active_and(g, cg_vec(g, i->ops[0])));
    LLVMValueRef m = members(g, i, 1, &vec), r;
    LLVMValueRef zero = cg_i32(c, 0);
    if (vec) {
        m = vec;
        yes = cg_splat(c, yes);
        zero = cg_splat(c, zero);
    }
    yes = LLVMBuildAnd(c->b, yes, m, "");
    switch (i->mods.mode) {
    case ISA_VOTE_BALLOT:
        r = yes;
        break;
    case ISA_VOTE_ANY:
        r = LLVMBuildICmp(c->b, LLVMIntNE, yes, zero, "");
        break;
    case ISA_VOTE_ALL:
        r = LLVMBuildICmp(c->b, LLVMIntEQ, yes, m, "");
        break;
    default: // uni: all or none
        r = LLVMBuildOr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, yes, m, ""),
                        LLVMBuildICmp(c->b, LLVMIntEQ, yes, zero, ""), "");
    }
    if (vec && g->fl->shape[i->res[0]->id].kind == SHAPE_UNIFORM)
        r = LLVMBuildExtractElement(c->b, r, cg_i32(c, 0), "");
    cg_set_result(g, i->res[0], r);
}

// Lane by lane: the lanes whose value equals this lane's.
static void emit_match(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef v =
        cg_narrow(c, cg_operand_bits(g, i, 0, cg_vec(g, i->ops[0])), isa_type_bits(i->ty));
    LLVMValueRef vec, m = members(g, i, 1, &vec), out = LLVMConstNull(cg_vec_of(c, c->i32));
    if (!vec)
        vec = cg_splat(c, m);
    for (unsigned k = 0; k < c->width; k++) {
        LLVMValueRef x = cg_splat(c, LLVMBuildExtractElement(c->b, v, cg_i32(c, k), ""));
        LLVMValueRef same = LLVMBuildICmp(c->b, LLVMIntEQ, v, x, "");
        LLVMValueRef bit = splat32(c, 1ULL << k);
        LLVMValueRef with = LLVMBuildOr(c->b, out, bit, "");
        out = cg_select(c, same, with, out);
    }
    out = LLVMBuildAnd(c->b, out, vec, "");
    if (i->mods.mode == ISA_MATCH_ALL) {
        LLVMValueRef all = LLVMBuildICmp(c->b, LLVMIntEQ, out, vec, "");
        out = cg_select(c, all, vec, LLVMConstNull(LLVMTypeOf(out)));
        if (i->nres > 1)
            cg_set_result(g, i->res[1], all);
    }
    cg_set_result(g, i->res[0], out);
}

static LLVMValueRef mask_from_bits(struct cg *c, LLVMValueRef bits) {
    return LLVMBuildBitCast(c->b, bits, cg_mask_type(c), "");
}

static void emit_redux(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef v = cg_vec(g, i->ops[0]), neutral = cg_neutral_vector(g, i);
    LLVMValueRef vec, m = members(g, i, 1, &vec);
    LLVMTypeRef vt = LLVMTypeOf(v);
    if (!vec) {
        LLVMValueRef x = cg_select(c, mask_from_bits(c, m), v, neutral);
        cg_set_result(g, i->res[0], cg_reduced(g, i, x));
        return;
    }
    LLVMValueRef out = LLVMConstNull(vt);
    for (unsigned k = 0; k < c->width; k++) {
        LLVMValueRef mk = LLVMBuildExtractElement(c->b, vec, cg_i32(c, k), "");
        LLVMValueRef x = cg_select(c, mask_from_bits(c, mk), v, neutral);
        LLVMValueRef r = cg_reduced(g, i, x);
        out = LLVMBuildInsertElement(c->b, out, r, cg_i32(c, k), "");
    }
    cg_set_result(g, i->res[0], out);
}

static void emit_elect(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef vec, m = members(g, i, 0, &vec);
    if (vec)
        m = bits32(g, cg_mask(g));
    LLVMValueRef args[2] = {m, LLVMConstInt(c->i1, 0, 0)};
    LLVMValueRef leader = cg_call_intrinsic(c, "llvm.cttz", &c->i32, 1, args, 2);
    LLVMValueRef is = LLVMBuildICmp(c->b, LLVMIntEQ, lane_numbers(g), cg_splat(c, leader), "");
    cg_set_result(g, i->res[0], cg_splat(c, leader));
    if (i->nres > 1)
        cg_set_result(g, i->res[1], is);
}

bool cg_emit_warp(struct cg_func *g, struct kir_inst *i) {
    if (g->cg->width == 1)
        return emit_scalar(g, i);
    switch (i->op) {
    case ISA_OP_SHFL:
        emit_shfl(g, i);
        return true;
    case ISA_OP_VOTE:
        emit_vote(g, i);
        return true;
    case ISA_OP_MATCH:
        emit_match(g, i);
        return true;
    case ISA_OP_REDUX:
        emit_redux(g, i);
        return true;
    case ISA_OP_ACTIVEMASK:
        cg_set_result(g, i->res[0], bits32(g, cg_mask(g)));
        return true;
    case ISA_OP_ELECT:
        emit_elect(g, i);
        return true;
    case ISA_OP_BAR_WARP_SYNC: {
        // Lanes of one vector are always together; memory order is program order.
        LLVMTypeRef t = LLVMFunctionType(g->cg->void_t, NULL, 0, 0);
        LLVMValueRef a =
            LLVMGetInlineAsm(t, "", 0, "~{memory}", 10, 1, 0, LLVMInlineAsmDialectATT, 0);
        LLVMBuildCall2(g->cg->b, t, a, NULL, 0, "");
        return true;
    }
    default:
        return false;
    }
}
