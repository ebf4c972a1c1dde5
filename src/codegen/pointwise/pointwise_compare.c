// setp, set, selp, slct, testp: comparisons and what chooses by them.
#include "codegen/pointwise/pointwise_internal.h"

static const LLVMIntPredicate signed_cmp[ISA_CMP_COUNT] = {
    [ISA_CMP_EQ] = LLVMIntEQ,  [ISA_CMP_NE] = LLVMIntNE,  [ISA_CMP_LT] = LLVMIntSLT,
    [ISA_CMP_LE] = LLVMIntSLE, [ISA_CMP_GT] = LLVMIntSGT, [ISA_CMP_GE] = LLVMIntSGE,
    [ISA_CMP_LO] = LLVMIntULT, [ISA_CMP_LS] = LLVMIntULE, [ISA_CMP_HI] = LLVMIntUGT,
    [ISA_CMP_HS] = LLVMIntUGE,
};
static const LLVMIntPredicate unsigned_cmp[ISA_CMP_COUNT] = {
    [ISA_CMP_EQ] = LLVMIntEQ,  [ISA_CMP_NE] = LLVMIntNE,  [ISA_CMP_LT] = LLVMIntULT,
    [ISA_CMP_LE] = LLVMIntULE, [ISA_CMP_GT] = LLVMIntUGT, [ISA_CMP_GE] = LLVMIntUGE,
    [ISA_CMP_LO] = LLVMIntULT, [ISA_CMP_LS] = LLVMIntULE, [ISA_CMP_HI] = LLVMIntUGT,
    [ISA_CMP_HS] = LLVMIntUGE,
};
// ne without u is false on a NaN.
static const LLVMRealPredicate float_cmp[ISA_CMP_COUNT] = {
    [ISA_CMP_EQ] = LLVMRealOEQ,  [ISA_CMP_NE] = LLVMRealONE,  [ISA_CMP_LT] = LLVMRealOLT,
    [ISA_CMP_LE] = LLVMRealOLE,  [ISA_CMP_GT] = LLVMRealOGT,  [ISA_CMP_GE] = LLVMRealOGE,
    [ISA_CMP_EQU] = LLVMRealUEQ, [ISA_CMP_NEU] = LLVMRealUNE, [ISA_CMP_LTU] = LLVMRealULT,
    [ISA_CMP_LEU] = LLVMRealULE, [ISA_CMP_GTU] = LLVMRealUGT, [ISA_CMP_GEU] = LLVMRealUGE,
    [ISA_CMP_NUM] = LLVMRealORD, [ISA_CMP_NAN] = LLVMRealUNO,
};

// Operands 0 and 1 compared as type t; NULL when the comparison does not fit the type.
static val compare(const struct em *e, enum isa_type t) {
    unsigned c = e->i->mods.cmp;
    if (isa_type_is_float(t)) {
        val a = op_number(e, 0, t), b = op_number(e, 1, t);
        return a && float_cmp[c] ? v_fcmp(e, float_cmp[c], a, b) : NULL;
    }
    LLVMIntPredicate p = isa_type_is_signed(t) ? signed_cmp[c] : unsigned_cmp[c];
    return p ? v_icmp(e, p, op_typed(e, 0, t), op_typed(e, 1, t)) : NULL;
}

val v_combine(const struct em *e, val p, val c) {
    switch (e->i->mods.boolop) {
    case ISA_BOOL_AND:
        return v_and(e, p, c);
    case ISA_BOOL_OR:
        return v_or(e, p, c);
    case ISA_BOOL_XOR:
        return v_xor(e, p, c);
    default:
        return p;
    }
}

bool pw_setp(const struct em *e) {
    val p = compare(e, e->i->ty);
    if (!p)
        return pw_unknown(e, "a comparison of this type");
    val c = e->i->mods.boolop ? op_pred(e, 2) : NULL;
    res_pred(e, 0, v_combine(e, p, c));
    if (e->i->nres > 1)
        res_pred(e, 1, v_combine(e, v_not(e, p), c));
    return true;
}

// set: all ones or 1.0 where the comparison holds.
bool pw_set(const struct em *e) {
    enum isa_type t = e->i->ty;
    val p = compare(e, e->i->ty2);
    if (!p)
        return pw_unknown(e, "a comparison of this type");
    p = v_combine(e, p, e->i->mods.boolop ? op_pred(e, 2) : NULL);
    uint64_t one = t == ISA_F32 ? 0x3f800000 : t == ISA_F16 ? 0x3c00 : 0x3f80;
    unsigned w = isa_type_bits(t);
    if (isa_type_is_float(t))
        res_int(e, 0, v_sel(e, p, k_int(e, w, one), k_int(e, w, 0)), false);
    else
        res_typed(e, 0, v_sext(e, p, w), t);
    return true;
}

// selp, slct
bool pw_select(const struct em *e) {
    enum isa_type t = e->i->ty;
    val c;
    if (e->i->op == ISA_OP_SELP)
        c = op_pred(e, 2);
    else if (e->i->ty2 == ISA_F32)
        c = v_fcmp(e, LLVMRealOGE, op_number(e, 2, ISA_F32), k_flt(e, 32, 0));
    else
        c = v_icmpi(e, LLVMIntSGE, op_int(e, 2, 32, true), 0);
    if (op_is_copy(e, 0) && op_is_copy(e, 1)) // not by way of integers
        e->dst[0] = v_sel(e, c, e->src[0], e->src[1]);
    else
        res_typed(e, 0, v_sel(e, c, op_typed(e, 0, t), op_typed(e, 1, t)), t);
    return true;
}

// Classes by the bits: m is the magnitude, i the exponent field alone.
static val classify(const struct em *e, val m, uint64_t inf, uint64_t least_normal) {
    switch (e->i->mods.mode) {
    case ISA_TESTP_FINITE:
        return v_icmpi(e, LLVMIntULT, m, inf);
    case ISA_TESTP_INFINITE:
        return v_icmpi(e, LLVMIntEQ, m, inf);
    case ISA_TESTP_NUMBER:
        return v_icmpi(e, LLVMIntULE, m, inf);
    case ISA_TESTP_NOTANUMBER:
        return v_icmpi(e, LLVMIntUGT, m, inf);
    case ISA_TESTP_NORMAL: // zero is
        return v_or(e, v_icmpi(e, LLVMIntEQ, m, 0),
                    v_icmpi(e, LLVMIntULT, v_addi(e, m, -least_normal), inf - least_normal));
    default: // subnormal, not zero
        return v_icmpi(e, LLVMIntULT, v_addi(e, m, -UINT64_C(1)), least_normal - 1);
    }
}

bool pw_testp(const struct em *e) {
    if (e->i->ty == ISA_F32)
        res_pred(
            e, 0,
            classify(e, v_andi(e, op_int(e, 0, 32, false), 0x7fffffff), 0x7f800000, 0x00800000));
    else
        res_pred(e, 0,
                 classify(e, v_andi(e, op_int(e, 0, 64, false), INT64_MAX), UINT64_C(0x7ff) << 52,
                          UINT64_C(1) << 52));
    return true;
}
