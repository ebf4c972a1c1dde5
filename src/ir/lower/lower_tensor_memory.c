// tcgen05. What is asynchronous is done where it is issued, so that fences have nothing to do, and
// a commit is an arrival. Tensor memory is the device's: it gives the address of the first word
// that a warp accesses, from which ordinary loads and stores go on.
#include "ir/lower/lower.h"
#include "isa/ops/arith.h"
#include "isa/ops/async.h"
#include "isa/ops/logic.h"
#include "isa/ops/tensor.h"
#include "isa/ops/warp.h"

#include "isa/tensor_memory.h"

enum { LANE_BITS = 5, WORD = 4, LANES_SHIFT = 16 };

static struct kir_value *const32(struct lower_func *lf, uint32_t v) {
    return kir_const(lf->f, KIR_B32, v);
}

static struct kir_value *binary(struct lower_func *lf, isa_op op, struct kir_value *a, uint32_t b) {
    struct kir_value *ops[2] = {a, const32(lf, b)};
    enum isa_type ty = op == ISA_OP_ADD || op == ISA_OP_MUL || op == ISA_OP_SHR ? ISA_U32 : ISA_B32;
    return lower_emit1(lf, op, ty, KIR_B32, 2, ops);
}

static struct kir_value *lane(struct lower_func *lf) {
    struct kir_value *v = lower_emit1(lf, ISA_OP_SREG, ISA_U32, KIR_B32, 0, NULL);
    v->def->sreg = ISA_SREG_LANEID;
    return v;
}

static struct kir_inst *emit(struct lower_func *lf, isa_op op, uint32_t n,
                             struct kir_value *const *v) {
    struct kir_inst *i = lower_emit(lf, op, ISA_B32, n, 0, NULL);
    for (uint32_t k = 0; k < n; k++)
        i->ops[k] = v[k];
    return i;
}

// A place in tensor memory, in brackets.
static bool place(struct lower_func *lf, const struct ptx_operand *o, struct kir_value **out) {
    uint8_t space = ISA_SPACE_SHARED; // has 32 bits, too
    int64_t offset;
    if (!lower_address(lf, o, out, &offset, &space))
        return false;
    *out = lower_resize(lf, *out, KIR_B32);
    if (offset)
        *out = binary(lf, ISA_OP_ADD, *out, (uint32_t)offset);
    return true;
}

// ---- allocation
// ----------------------------------------------------------------------------------

static void meet(struct lower_func *lf) {
    struct kir_value *all = const32(lf, UINT32_MAX);
    emit(lf, ISA_OP_BAR_WARP_SYNC, 1, &all);
}

// What a warp does together is done by its first lane when all have come; then all go on.
static void first_lane_alone(struct lower_func *lf, isa_op op, uint32_t n,
                             struct kir_value *const *v) {
    meet(lf);
    struct kir_block *first = lower_block(lf), *next = lower_block(lf);
    struct kir_value *sides[2] = {lane(lf), const32(lf, 0)};
    struct kir_value *is_first = lower_emit1(lf, ISA_OP_SETP, ISA_U32, KIR_PRED, 2, sides);
    is_first->def->mods.cmp = ISA_CMP_EQ;
    lower_jump(lf, is_first, first, next);
    lf->cur = first;
    emit(lf, op, n, v);
    lower_jump(lf, NULL, next, NULL);
    lf->cur = next;
    meet(lf);
}

static bool lower_alloc(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    struct kir_value *v[2];
    if (!lower_generic_address(lf, &inst->ops[0], inst->mods.space, &v[0]) ||
        !lower_operand(lf, &inst->ops[1], &v[1]))
        return false;
    first_lane_alone(lf, ISA_OP_TCGEN05_ALLOC, 2, v);
    return true;
}

static bool lower_dealloc(struct lower_func *lf) {
    struct kir_value *v[2];
    if (!lower_operand(lf, &lf->inst->ops[0], &v[0]) ||
        !lower_operand(lf, &lf->inst->ops[1], &v[1]))
        return false;
    first_lane_alone(lf, ISA_OP_TCGEN05_DEALLOC, 2, v);
    return true;
}

static bool lower_relinquish(struct lower_func *lf) {
    struct kir_value *zero = const32(lf, 0);
    emit(lf, ISA_OP_TCGEN05_RELINQUISH, 1, &zero);
    return true;
}

// ---- ld and st
// -----------------------------------------------------------------------------------

static uint32_t word_of(const struct isa_mods *m, uint32_t split, uint32_t thread, uint32_t reg) {
    struct isa_tensor_place p = isa_tensor_place_of(m, split, thread, reg);
    return p.column * TENSOR_LANES + p.lane;
}

// How far the lane's words lie from the warp's first one, in bytes: a sum over the bits of the
// lane's number. Neighbouring bits whose weights double go together.
static struct kir_value *lane_offset(struct lower_func *lf, uint32_t split) {
    const struct isa_mods *m = &lf->inst->mods;
    struct kir_value *id = lane(lf), *sum = NULL;
    for (uint32_t bit = 0, next; bit < LANE_BITS; bit = next) {
        uint32_t weight = word_of(m, split, 1u << bit, 0);
        for (next = bit + 1; next < LANE_BITS; next++)
            if (word_of(m, split, 1u << next, 0) != weight << (next - bit))
                break;
        struct kir_value *part = bit ? binary(lf, ISA_OP_SHR, id, bit) : id;
        if (next < LANE_BITS)
            part = binary(lf, ISA_OP_AND, part, (1u << (next - bit)) - 1);
        part = binary(lf, ISA_OP_MUL, part, weight * WORD);
        part->def->mods.half = ISA_LO;
        struct kir_value *sides[2] = {sum, part};
        sum = sum ? lower_emit1(lf, ISA_OP_ADD, ISA_U32, KIR_B32, 2, sides) : part;
    }
    return sum;
}

static bool lane_address(struct lower_func *lf, const struct ptx_operand *o, uint32_t split,
                         struct kir_value **out) {
    const struct isa_mods *m = &lf->inst->mods;
    struct kir_value *v[2];
    if (!place(lf, o, &v[0]))
        return false;
    v[1] = const32(lf, isa_tensor_lanes(m) << LANES_SHIFT | isa_tensor_columns(m, split));
    struct kir_value *sides[2] = {lower_emit1(lf, ISA_OP_TCGEN05_AT, ISA_B64, KIR_B64, 2, v),
                                  lower_resize(lf, lane_offset(lf, split), KIR_B64)};
    *out = lower_emit1(lf, ISA_OP_ADD, ISA_U64, KIR_B64, 2, sides);
    return true;
}

static struct kir_inst *access(struct lower_func *lf, isa_op op, struct kir_value *base,
                               uint32_t word) {
    uint8_t type = KIR_B32;
    struct kir_inst *i =
        lower_emit(lf, op, ISA_B32, op == ISA_OP_ST ? 2 : 1, op == ISA_OP_LD, &type);
    i->ops[0] = base;
    i->offset = (int64_t)word * WORD;
    return i;
}

static const struct ptx_operand *element(const struct ptx_operand *o, uint32_t k) {
    return o->kind == PTX_OPERAND_VEC ? &o->elems[k] : o;
}

// The smallest or largest of the words that a lane has, for .red.
static struct kir_value *reduced(struct lower_func *lf, struct kir_value *const *v, uint32_t n) {
    const struct isa_mods *m = &lf->inst->mods;
    enum isa_type ty = (enum isa_type)lf->inst->ty;
    struct kir_value *sides[2] = {NULL, NULL};
    for (uint32_t k = 0; k < n; k++) {
        sides[1] = m->abs ? lower_emit1(lf, ISA_OP_ABS, ty, KIR_B32, 1, &v[k]) : v[k];
        if (k) {
            sides[1] = lower_emit1(lf, m->atom == ISA_ATOM_MIN ? ISA_OP_MIN : ISA_OP_MAX, ty,
                                   KIR_B32, 2, sides);
            sides[1]->def->mods.nan = m->nan;
        }
        sides[0] = sides[1];
    }
    return sides[0];
}

static bool lower_ld(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    bool red = inst->mods.atom != 0;
    const struct ptx_operand *from = &inst->ops[red ? 2 : 1];
    uint32_t split = inst->nops > (red ? 3 : 2) ? (uint32_t)from[1].imm : 0;
    uint32_t n = isa_tensor_registers(&inst->mods);
    struct kir_value *base, *v[128];
    if (red && inst->ops[1].kind != PTX_OPERAND_REG)
        return lower_error(lf->lm, inst->pos, "redval is no register");
    if (!lane_address(lf, from, split, &base))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t word = word_of(&inst->mods, split, 0, k);
        v[k] = access(lf, ISA_OP_LD, base, word)->res[0];
        if (!inst->mods.trans)
            continue;
        struct kir_value *high = access(lf, ISA_OP_LD, base, word + TENSOR_LANES)->res[0];
        struct kir_value *sides[2] = {binary(lf, ISA_OP_AND, v[k], 0xffff),
                                      binary(lf, ISA_OP_SHL, high, 16)};
        v[k] = lower_emit1(lf, ISA_OP_OR, ISA_B32, KIR_B32, 2, sides);
    }
    struct kir_value *extreme = red ? reduced(lf, v, n) : NULL;
    for (uint32_t k = 0; k < n; k++)
        if (element(&inst->ops[0], k)->kind == PTX_OPERAND_REG)
            lower_write(lf, element(&inst->ops[0], k), v[k]);
    if (red)
        lower_write(lf, &inst->ops[1], extreme);
    return true;
}

static bool lower_st(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    uint32_t split = inst->nops > 2 ? (uint32_t)inst->ops[1].imm : 0;
    const struct ptx_operand *from = &inst->ops[inst->nops - 1];
    struct kir_value *base, *v;
    if (!lane_address(lf, &inst->ops[0], split, &base))
        return false;
    for (uint32_t k = 0; k < isa_tensor_registers(&inst->mods); k++) {
        uint32_t word = word_of(&inst->mods, split, 0, k);
        if (!lower_operand(lf, element(from, k), &v))
            return false;
        if (inst->mods.trans) {
            struct kir_value *high = binary(lf, ISA_OP_SHR, v, 16);
            v = binary(lf, ISA_OP_AND, v, 0xffff);
            access(lf, ISA_OP_ST, base, word + TENSOR_LANES)->ops[1] = high;
        }
        access(lf, ISA_OP_ST, base, word)->ops[1] = v;
    }
    return true;
}

// ---- what one thread issues
// ----------------------------------------------------------------------

static bool lower_cp(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    struct kir_value *v[3] = {const32(lf, isa_tensor_copy_code(&inst->mods))};
    if (!place(lf, &inst->ops[0], &v[1]) || !lower_operand(lf, &inst->ops[1], &v[2]))
        return false;
    emit(lf, ISA_OP_TCGEN05_CP, 3, v);
    return true;
}

static bool lower_shift(struct lower_func *lf) {
    bool pair = lf->inst->mods.po;
    struct kir_value *v[2] = {NULL, pair ? const32(lf, 1) : NULL};
    if (!place(lf, &lf->inst->ops[0], &v[0]))
        return false;
    emit(lf, ISA_OP_TCGEN05_SHIFT, pair ? 2 : 1, v);
    return true;
}

static bool lower_mma(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    struct kir_value *v[16];
    uint32_t n = 1;
    for (uint32_t k = 0; k < inst->nops; k++) {
        const struct ptx_operand *o = &inst->ops[k];
        uint32_t elements = o->kind == PTX_OPERAND_VEC ? o->n : 1;
        for (uint32_t e = 0; e < elements; e++, n++)
            if (o->kind == PTX_OPERAND_ADDR ? !place(lf, o, &v[n])
                                            : !lower_operand(lf, element(o, e), &v[n]))
                return false;
    }
    v[0] = const32(lf, isa_tensor_code(&inst->mods, n - 1));
    emit(lf, ISA_OP_TCGEN05_MMA, n, v);
    return true;
}

static bool lower_commit(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    struct kir_value *v[2] = {NULL, const32(lf, 1)};
    uint8_t state = KIR_B64;
    if (!lower_generic_address(lf, &inst->ops[0], inst->mods.space, &v[0]))
        return false;
    if (inst->nops > 1) {
        if (!lower_operand(lf, &inst->ops[1], &v[1]))
            return false;
        v[1] = lower_resize(lf, v[1], KIR_B32);
        emit(lf, ISA_OP_TCGEN05_COMMIT, 2, v);
        return true;
    }
    struct kir_inst *i = lower_emit(lf, ISA_OP_MBARRIER_ARRIVE, ISA_B64, 2, 1, &state);
    i->ops[0] = v[0];
    i->ops[1] = v[1];
    i->index = lf->lm->ast->tells_copies;
    return true;
}

bool lower_tensor_memory(struct lower_func *lf) {
    switch (lf->inst->op) {
    case ISA_OP_TCGEN05_ALLOC:
        return lower_alloc(lf);
    case ISA_OP_TCGEN05_DEALLOC:
        return lower_dealloc(lf);
    case ISA_OP_TCGEN05_RELINQUISH:
        return lower_relinquish(lf);
    case ISA_OP_TCGEN05_LD:
        return lower_ld(lf);
    case ISA_OP_TCGEN05_ST:
        return lower_st(lf);
    case ISA_OP_TCGEN05_CP:
        return lower_cp(lf);
    case ISA_OP_TCGEN05_SHIFT:
        return lower_shift(lf);
    case ISA_OP_TCGEN05_MMA:
        return lower_mma(lf);
    case ISA_OP_TCGEN05_COMMIT:
        return lower_commit(lf);
    default: // waits and fences: the lanes of a warp wait for each other's accesses
        if (lf->inst->mods.aligned)
            meet(lf);
        return true;
    }
}
