// The vocabulary of pointwise_internal.h: LLVM operations on scalars and vectors alike.
#include <stdio.h>

#include <string.h>

#include "codegen/pointwise/pointwise_internal.h"

static LLVMTypeRef lanes_of(const struct em *e, LLVMTypeRef t) {
    return e->lanes ? LLVMVectorType(t, e->lanes) : t;
}

static LLVMTypeRef lane_type(val v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

LLVMTypeRef v_int(const struct em *e, unsigned bits) {
    return lanes_of(e, LLVMIntTypeInContext(e->p->ctx, bits));
}

LLVMTypeRef v_flt(const struct em *e, unsigned bits) {
    LLVMContextRef c = e->p->ctx;
    LLVMTypeRef t = bits == 16   ? LLVMHalfTypeInContext(c)
                    : bits == 32 ? LLVMFloatTypeInContext(c)
                                 : LLVMDoubleTypeInContext(c);
    return lanes_of(e, t);
}

unsigned v_width(val v) {
    LLVMTypeRef t = lane_type(v);
    switch (LLVMGetTypeKind(t)) {
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return LLVMGetIntTypeWidth(t);
    }
}

static bool is_float(val v) {
    return LLVMGetTypeKind(lane_type(v)) != LLVMIntegerTypeKind;
}

static val splat(const struct em *e, val k) {
    val lanes[128]; // 32 registers of four bytes
    if (!e->lanes)
        return k;
    for (unsigned n = 0; n < e->lanes; n++)
        lanes[n] = k;
    return LLVMConstVector(lanes, e->lanes);
}

val k_int(const struct em *e, unsigned bits, uint64_t x) {
    LLVMTypeRef t = LLVMIntTypeInContext(e->p->ctx, bits);
    uint64_t words[2] = {x, 0};
    if (bits < 64)
        words[0] &= (UINT64_C(1) << bits) - 1;
    return splat(e, LLVMConstIntOfArbitraryPrecision(t, 2, words));
}

val k_flt(const struct em *e, unsigned bits, double x) {
    LLVMContextRef c = e->p->ctx;
    return splat(
        e, LLVMConstReal(bits == 32 ? LLVMFloatTypeInContext(c) : LLVMDoubleTypeInContext(c), x));
}

#define BINARY(name, Build)                                                                        \
    val name(const struct em *e, val a, val b) {                                                   \
        return Build(e->b, a, b, "");                                                              \
    }
BINARY(v_add, LLVMBuildAdd)
BINARY(v_sub, LLVMBuildSub)
BINARY(v_mul, LLVMBuildMul)
BINARY(v_and, LLVMBuildAnd)
BINARY(v_or, LLVMBuildOr)
BINARY(v_xor, LLVMBuildXor)
BINARY(v_shl, LLVMBuildShl)
BINARY(v_lshr, LLVMBuildLShr)
BINARY(v_ashr, LLVMBuildAShr)
BINARY(v_fadd, LLVMBuildFAdd)
BINARY(v_fsub, LLVMBuildFSub)
BINARY(v_fmul, LLVMBuildFMul)
BINARY(v_fdiv, LLVMBuildFDiv)

val v_not(const struct em *e, val a) {
    return LLVMBuildNot(e->b, a, "");
}

val v_neg(const struct em *e, val a) {
    return LLVMBuildNeg(e->b, a, "");
}

val v_shli(const struct em *e, val a, unsigned n) {
    return v_shl(e, a, k_int(e, v_width(a), n));
}

val v_lshri(const struct em *e, val a, unsigned n) {
    return v_lshr(e, a, k_int(e, v_width(a), n));
}

val v_ashri(const struct em *e, val a, unsigned n) {
    return v_ashr(e, a, k_int(e, v_width(a), n));
}

val v_andi(const struct em *e, val a, uint64_t m) {
    return v_and(e, a, k_int(e, v_width(a), m));
}

val v_addi(const struct em *e, val a, uint64_t m) {
    return v_add(e, a, k_int(e, v_width(a), m));
}

// select(n < width, shift, 0): the form that the x86 backend makes one vpsllv/vpsrlv of, which
// clamp by themselves.
val v_shl_clamp(const struct em *e, val a, val n) {
    unsigned w = v_width(a);
    return v_sel(e, v_icmpi(e, LLVMIntULT, n, w), v_shl(e, a, n), k_int(e, w, 0));
}

val v_lshr_clamp(const struct em *e, val a, val n) {
    unsigned w = v_width(a);
    return v_sel(e, v_icmpi(e, LLVMIntULT, n, w), v_lshr(e, a, n), k_int(e, w, 0));
}

val v_ashr_clamp(const struct em *e, val a, val n) {
    unsigned w = v_width(a);
    return v_ashr(e, a, v_call2(e, "llvm.umin", n, k_int(e, w, w - 1)));
}

val v_zext(const struct em *e, val a, unsigned bits) {
    return LLVMBuildZExt(e->b, a, v_int(e, bits), "");
}

val v_sext(const struct em *e, val a, unsigned bits) {
    return LLVMBuildSExt(e->b, a, v_int(e, bits), "");
}

val v_trunc(const struct em *e, val a, unsigned bits) {
    return LLVMBuildTrunc(e->b, a, v_int(e, bits), "");
}

val v_resize(const struct em *e, val a, unsigned bits, bool is_signed) {
    unsigned w = v_width(a);
    if (w == bits)
        return a;
    if (w > bits)
        return v_trunc(e, a, bits);
    return is_signed ? v_sext(e, a, bits) : v_zext(e, a, bits);
}

val v_icmp(const struct em *e, LLVMIntPredicate c, val a, val b) {
    return LLVMBuildICmp(e->b, c, a, b, "");
}

val v_icmpi(const struct em *e, LLVMIntPredicate c, val a, uint64_t b) {
    return v_icmp(e, c, a, k_int(e, v_width(a), b));
}

val v_fcmp(const struct em *e, LLVMRealPredicate c, val a, val b) {
    return LLVMBuildFCmp(e->b, c, a, b, "");
}

val v_fneg(const struct em *e, val a) {
    return LLVMBuildFNeg(e->b, a, "");
}

val v_fabs(const struct em *e, val a) {
    return v_call1(e, "llvm.fabs", a);
}

val v_sqrt(const struct em *e, val a) {
    return v_call1(e, "llvm.sqrt", a);
}

val v_fext(const struct em *e, val a) {
    return LLVMBuildFPExt(e->b, a, v_flt(e, 64), "");
}

val v_fcut(const struct em *e, val a) {
    return LLVMBuildFPTrunc(e->b, a, v_flt(e, 32), "");
}

val v_is_nan(const struct em *e, val a) {
    return v_fcmp(e, LLVMRealUNO, a, a);
}

val v_bits(const struct em *e, val a) {
    return is_float(a) ? LLVMBuildBitCast(e->b, a, v_int(e, v_width(a)), "") : a;
}

static LLVMTypeRef element_of(LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

static unsigned elements_in(LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

// The elements of a constant of integers. False: it has others, or what has no value.
static bool constant_elements(val a, uint64_t *out, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        val x = n > 1 || LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMVectorTypeKind
                    ? LLVMGetAggregateElement(a, k)
                    : a;
        if (!x || !LLVMIsAConstantInt(x))
            return false;
        out[k] = LLVMConstIntGetZExtValue(x);
    }
    return true;
}

// The builder folds no cast between numbers of elements, as it does not know the order of bytes.
// What it then folds of the cast is an expression for each lane, which nothing evaluates later.
val v_divided(const struct em *e, val a, LLVMTypeRef to) {
    enum { MOST = 256 };
    uint64_t from[MOST];
    val parts[MOST];
    LLVMTypeRef source = LLVMTypeOf(a), element = element_of(to);
    unsigned n = elements_in(source), m = elements_in(to);
    bool integers = LLVMGetTypeKind(element_of(source)) == LLVMIntegerTypeKind &&
                    LLVMGetTypeKind(element) == LLVMIntegerTypeKind;
    if (!LLVMIsConstant(a) || !integers || n > MOST || m > MOST || !constant_elements(a, from, n))
        return LLVMBuildBitCast(e->b, a, to, "");
    unsigned wide = LLVMGetIntTypeWidth(element_of(source)), width = LLVMGetIntTypeWidth(element);
    for (unsigned k = 0; k < m; k++) {
        uint64_t v = 0;
        for (unsigned bit = 0; bit < width; bit++)
            v |= (from[(k * width + bit) / wide] >> ((k * width + bit) % wide) & 1) << bit;
        parts[k] = LLVMConstInt(element, v, false);
    }
    return LLVMGetTypeKind(to) == LLVMVectorTypeKind ? LLVMConstVector(parts, m) : parts[0];
}

val v_float(const struct em *e, val a) {
    return is_float(a) ? a : LLVMBuildBitCast(e->b, a, v_flt(e, v_width(a)), "");
}

val v_sitofp(const struct em *e, val a, unsigned bits) {
    return LLVMBuildSIToFP(e->b, a, v_flt(e, bits), "");
}

val v_uitofp(const struct em *e, val a, unsigned bits) {
    return LLVMBuildUIToFP(e->b, a, v_flt(e, bits), "");
}

val v_fptosi(const struct em *e, val a, unsigned bits) {
    return LLVMBuildFPToSI(e->b, a, v_int(e, bits), "");
}

val v_fptoui(const struct em *e, val a, unsigned bits) {
    return LLVMBuildFPToUI(e->b, a, v_int(e, bits), "");
}

val v_sel(const struct em *e, val c, val a, val b) {
    return LLVMBuildSelect(e->b, c, a, b, "");
}

static val call(const struct em *e, const char *name, val *args, unsigned n) {
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef fn = LLVMIntrinsicGetType(e->p->ctx, id, &t, 1);
    return LLVMBuildCall2(e->b, fn, LLVMGetIntrinsicDeclaration(e->p->mod, id, &t, 1), args, n, "");
}

val v_call1(const struct em *e, const char *intrinsic, val a) {
    return call(e, intrinsic, (val[]){a}, 1);
}

val v_call2(const struct em *e, const char *intrinsic, val a, val b) {
    return call(e, intrinsic, (val[]){a, b}, 2);
}

val v_call3(const struct em *e, const char *intrinsic, val a, val b, val c) {
    return call(e, intrinsic, (val[]){a, b, c}, 3);
}

val op_int(const struct em *e, unsigned k, unsigned bits, bool is_signed) {
    return v_resize(e, v_bits(e, e->src[k]), bits, is_signed);
}

val op_typed(const struct em *e, unsigned k, enum isa_type t) {
    return op_int(e, k, isa_type_bits(t), isa_type_is_signed(t));
}

val op_flt(const struct em *e, unsigned k, unsigned bits) {
    if (is_float(e->src[k]) && v_width(e->src[k]) == bits)
        return e->src[k];
    return v_float(e, op_int(e, k, bits, false));
}

val op_pred(const struct em *e, unsigned k) {
    return op_int(e, k, 1, false);
}

bool op_is_copy(const struct em *e, unsigned k) {
    enum kir_type t = e->i->res[0]->type;
    return e->i->ops[k]->type == t && kir_type_bits(t) == isa_type_bits(e->i->ty);
}

bool op_const(const struct em *e, unsigned k, uint64_t *x) {
    const struct kir_value *v = e->i->ops[k];
    if (v->kind != KIR_VALUE_CONST)
        return false;
    *x = v->bits.u64[0];
    return true;
}

static bool float_result(const struct em *e, unsigned k) {
    enum kir_type t = e->i->res[k]->type;
    return t == KIR_F32 || t == KIR_F64;
}

void res_int(const struct em *e, unsigned k, val v, bool is_signed) {
    v = v_resize(e, v_bits(e, v), kir_type_bits(e->i->res[k]->type), is_signed);
    e->dst[k] = float_result(e, k) ? v_float(e, v) : v;
}

void res_typed(const struct em *e, unsigned k, val v, enum isa_type t) {
    res_int(e, k, v, isa_type_is_signed(t));
}

void res_flt(const struct em *e, unsigned k, val v) {
    unsigned w = v_width(v);
    if (float_result(e, k) && kir_type_bits(e->i->res[k]->type) == w) {
        e->dst[k] = v;
        return;
    }
    val bits = v_bits(e, v);
    if (w == 32)
        bits = v_sel(e, v_is_nan(e, v), k_int(e, 32, 0x7fffffff), bits);
    res_int(e, k, bits, false);
}

void res_pred(const struct em *e, unsigned k, val v) {
    res_int(e, k, v, false);
}

bool pw_unknown(const struct em *e, const char *what) {
    const struct kir_inst *i = e->i;
    snprintf(e->p->error, sizeof e->p->error, "%s.%s%s%s: %s is not known to the code generator",
             isa_op_info[i->op].name, isa_type_name(i->ty), i->ty2 ? "." : "",
             i->ty2 ? isa_type_name(i->ty2) : "", what);
    return false;
}

// The bits moved to a float's place make the number divided by 2^112, subnormals too; payloads
// stay where they are.
static val half_to_float_bits(const struct em *e, val h) {
    val wide = v_zext(e, h, 32), mag = v_shli(e, v_andi(e, wide, 0x7fff), 13);
    val number = v_bits(e, v_fmul(e, v_float(e, mag), k_flt(e, 32, 0x1p112)));
    val special = v_icmpi(e, LLVMIntUGE, mag, 0x0f800000);
    number = v_sel(e, special, v_or(e, mag, k_int(e, 32, 0x7f800000)), number);
    val nan = v_icmpi(e, LLVMIntUGT, mag, 0x0f800000);
    number = v_sel(e, nan, v_or(e, number, k_int(e, 32, 0x00400000)), number);
    return v_float(e, v_or(e, number, v_shli(e, v_andi(e, wide, 0x8000), 16)));
}

val v_half_to_float(const struct em *e, val h) {
    if (!e->p->target->halves)
        return half_to_float_bits(e, h);
    val f = LLVMBuildFPExt(e->b, LLVMBuildBitCast(e->b, h, v_flt(e, 16), ""), v_flt(e, 32), "");
    // LLVM's passes would compare the halves themselves, for which x86 has no vectors: lane by
    // lane.
    return e->p->quick ? f : v_call1(e, "llvm.arithmetic.fence", f);
}

val v_bfloat_to_float(const struct em *e, val h) {
    return v_float(e, v_shli(e, v_zext(e, h, 32), 16));
}
