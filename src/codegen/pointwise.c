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

// Operations whose type is integer or float.
static bool emit_arithmetic(const struct em *e) {
    return isa_type_is_float(e->i->ty) ? pw_unknown(e, "this type") : emit_integer(e);
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

bool pw_emit(struct pw *p, const struct kir_inst *i, unsigned lanes, const LLVMValueRef *src,
             LLVMValueRef *dst) {
    const struct em e = {p, p->b, i, lanes, src, dst};
    return emit(&e);
}
