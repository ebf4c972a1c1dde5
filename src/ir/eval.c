// Pointwise instructions of the IR, computed through the instruction table.
#include "ir/eval.h"

#include "isa/ops/move.h"
#include "isa/result_type.h"

// A move of one lane's, but not of a group's.
static bool tells_who_comes(const struct kir_inst *i) {
    return i->op == ISA_OP_GROUP_FEW || i->op == ISA_OP_GROUP_LOWEST || i->op == ISA_OP_GROUP_LANE;
}

bool kir_is_computable(const struct kir_inst *i) {
    return isa_op_info[i->op].klass == ISA_CLASS_POINTWISE && i->op != ISA_OP_CVTA &&
           i->op != ISA_OP_ISSPACEP && !tells_who_comes(i);
}

union isa_bits kir_extend(union isa_bits b, enum isa_type from, enum kir_type to) {
    unsigned have = isa_type_bits(from), want = kir_type_bits(to);
    if (have == 0 || have >= 128 || want >= 128)
        return b;
    uint64_t v = b.u64[0];
    if (have < 64) {
        v &= (UINT64_C(1) << have) - 1;
        if (isa_type_is_signed(from) && from != ISA_S16X2 && (v >> (have - 1)) & 1)
            v |= ~UINT64_C(0) << have;
    }
    if (want < 64)
        v &= (UINT64_C(1) << want) - 1;
    return (union isa_bits){.u64 = {v, 0}};
}

bool kir_eval(const struct kir_inst *i, const union isa_bits *src, union isa_bits *dst) {
    if ((!kir_is_computable(i) && !tells_who_comes(i)) ||
        !isa_eval((isa_op)i->op, (enum isa_type)i->ty, (enum isa_type)i->ty2, &i->mods, src, dst))
        return false;
    if (i->nres == 1 && i->res[0]->type != KIR_PRED && i->op != ISA_OP_MOV_PACK)
        dst[0] = kir_extend(dst[0], isa_result_type(i->op, (enum isa_type)i->ty, &i->mods),
                            i->res[0]->type);
    return true;
}
