// LLVM's vectors: of one scalar, of two vectors, as another type, masks as bits.
#include "codegen/core/cg_vectors.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"

enum { MOST_ELEMENTS = 8 * KD_WARP, LANES = 16, MOST = 8 };

LLVMValueRef cg_splat(struct cg *c, LLVMValueRef x) {
    if (c->width == 1)
        return x;
    LLVMTypeRef vt = LLVMVectorType(LLVMTypeOf(x), c->width);
    if (LLVMIsConstant(x)) {
        LLVMValueRef e[32];
        for (unsigned k = 0; k < c->width; k++)
            e[k] = x;
        return LLVMConstVector(e, c->width);
    }
    // Widened behind: comparisons of what was widened on both sides are made in its own width.
    if (LLVMIsAZExtInst(x) && !LLVMIsConstant(LLVMGetOperand(x, 0)) &&
        LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(x, 0))) == 8)
        return LLVMBuildZExt(c->b, cg_splat(c, LLVMGetOperand(x, 0)), vt, "");
    LLVMValueRef v = LLVMBuildInsertElement(c->b, LLVMGetPoison(vt), x, cg_i32(c, 0), "");
    return LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(vt),
                                  LLVMConstNull(LLVMVectorType(c->i32, c->width)), "");
}

LLVMValueRef cg_select(struct cg *c, LLVMValueRef m, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(c->b, m, a, b, "");
}

// LLVM's builder leaves the bits of a constant mask as an expression, which a vector of constants
// in memory must not hold: nothing computes it there.
static LLVMValueRef constant_bits(LLVMValueRef mask, unsigned n, LLVMTypeRef type) {
    uint64_t bits = 0;
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef lane = LLVMGetAggregateElement(mask, k);
        if (!lane || !(LLVMIsAConstantInt(lane) || LLVMIsUndef(lane)))
            return NULL;
        if (!LLVMIsUndef(lane) && LLVMConstIntGetZExtValue(lane))
            bits |= UINT64_C(1) << k;
    }
    return LLVMConstInt(type, bits, 0);
}

LLVMValueRef cg_bits_of_lanes(struct cg *c, LLVMValueRef mask) {
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(mask));
    LLVMTypeRef type = LLVMIntTypeInContext(c->ctx, n);
    LLVMValueRef bits = LLVMIsConstant(mask) && n <= 64 ? constant_bits(mask, n, type) : NULL;
    return bits ? bits : LLVMBuildBitCast(c->b, mask, type, "");
}

bool cg_constant_lane(struct cg *c, LLVMValueRef mask, unsigned k) {
    return !LLVMIsNull(c->width == 1 ? mask : LLVMGetAggregateElement(mask, k));
}

LLVMValueRef cg_concat(struct cg *c, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef idx[MOST_ELEMENTS];
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x));
    for (unsigned k = 0; k < 2 * n; k++)
        idx[k] = cg_i32(c, k);
    return LLVMBuildShuffleVector(c->b, x, y, LLVMConstVector(idx, 2 * n), "");
}

// A value in the representation of t: .param .b32 may carry a float.
LLVMValueRef cg_cast(struct cg *c, LLVMValueRef x, LLVMTypeRef t) {
    return LLVMTypeOf(x) == t ? x : LLVMBuildBitCast(c->b, x, t, "");
}

bool cg_is_vector(LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind;
}

LLVMValueRef cg_cast_to(struct cg *c, LLVMValueRef x, enum kir_type t) {
    return cg_cast(c, x, cg_is_vector(LLVMTypeOf(x)) ? cg_vec_type(c, t) : cg_scalar_type(c, t));
}

LLVMValueRef cg_narrow(struct cg *c, LLVMValueRef x, unsigned bits) {
    LLVMTypeRef t = LLVMTypeOf(x);
    bool vec = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    LLVMTypeRef e = vec ? LLVMGetElementType(t) : t;
    unsigned have = LLVMGetTypeKind(e) == LLVMFloatTypeKind    ? 32
                    : LLVMGetTypeKind(e) == LLVMDoubleTypeKind ? 64
                                                               : LLVMGetIntTypeWidth(e);
    LLVMTypeRef ie = cg_int_type(c, have), to = cg_int_type(c, bits);
    if (vec) {
        ie = LLVMVectorType(ie, LLVMGetVectorSize(t));
        to = LLVMVectorType(to, LLVMGetVectorSize(t));
    }
    x = LLVMBuildBitCast(c->b, x, ie, "");
    if (have > bits)
        return LLVMBuildTrunc(c->b, x, to, "");
    return have < bits ? LLVMBuildZExt(c->b, x, to, "") : x;
}

LLVMValueRef cg_widen(struct cg *c, LLVMValueRef x, enum isa_type ty, enum kir_type to) {
    LLVMTypeRef t = LLVMTypeOf(x);
    bool vec = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    unsigned have = LLVMGetIntTypeWidth(vec ? LLVMGetElementType(t) : t);
    unsigned bits = kir_type_bits(to);
    LLVMTypeRef ie = cg_int_type(c, bits), fe = cg_scalar_type(c, to);
    if (vec) {
        ie = LLVMVectorType(ie, LLVMGetVectorSize(t));
        fe = LLVMVectorType(fe, LLVMGetVectorSize(t));
    }
    if (have > bits)
        x = LLVMBuildTrunc(c->b, x, ie, "");
    else if (have < bits)
        x = isa_type_is_signed(ty) ? LLVMBuildSExt(c->b, x, ie, "")
                                   : LLVMBuildZExt(c->b, x, ie, "");
    return LLVMBuildBitCast(c->b, x, fe, "");
}

LLVMValueRef cg_lanes_from(struct cg *c, LLVMValueRef x, LLVMValueRef y, const unsigned *from,
                           unsigned n) {
    LLVMValueRef idx[MOST_ELEMENTS];
    for (unsigned k = 0; k < n; k++)
        idx[k] = cg_i32(c, from[k]);
    return LLVMBuildShuffleVector(c->b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(idx, n), "");
}

LLVMValueRef cg_sixteen_of(struct cg *c, LLVMValueRef x, unsigned first) {
    unsigned from[LANES];
    if (c->width == LANES)
        return x;
    for (unsigned k = 0; k < LANES; k++)
        from[k] = first + k;
    return cg_lanes_from(c, x, NULL, from, LANES);
}

void cg_put_in_order(struct cg *c, LLVMValueRef *x, unsigned n, unsigned step, LLVMValueRef *out) {
    LLVMValueRef of[2][MOST / 2];
    if (n == 1) {
        out[0] = x[0];
        return;
    }
    cg_put_in_order(c, x, n / 2, 2 * step, of[0]);
    cg_put_in_order(c, x + step, n / 2, 2 * step, of[1]);
    for (unsigned k = 0; k < n; k++) {
        unsigned from[LANES];
        for (unsigned e = 0; e < LANES; e++)
            from[e] = e % 2 * LANES + k % 2 * (LANES / 2) + e / 2;
        out[k] = cg_lanes_from(c, of[0][k / 2], of[1][k / 2], from, LANES);
    }
}

LLVMValueRef cg_table(struct cg *c, LLVMValueRef x, const char *name) {
    LLVMValueRef table = LLVMAddGlobal(c->mod, LLVMTypeOf(x), name);
    LLVMSetInitializer(table, x);
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(table, 64);
    return table;
}
