#include "passes/check/check_pins.h"

#include "isa/ops/arith.h"

// Conditions, and values that are zero, that follow from one.
enum { MOST_FACTS = 16 };
struct facts {
    struct fact {
        const struct kir_value *v;
        bool is; // of conditions
    } list[MOST_FACTS];
    uint32_t n;
};

static void add(struct facts *f, const struct kir_value *v, bool is) {
    if (f->n < MOST_FACTS && v->kind == KIR_VALUE_INST)
        f->list[f->n++] = (struct fact){v, is};
}

// The instruction has that constant for its result.
static void pin(struct check_pins *p, const struct kir_inst *i, uint32_t value) {
    uint32_t s = i->sreg, k = CHECK_PINS;
    if (i->op == ISA_OP_SREG && s >= ISA_SREG_TID_X && s <= ISA_SREG_TID_Z)
        k = s - ISA_SREG_TID_X;
    if (i->op == ISA_OP_SREG && s >= ISA_SREG_CTAID_X && s <= ISA_SREG_CTAID_Z)
        k = 3 + s - ISA_SREG_CTAID_X;
    if (k == CHECK_PINS || p->known >> k & 1)
        return;
    p->known |= 1u << k;
    p->value[k] = value;
}

static void of_equal(struct check_pins *p, const struct kir_value *v, uint32_t value) {
    struct facts zero = {.n = 0};
    add(&zero, v, true);
    while (zero.n) {
        const struct kir_inst *i = zero.list[--zero.n].v->def;
        bool word = i->nres == 1 && isa_type_bits((enum isa_type)i->ty) == 32;
        pin(p, i, value);
        if (i->op == ISA_OP_MOV && word && i->nops == 1) {
            add(&zero, i->ops[0], true);
        } else if (i->op == ISA_OP_OR && word && !value) {
            add(&zero, i->ops[0], true);
            add(&zero, i->ops[1], true);
        }
    }
}

static void of_comparison(struct check_pins *p, const struct kir_inst *i, bool is) {
    bool equal = i->mods.cmp == ISA_CMP_EQ, word = isa_type_bits((enum isa_type)i->ty) == 32;
    if (!word || isa_type_is_float((enum isa_type)i->ty) || i->nops != 2 ||
        (!equal && i->mods.cmp != ISA_CMP_NE) || is != equal)
        return;
    for (uint32_t k = 0; k < 2; k++)
        if (i->ops[!k]->kind == KIR_VALUE_CONST)
            of_equal(p, i->ops[k], i->ops[!k]->bits.u32[0]);
}

static void of_condition(struct check_pins *p, const struct kir_value *v, bool is) {
    struct facts facts = {.n = 0};
    add(&facts, v, is);
    while (facts.n) {
        struct fact x = facts.list[--facts.n];
        const struct kir_inst *i = x.v->def;
        bool both = (i->op == ISA_OP_AND && x.is) || (i->op == ISA_OP_OR && !x.is);
        if (i->op == ISA_OP_SETP)
            of_comparison(p, i, x.v == i->res[0] ? x.is : !x.is);
        else if (i->op == ISA_OP_NOT && i->nops == 1)
            add(&facts, i->ops[0], !x.is);
        for (uint32_t k = 0; both && k < i->nops; k++)
            add(&facts, i->ops[k], x.is);
    }
}

struct check_pins check_pins_of(const struct kir_func *f, const struct kir_order *o,
                                const struct kir_block *b) {
    struct check_pins p = {.known = 0};
    if (o->number[b->id] == KIR_UNREACHABLE)
        return p;
    for (uint32_t d = b->id; d;) {
        d = o->idom[d];
        const struct kir_inst *last = f->blocks.data[d]->last;
        if (last->op != ISA_OP_CBR || last->targets[0] == last->targets[1])
            continue;
        for (uint32_t t = 0; t < 2; t++)
            if (last->targets[t]->preds.len == 1 && kir_dominates(o, last->targets[t]->id, b->id))
                of_condition(&p, last->ops[0], t == 0);
    }
    return p;
}

void check_pins_meet(struct check_pins *p, const struct check_pins *other) {
    p->known &= other->known;
    for (uint32_t k = 0; k < CHECK_PINS; k++)
        if (p->value[k] != other->value[k])
            p->known &= ~(1u << k);
}
