#include "passes/flow/sole_lane.h"

#include "isa/ops/arith.h"
#include "isa/ops/warp.h"

enum { MAX_DEPTH = 8, MAX_BLOCKS = 16 };

// The lanes for which a condition may hold, and those for which it may not.
struct lanes {
    uint32_t yes, no;
};

static const struct lanes ANY = {UINT32_MAX, UINT32_MAX};

// Those lanes of base + offs[lane] that can be c: the base's range and the zeros at its end decide.
static struct lanes that_equal(const struct flow *fl, const struct shape *s, unsigned bits,
                               int64_t c) {
    struct lanes l = {0, UINT32_MAX};
    int64_t step = (int64_t)1 << (s->tz > 20 ? 20 : s->tz);
    for (unsigned k = 0; k < fl->width; k++) {
        int64_t base = (int64_t)((uint64_t)c - (uint64_t)s->offs[k]);
        base = bits == 32 ? (int32_t)base : base;
        if (base >= s->lo && base <= s->hi && base % step == 0)
            l.yes |= UINT32_C(1) << k;
    }
    return l;
}

static struct lanes lanes_where(const struct flow *fl, const struct kir_value *v, unsigned depth);

// Those lanes for which one of two constants is c, by the condition that chooses between them.
static struct lanes that_choose(const struct flow *fl, const struct kir_inst *selp, uint64_t c,
                                unsigned depth) {
    struct lanes x = lanes_where(fl, selp->ops[2], depth), l = {0, 0};
    for (unsigned k = 0; k < 2; k++) {
        uint64_t choice;
        if (!flow_const(selp->ops[k], &choice))
            return ANY;
        *(choice == c ? &l.yes : &l.no) |= k ? x.no : x.yes;
    }
    return l;
}

static struct lanes where_equal(const struct flow *fl, const struct kir_inst *i, unsigned depth) {
    unsigned bits = isa_type_bits(i->ty);
    uint64_t c;
    if (isa_type_is_float(i->ty) || (bits != 32 && bits != 64))
        return ANY;
    for (unsigned k = 0; k < 2; k++) {
        const struct kir_value *v = i->ops[k];
        if (v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_SELP &&
            flow_const(i->ops[1 - k], &c) && kir_type_bits(v->type) == bits)
            return that_choose(fl, v->def, c, depth);
        struct shape s = flow_use(fl, i->ops[k], i->block);
        if (s.kind != SHAPE_OFFSETS || s.guard || !flow_const(i->ops[1 - k], &c) ||
            kir_type_bits(i->ops[k]->type) != bits)
            continue;
        return that_equal(fl, &s, bits, bits == 32 ? (int32_t)(uint32_t)c : (int64_t)c);
    }
    return ANY;
}

// The first lane is elected, where all lanes of a kernel's warp come to the election.
static struct lanes that_are_elected(const struct flow *fl, const struct kir_inst *i) {
    uint64_t members;
    bool all = fl->width == 32 && fl->func->is_kernel && fl->full[i->block->id] &&
               flow_const(i->ops[0], &members) && (uint32_t)members == UINT32_MAX;
    return all ? (struct lanes){1, ~UINT32_C(1)} : ANY;
}

static struct lanes lanes_where(const struct flow *fl, const struct kir_value *v, unsigned depth) {
    if (v->kind != KIR_VALUE_INST || !depth--)
        return ANY;
    const struct kir_inst *i = v->def;
    if (i->op == ISA_OP_ELECT && v == i->res[1])
        return that_are_elected(fl, i);
    if (i->nres != 1)
        return ANY;
    struct lanes x, y;
    switch (i->op) {
    case ISA_OP_SETP:
        if (i->nops != 2 || i->mods.boolop)
            return ANY;
        x = where_equal(fl, i, depth);
        return i->mods.cmp == ISA_CMP_EQ   ? x
               : i->mods.cmp == ISA_CMP_NE ? (struct lanes){x.no, x.yes}
                                           : ANY;
    case ISA_OP_NOT:
        x = lanes_where(fl, i->ops[0], depth);
        return (struct lanes){x.no, x.yes};
    case ISA_OP_AND:
    case ISA_OP_OR:
        x = lanes_where(fl, i->ops[0], depth);
        y = lanes_where(fl, i->ops[1], depth);
        return i->op == ISA_OP_AND ? (struct lanes){x.yes & y.yes, x.no | y.no}
                                   : (struct lanes){x.yes | y.yes, x.no & y.no};
    default:
        return ANY;
    }
}

// Every lane in b has been in the blocks that dominate it, and came to those with one predecessor
// by that edge.
int sole_lane(const struct flow *fl, const struct kir_block *b) {
    uint32_t lanes = fl->width < 32 ? (UINT32_C(1) << fl->width) - 1 : UINT32_MAX;
    for (unsigned n = 0; n < MAX_BLOCKS && fl->width > 1; n++) {
        const struct kir_inst *t = b->preds.len == 1 ? b->preds.data[0]->last : NULL;
        if (t && t->op == ISA_OP_CBR && t->targets[0] != t->targets[1]) {
            struct lanes l = lanes_where(fl, t->ops[0], MAX_DEPTH);
            lanes &= t->targets[0] == b ? l.yes : l.no;
        }
        uint32_t up = fl->cfg->idom[b->id];
        if (up == UINT32_MAX || up == b->id)
            break;
        b = fl->func->blocks.data[up];
    }
    return lanes && !(lanes & (lanes - 1)) ? __builtin_ctz(lanes) : -1;
}
