// Addresses of shared::cluster in which a program clears bits of the block's rank: on hardware the
// rank stands at bit 24 of each, so that all but that bit of an object's address is its place in
// the even block of a pair, whose instructions (.cta_group::2) take it. Here an address of the
// block's own window has no rank (abi/generated_code.h), and others have it plus one: such a mask
// is for the rank alone.
//
// Found where the mask is a constant and the address is made in the same function.
#include "abi/generated_code.h"
#include "ir/lower/lower.h"
#include "isa/ops/logic.h"

static bool is_inst(const struct kir_value *v, isa_op op) {
    return v->kind == KIR_VALUE_INST && v->def->op == op;
}

// The operand of an AND that is no constant, if the other one clears nothing but bits of the rank.
static struct kir_value *masked(const struct kir_value *v, uint32_t *mask) {
    if (!is_inst(v, ISA_OP_AND) || v->type != KIR_B32)
        return NULL;
    for (uint32_t k = 0; k < 2; k++) {
        const struct kir_value *c = v->def->ops[k];
        const uint32_t ranks = (KD_CLUSTER_MAX_BLOCKS - 1) << KD_CLUSTER_RANK_BIT;
        if (c->kind != KIR_VALUE_CONST)
            continue;
        *mask = c->bits.u32[0];
        return (*mask | ranks) == UINT32_MAX && *mask != UINT32_MAX ? v->def->ops[1 - k] : NULL;
    }
    return NULL;
}

struct place {
    struct kir_func *f;
    struct kir_inst *after;
};

static struct kir_value *put(struct place *p, isa_op op, uint8_t type, uint32_t n,
                             struct kir_value *const *ops) {
    bool bits = op != ISA_OP_SHR && op != ISA_OP_ADD && op != ISA_OP_SUB && op != ISA_OP_SETP;
    struct kir_inst *i = kir_inst_new(p->f, op, bits ? ISA_B32 : ISA_U32, n, 1, &type, 0);
    for (uint32_t k = 0; k < n; k++)
        i->ops[k] = ops[k];
    kir_insert_after(p->after, i);
    p->after = i;
    return i->res[0];
}

static struct kir_value *with(struct place *p, isa_op op, struct kir_value *a, uint32_t b) {
    struct kir_value *ops[] = {a, kir_const(p->f, KIR_B32, b)};
    return put(p, op, op == ISA_OP_SETP ? KIR_PRED : KIR_B32, 2, ops);
}

// The address of what is at x in this block, or in that which x names, in the block of the masked
// rank.
static struct kir_value *in_masked_block(struct place *p, struct kir_value *x, uint32_t mask) {
    struct kir_value *named = with(p, ISA_OP_SHR, x, KD_CLUSTER_RANK_BIT);
    struct kir_value *own = with(p, ISA_OP_SETP, named, 0);
    own->def->mods.cmp = ISA_CMP_EQ;
    struct kir_value *mine = put(p, ISA_OP_SREG, KIR_B32, 0, NULL);
    mine->def->sreg = ISA_SREG_CLUSTER_CTARANK;
    struct kir_value *ranks[] = {mine, with(p, ISA_OP_SUB, named, 1), own};
    struct kir_value *rank = put(p, ISA_OP_SELP, KIR_B32, 3, ranks);
    rank = with(p, ISA_OP_AND, rank, mask >> KD_CLUSTER_RANK_BIT);
    rank = with(p, ISA_OP_SHL, with(p, ISA_OP_ADD, rank, 1), KD_CLUSTER_RANK_BIT);
    struct kir_value *parts[] = {rank, with(p, ISA_OP_AND, x, KD_CLUSTER_MAPPED - 1)};
    return put(p, ISA_OP_OR, KIR_B32, 2, parts);
}

// What the address of a CVTA is before it gets 64 bits and an offset: its place among the operands.
static struct kir_value **address_of(struct kir_inst *cvta) {
    struct kir_value **v = &cvta->ops[0];
    if (is_inst(*v, ISA_OP_ADD) && (*v)->def->ops[1]->kind == KIR_VALUE_CONST)
        v = &(*v)->def->ops[0];
    return is_inst(*v, ISA_OP_CVT) ? &(*v)->def->ops[0] : NULL;
}

void lower_rank_masks(struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            uint32_t mask;
            if (i->op != ISA_OP_CVTA || i->mods.space != ISA_SPACE_CLUSTER || i->mods.to)
                continue;
            struct kir_value **v = address_of(i), *x = v ? masked(*v, &mask) : NULL;
            if (x)
                *v = in_masked_block(&(struct place){f, (*v)->def}, x, mask);
        }
}
