// Which file emits which instruction; packed halves as vectors of twice as many lanes.
#include "codegen/pointwise.h"

#include <stdio.h>

#include "codegen/pointwise_internal.h"

const char *pw_error(const struct pw *p) {
    return p->error;
}

bool pw_unknown(const struct em *e, const char *what) {
    const struct kir_inst *i = e->i;
    snprintf(e->p->error, sizeof e->p->error, "%s.%s%s%s: %s is not known to the code generator",
             isa_op_info[i->op].name, isa_type_name(i->ty), i->ty2 ? "." : "",
             i->ty2 ? isa_type_name(i->ty2) : "", what);
    return false;
}

static bool emit_integer(const struct em *e) {
    switch (e->i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_ADDC:
    case ISA_OP_SUBC:
        return pw_add_sub(e);
    case ISA_OP_MUL:
    case ISA_OP_MAD:
    case ISA_OP_MADC:
        return pw_mul_mad(e);
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return pw_min_max(e);
    case ISA_OP_DIV:
        return pw_div_rem(e);
    case ISA_OP_ABS:
    case ISA_OP_NEG:
        return pw_abs_neg(e);
    default:
        return pw_unknown(e, "this type");
    }
}

static bool is_half(enum isa_type t) {
    return t == ISA_F16 || t == ISA_BF16;
}

static bool emit_float(const struct em *e) {
    switch (e->i->op) {
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return pw_float_min_max(e);
    case ISA_OP_ABS:
    case ISA_OP_NEG:
        return pw_float_sign(e);
    default:
        return is_half(e->i->ty) ? pw_half_arith(e) : pw_float_arith(e);
    }
}

// Operations whose type is integer or float.
static bool emit_arithmetic(const struct em *e) {
    return isa_type_is_float(e->i->ty) ? emit_float(e) : emit_integer(e);
}

static bool emit_bits(const struct em *e) {
    switch (e->i->op) {
    case ISA_OP_SHL:
    case ISA_OP_SHR:
        return pw_shift(e);
    case ISA_OP_SHF:
        return pw_funnel(e);
    case ISA_OP_LOP3:
        return pw_lop3(e);
    case ISA_OP_PRMT:
        return pw_prmt(e);
    case ISA_OP_POPC:
    case ISA_OP_CLZ:
    case ISA_OP_BFIND:
    case ISA_OP_BREV:
        return pw_count(e);
    case ISA_OP_BFE:
        return pw_bfe(e);
    case ISA_OP_BFI:
        return pw_bfi(e);
    case ISA_OP_BMSK:
        return pw_bmsk(e);
    case ISA_OP_SZEXT:
        return pw_szext(e);
    case ISA_OP_FNS:
        return pw_fns(e);
    default:
        return pw_logic(e);
    }
}

static bool emit(const struct em *e) {
    switch (e->i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_ADDC:
    case ISA_OP_SUBC:
    case ISA_OP_MUL:
    case ISA_OP_MAD:
    case ISA_OP_MADC:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
    case ISA_OP_DIV:
    case ISA_OP_ABS:
    case ISA_OP_NEG:
        return emit_arithmetic(e);
    case ISA_OP_FMA:
        return emit_float(e);
    case ISA_OP_RCP:
    case ISA_OP_SQRT:
        return pw_float_arith(e);
    case ISA_OP_RSQRT:
    case ISA_OP_SIN:
    case ISA_OP_COS:
    case ISA_OP_LG2:
    case ISA_OP_EX2:
    case ISA_OP_TANH:
        return pw_approx(e);
    case ISA_OP_COPYSIGN:
        return pw_copysign(e);
    case ISA_OP_CVT:
        return pw_cvt(e);
    case ISA_OP_CVT_PACK:
        return pw_cvt_pack(e);
    case ISA_OP_MUL24:
    case ISA_OP_MAD24:
        return pw_mul_mad(e);
    case ISA_OP_REM:
        return pw_div_rem(e);
    case ISA_OP_SAD:
        return pw_sad(e);
    case ISA_OP_DP4A:
    case ISA_OP_DP2A:
        return pw_dot(e);
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
    case ISA_OP_NOT:
    case ISA_OP_CNOT:
    case ISA_OP_SHL:
    case ISA_OP_SHR:
    case ISA_OP_SHF:
    case ISA_OP_LOP3:
    case ISA_OP_PRMT:
    case ISA_OP_POPC:
    case ISA_OP_CLZ:
    case ISA_OP_BFIND:
    case ISA_OP_BREV:
    case ISA_OP_BFE:
    case ISA_OP_BFI:
    case ISA_OP_BMSK:
    case ISA_OP_SZEXT:
    case ISA_OP_FNS:
        return emit_bits(e);
    case ISA_OP_SETP:
        return pw_setp(e);
    case ISA_OP_SET:
        return pw_set(e);
    case ISA_OP_SELP:
    case ISA_OP_SLCT:
        return pw_select(e);
    case ISA_OP_TESTP:
        return pw_testp(e);
    case ISA_OP_MOV:
    case ISA_OP_MOV_PACK:
    case ISA_OP_MOV_UNPACK:
        return pw_mov(e);
    default:
        return pw_unknown(e, "this instruction");
    }
}

// The type of one of two halves in a register, ISA_VOID for types that are not packed.
static enum isa_type half_of(enum isa_type t) {
    switch (t) {
    case ISA_F16X2:
        return ISA_F16;
    case ISA_BF16X2:
        return ISA_BF16;
    case ISA_U16X2:
        return ISA_U16;
    case ISA_S16X2:
        return ISA_S16;
    default:
        return ISA_VOID;
    }
}

// A register of two halves is two lanes.
static val to_halves(const struct em *e, val v, unsigned lanes) {
    LLVMTypeRef t = LLVMVectorType(LLVMInt16TypeInContext(e->p->ctx), lanes);
    return LLVMBuildBitCast(e->b, v_resize(e, v_bits(e, v), 32, false), t, "");
}

// A predicate for both halves.
static val to_pairs(const struct em *e, val v, unsigned lanes) {
    val ones = v_sext(e, v, 32), halves = to_halves(e, ones, lanes);
    LLVMTypeRef t = LLVMVectorType(LLVMInt1TypeInContext(e->p->ctx), lanes);
    return LLVMBuildTrunc(e->b, halves, t, "");
}

// setp.f16x2 p|q: the result of each half.
static void store_pair(const struct em *e, val pairs, unsigned lanes) {
    LLVMTypeRef t = LLVMVectorType(LLVMInt16TypeInContext(e->p->ctx), lanes);
    val both = LLVMBuildBitCast(e->b, LLVMBuildSExt(e->b, pairs, t, ""), v_int(e, 32), "");
    res_pred(e, 0, v_trunc(e, both, 1));
    if (e->i->nres > 1)
        res_pred(e, 1, v_trunc(e, v_lshri(e, both, 16), 1));
}

static bool emit_packed(const struct em *e) {
    enum { MOST = 4 };
    unsigned lanes = 2 * (e->lanes ? e->lanes : 1);
    bool setp = e->i->op == ISA_OP_SETP;
    struct kir_value half = {.kind = KIR_VALUE_UNDEF, .type = KIR_B16};
    struct kir_value pred = {.kind = KIR_VALUE_UNDEF, .type = KIR_PRED};
    struct kir_value *ops[MOST], *res = setp ? &pred : &half;
    struct kir_inst i = *e->i;
    val src[MOST], dst;
    if (i.nops > MOST)
        return pw_unknown(e, "so many operands");
    for (unsigned k = 0; k < i.nops; k++) {
        bool is_pred = e->i->ops[k]->type == KIR_PRED;
        ops[k] = is_pred ? &pred : &half;
        src[k] = is_pred ? to_pairs(e, e->src[k], lanes) : to_halves(e, e->src[k], lanes);
    }
    i.ty = half_of(i.ty) ? half_of(i.ty) : ISA_U16; // set.u32.f16x2: a mask in each half
    i.ty2 = half_of(i.ty2);
    i.ops = ops;
    i.res = &res;
    i.nres = 1;
    const struct em halves = {e->p, e->b, &i, lanes, src, &dst};
    if (!emit(&halves))
        return false;
    if (setp)
        store_pair(e, dst, lanes);
    else
        res_int(e, 0, LLVMBuildBitCast(e->b, dst, v_int(e, 32), ""), false);
    return true;
}

bool pw_emit(struct pw *p, const struct kir_inst *i, unsigned lanes, const LLVMValueRef *src,
             LLVMValueRef *dst) {
    const struct em e = {p, p->b, i, lanes, src, dst};
    p->error[0] = 0;
    bool packed = half_of(i->ty) || (i->op == ISA_OP_SET && half_of(i->ty2));
    return packed && i->op != ISA_OP_CVT ? emit_packed(&e) : emit(&e);
}
