// A comparison tells of two numbers that they are less, equal or greater: three bits, and each
// branch on the way takes some of them away. Of a counter it is known, too, that it differs from
// what every way to its loop's next iteration has found it to differ from.
#include "passes/analysis/known_test.h"

#include "ir/eval.h"
#include "isa/ops/arith.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, ANY = LESS | EQUAL | GREATER };
enum { MAX_TERMS = 8, MAX_BLOCKS = 16 };

struct question {
    const struct cfg *cfg;
    const struct kir_value *a, *b;
    unsigned bits; // how many of a and b are compared
    bool is_signed;
    bool counts; // may a be a loop's counter, of which the iteration before is asked?
};

static bool is_comparison(const struct kir_inst *i) {
    return i->op == ISA_OP_SETP && i->nops == 2 && i->mods.boolop == ISA_BOOL_NONE &&
           !isa_type_is_float((enum isa_type)i->ty) && i->ty != ISA_PRED &&
           i->mods.cmp <= ISA_CMP_HS;
}

static bool compares_signed(const struct kir_inst *i) {
    return isa_type_is_signed((enum isa_type)i->ty) && i->mods.cmp < ISA_CMP_LO;
}

// Which of the three a comparison asks for.
static unsigned wanted(const struct kir_inst *i) {
    switch (i->mods.cmp) {
    case ISA_CMP_EQ:
        return EQUAL;
    case ISA_CMP_NE:
        return LESS | GREATER;
    case ISA_CMP_LT:
    case ISA_CMP_LO:
        return LESS;
    case ISA_CMP_LE:
    case ISA_CMP_LS:
        return LESS | EQUAL;
    case ISA_CMP_GT:
    case ISA_CMP_HI:
        return GREATER;
    default:
        return GREATER | EQUAL;
    }
}

// The value whose low bits v's are: what conversions leave alone.
static const struct kir_value *low(const struct kir_value *v, unsigned bits) {
    for (unsigned n = 0; v->kind == KIR_VALUE_INST && n < MAX_TERMS; n++) {
        const struct kir_inst *i = v->def;
        enum isa_type to = (enum isa_type)i->ty, from = (enum isa_type)i->ty2;
        bool keeps = i->op == ISA_OP_CVT && i->nops == 1 && !i->mods.sat &&
                     !isa_type_is_float(to) && !isa_type_is_float(from) &&
                     isa_type_bits(to) >= bits && isa_type_bits(from) >= bits;
        if (!keeps)
            break;
        v = i->ops[0];
    }
    return v;
}

static bool same_low(const struct kir_value *x, const struct kir_value *y, unsigned bits) {
    x = low(x, bits);
    y = low(y, bits);
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return x == y || (x->kind == KIR_VALUE_CONST && y->kind == KIR_VALUE_CONST &&
                      !((x->bits.u64[0] ^ y->bits.u64[0]) & mask));
}

static unsigned turned_round(unsigned r) {
    return (r & EQUAL) | (r & LESS ? GREATER : 0) | (r & GREATER ? LESS : 0);
}

// Would the comparison `i` of b with a constant have another result if b were a, a constant?
static bool excludes_constant(const struct question *q, const struct kir_inst *i, bool holds) {
    const struct kir_value *a = low(q->a, q->bits);
    for (unsigned k = 0; k < 2 && a->kind == KIR_VALUE_CONST; k++) {
        const struct kir_value *c = i->ops[1 - k];
        if (c->kind != KIR_VALUE_CONST || !same_low(i->ops[k], q->b, q->bits))
            continue;
        union isa_bits src[2], dst[2] = {0};
        src[k] = a->bits;
        src[1 - k] = c->bits;
        if (kir_eval(i, src, dst) && (dst[0].u64[0] & 1) != holds)
            return true;
    }
    return false;
}

// What is left of a and b when the comparison `i` holds, or does not.
static unsigned told_by_comparison(const struct question *q, const struct kir_inst *i, bool holds) {
    if (!is_comparison(i) || isa_type_bits((enum isa_type)i->ty) != q->bits)
        return ANY;
    if (excludes_constant(q, i, holds))
        return LESS | GREATER;
    bool straight = same_low(i->ops[0], q->a, q->bits) && same_low(i->ops[1], q->b, q->bits);
    bool round = same_low(i->ops[1], q->a, q->bits) && same_low(i->ops[0], q->b, q->bits);
    if (!straight && !round)
        return ANY;
    unsigned r = holds ? wanted(i) : ANY ^ wanted(i);
    r = straight ? r : turned_round(r);
    if (compares_signed(i) != q->is_signed && (r & (LESS | GREATER)))
        r |= LESS | GREATER;
    return r;
}

static unsigned told_by(const struct question *q, const struct kir_value *v, bool holds,
                        unsigned terms) {
    if (v->kind != KIR_VALUE_INST || !terms--)
        return ANY;
    const struct kir_inst *i = v->def;
    if (i->op == ISA_OP_NOT)
        return told_by(q, i->ops[0], !holds, terms);
    if (i->op == (holds ? ISA_OP_AND : ISA_OP_OR) && i->res[0]->type == KIR_PRED)
        return told_by(q, i->ops[0], holds, terms) & told_by(q, i->ops[1], holds, terms);
    // The second result of a comparison is the first one's complement.
    return told_by_comparison(q, i, v->result ? !holds : holds);
}

// What the branch says that ends `from`, when it goes to `to`.
static unsigned told_by_branch(const struct question *q, const struct kir_block *from,
                               const struct kir_block *to) {
    const struct kir_inst *t = from->last;
    if (t->op != ISA_OP_CBR || t->targets[0] == t->targets[1])
        return ANY;
    return told_by(q, t->ops[0], t->targets[0] == to, MAX_TERMS);
}

static unsigned told_on_edge(const struct question *q, const struct kir_block *from,
                             const struct kir_block *to);

// A counter at the beginning of its loop's iteration: no way leads there with a number equal to b?
static unsigned told_by_turns(const struct question *q) {
    const struct kir_value *a = low(q->a, q->bits), *b = low(q->b, q->bits);
    if (!q->counts || a->kind != KIR_VALUE_INST || a->def->op != ISA_OP_PHI)
        return ANY;
    const struct kir_block *head = a->def->block;
    bool there =
        b->kind == KIR_VALUE_CONST || (b->kind == KIR_VALUE_INST && b->def->block != head &&
                                       cfg_dominates(q->cfg, b->def->block, head));
    for (uint32_t k = 0; k < a->def->nops; k++) {
        const struct kir_block *from = head->preds.data[k];
        struct question before = *q;
        before.a = a->def->ops[k];
        before.counts = false;
        if (!there || q->cfg->pos[from->id] == UINT32_MAX ||
            (told_on_edge(&before, from, head) & EQUAL))
            return ANY;
    }
    return LESS | GREATER;
}

static unsigned told_on_edge(const struct question *q, const struct kir_block *from,
                             const struct kir_block *to) {
    unsigned r = told_by_branch(q, from, to) & told_by_turns(q);
    const struct kir_block *b = from;
    for (unsigned n = 0; n < MAX_BLOCKS; n++) {
        if (b->preds.len == 1)
            r &= told_by_branch(q, b->preds.data[0], b);
        uint32_t up = q->cfg->idom[b->id];
        if (up == UINT32_MAX || up == b->id)
            break;
        b = q->cfg->func->blocks.data[up];
    }
    return r;
}

enum known_test known_test(const struct cfg *c, const struct kir_inst *setp,
                           const struct kir_value *a, const struct kir_value *b,
                           const struct kir_block *from, const struct kir_block *to) {
    if (!is_comparison(setp))
        return KNOWN_NOT;
    struct question q = {c,   a, b, isa_type_bits((enum isa_type)setp->ty), compares_signed(setp),
                         true};
    unsigned left = told_on_edge(&q, from, to), w = wanted(setp);
    return !(left & w) ? KNOWN_FALSE : !(left & ~w) ? KNOWN_TRUE : KNOWN_NOT;
}
