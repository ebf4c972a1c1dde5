// Which file emits which instruction; packed halves as vectors of twice as many lanes.
#include "codegen/pointwise/pointwise.h"

#include <stdio.h>

#include "codegen/pointwise/pointwise_internal.h"
#include "isa/ops/all.h"

const char *pw_error(const struct pw *p) {
    return p->error;
}

static bool pw_convert(const struct em *e) {
    bool packed = pw_is_packed_number(e->i->ty) || pw_is_packed_number(e->i->ty2);
    return packed ? pw_cvt_packed(e) : pw_cvt(e);
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
static bool pw_arithmetic(const struct em *e) {
    return isa_type_is_float(e->i->ty) ? emit_float(e) : emit_integer(e);
}

// What emits each instruction, as instructions.py says.
static bool (*const emitters[ISA_OP_COUNT])(const struct em *) = {
#include "isa/rules/emit_pointwise.inc"
};

static bool emit(const struct em *e) {
    bool (*emitter)(const struct em *) = emitters[e->i->op];
    return emitter ? emitter(e) : pw_unknown(e, "this instruction");
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
    return v_divided(e, v_resize(e, v_bits(e, v), 32, false), t);
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
    val both = v_divided(e, LLVMBuildSExt(e->b, pairs, t, ""), v_int(e, 32));
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
        res_int(e, 0, v_divided(e, dst, v_int(e, 32)), false);
    return true;
}

bool pw_emit(struct pw *p, const struct kir_inst *i, unsigned lanes, const LLVMValueRef *src,
             LLVMValueRef *dst) {
    const struct em e = {p, p->b, i, lanes, src, dst};
    p->error[0] = 0;
    bool packed = half_of(i->ty) || (i->op == ISA_OP_SET && half_of(i->ty2));
    return packed && i->op != ISA_OP_CVT ? emit_packed(&e) : emit(&e);
}
