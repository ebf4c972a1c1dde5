// Operands as numbers to compute with; .ftz and .sat on f32.
#include "codegen/pointwise/pointwise_internal.h"
#include "isa/ops/arith.h"
#include "isa/ops/floats.h"

val v_flush(const struct em *e, val a) {
    val bits = v_bits(e, a);
    val tiny = v_icmpi(e, LLVMIntEQ, v_andi(e, bits, 0x7f800000), 0);
    return v_float(e, v_sel(e, tiny, v_andi(e, bits, 0x80000000), bits));
}

// Written so that maxps and minps, which return their second operand on NaN and equality, do it.
val v_saturate(const struct em *e, val a) {
    unsigned w = v_width(a);
    val zero = k_flt(e, w, 0), one = k_flt(e, w, 1);
    a = v_sel(e, v_fcmp(e, LLVMRealOGT, a, zero), a, zero);
    return v_sel(e, v_fcmp(e, LLVMRealOLT, a, one), a, one);
}

// Does the operand hold no subnormal f32 anyway? Chains of .ftz instructions, which is what
// -use_fast_math gives, need no more than one flush each.
static bool is_flushed(const struct kir_value *v) {
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    if (!i || i->ty != ISA_F32)
        return false;
    switch (i->op) {
    case ISA_OP_CVT:
        return i->mods.ftz || !isa_type_is_float(i->ty2);
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MUL:
    case ISA_OP_MAD:
    case ISA_OP_FMA:
    case ISA_OP_DIV:
    case ISA_OP_RCP:
    case ISA_OP_SQRT:
    case ISA_OP_RSQRT:
    case ISA_OP_SIN:
    case ISA_OP_COS:
    case ISA_OP_LG2:
    case ISA_OP_EX2:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
    case ISA_OP_ABS:
    case ISA_OP_NEG:
        return i->mods.ftz;
    default:
        return false;
    }
}

static val flushed_half(const struct em *e, val h) {
    val tiny = v_icmpi(e, LLVMIntEQ, v_andi(e, h, 0x7c00), 0);
    return v_sel(e, tiny, v_andi(e, h, 0x8000), h);
}

val op_number(const struct em *e, unsigned k, enum isa_type t) {
    bool ftz = e->i->mods.ftz;
    val a;
    switch (t) {
    case ISA_F32:
        a = op_flt(e, k, 32);
        return ftz && !is_flushed(e->i->ops[k]) ? v_flush(e, a) : a;
    case ISA_F64:
        return op_flt(e, k, 64);
    case ISA_F16:
        a = op_int(e, k, 16, false);
        return v_half_to_float(e, ftz ? flushed_half(e, a) : a);
    case ISA_BF16:
        a = v_bfloat_to_float(e, op_int(e, k, 16, false));
        return ftz ? v_flush(e, a) : a;
    default:
        return NULL;
    }
}
