// .ftz, and operands as numbers to compute with.
#include "codegen/pointwise_internal.h"

val v_flush(const struct em *e, val a) {
    val bits = v_bits(e, a);
    val tiny = v_icmpi(e, LLVMIntEQ, v_andi(e, bits, 0x7f800000), 0);
    return v_float(e, v_sel(e, tiny, v_andi(e, bits, 0x80000000), bits));
}

val op_number(const struct em *e, unsigned k, enum isa_type t) {
    switch (t) {
    case ISA_F32: {
        val a = op_flt(e, k, 32);
        return e->i->mods.ftz ? v_flush(e, a) : a;
    }
    case ISA_F64:
        return op_flt(e, k, 64);
    default:
        return NULL;
    }
}
