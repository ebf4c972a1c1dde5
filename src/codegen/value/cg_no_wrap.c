// Tells LLVM of sums and products of scalars that do not wrap, as ranges of shapes show. It moves
// the extension of an index from a loop over groups then, and steps through memory by a constant.
#include "codegen/value/cg_no_wrap.h"
#include "codegen/core/state.h"

// Groups that a team has beyond the block's threads leave an operand's range by less.
enum { ROOM_BITS = 4 };

// Ranges are those of exact results, or all that a register holds.
static bool is_narrow(const struct shape *s, unsigned bits) {
    int64_t most = bits >= 64 ? INT64_MAX : (1LL << (bits - 1)) - 1;
    most -= most >> ROOM_BITS;
    return s->lo >= -most && s->hi <= most;
}

static bool has_base(const struct shape *s) {
    return s->kind == SHAPE_UNIFORM || s->kind == SHAPE_OFFSETS;
}

static bool is_sum_or_product(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_SHL:
        return true;
    case ISA_OP_MUL:
    case ISA_OP_MAD:
        return i->mods.half == ISA_LO;
    default:
        return false;
    }
}

static void set_flags(LLVMValueRef v, bool is_unsigned) {
    LLVMSetNSW(v, 1);
    if (is_unsigned)
        LLVMSetNUW(v, 1);
}

static bool has_opcode(LLVMValueRef v, LLVMOpcode op) {
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

void cg_note_no_wrap(struct cg_func *g, const struct kir_inst *i, const LLVMValueRef *src,
                     LLVMValueRef result) {
    unsigned bits = isa_type_bits(i->ty);
    if (i->nres != 1 || !is_sum_or_product(i) || isa_type_is_float(i->ty) || i->mods.sat ||
        i->mods.cc || (bits != 32 && bits != 64) || kir_type_bits(i->res[0]->type) != bits)
        return;
    const struct shape *s = &g->fl->shape[i->res[0]->id];
    if (!has_base(s) || !is_narrow(s, bits))
        return;
    bool is_unsigned = s->lo >= 0 && i->op != ISA_OP_SUB;
    for (uint32_t k = 0; k < i->nops; k++) {
        if (result == src[k])
            return;
        struct shape x = flow_use(g->fl, i->ops[k], g->block);
        is_unsigned &= has_base(&x) && x.lo >= 0;
    }
    if (i->op == ISA_OP_SHL   ? has_opcode(result, LLVMShl)
        : i->op == ISA_OP_SUB ? has_opcode(result, LLVMSub)
        : i->op == ISA_OP_MUL ? has_opcode(result, LLVMMul)
                              : has_opcode(result, LLVMAdd))
        set_flags(result, is_unsigned);
    LLVMValueRef product =
        i->op == ISA_OP_MAD && has_opcode(result, LLVMAdd) ? LLVMGetOperand(result, 0) : NULL;
    if (product && product != src[2] && has_opcode(product, LLVMMul))
        set_flags(product, is_unsigned);
}
