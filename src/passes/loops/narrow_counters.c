// An int that grows by a number of 64 bits (`i += grid.size()`) is, to the compiler before, a
// loop variable of 64 bits whose low half is widened again in each iteration. As 32 bits it is a
// counter like others: a scalar for all lanes, with a step that can be asked for ahead.
#include "passes/loops/narrow_counters.h"

#include <string.h>

#include "ir/clean/simplify.h"
#include "isa/ops/arith.h"

static bool is_integer(enum isa_type t, unsigned bits) {
    return !isa_type_is_float(t) && isa_type_bits(t) == bits;
}

static bool is_plain(const struct kir_inst *i) {
    static const struct isa_mods none;
    return !memcmp(&i->mods, &none, sizeof none);
}

// A conversion that reads the low half of its operand, whose type is given.
static bool reads_low_half(const struct kir_inst *i) {
    return i->op == ISA_OP_CVT && is_plain(i) &&
           (is_integer((enum isa_type)i->ty2, 32) ||
            (is_integer((enum isa_type)i->ty2, 64) && is_integer((enum isa_type)i->ty, 32)));
}

struct narrowing {
    struct kir_func *f;
    struct arena tmp;
    uint32_t nvalues;          // when it began: later values are this pass's own
    uint8_t *whole;            // by value: used by more than reads_low_half
    struct kir_value **narrow; // by value: its low half, or NULL
};

static void find_whole(struct narrowing *n) {
    for (uint32_t b = 0; b < n->f->blocks.len; b++)
        for (const struct kir_inst *i = n->f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                n->whole[i->ops[k]->id] |= !reads_low_half(i);
}

static struct kir_inst *new_like(struct narrowing *n, const struct kir_inst *like, isa_op op,
                                 unsigned nops) {
    static const uint8_t word = KIR_B32;
    bool number = op == ISA_OP_ADD || op == ISA_OP_SUB || op == ISA_OP_CVT;
    struct kir_inst *i = kir_inst_new(n->f, op, number ? ISA_U32 : ISA_B32, nops, 1, &word, 0);
    i->file = like->file;
    i->line = like->line;
    return i;
}

static struct kir_value *converted(struct narrowing *n, struct kir_value *v) {
    struct kir_inst *at = v->def, *i = new_like(n, at, ISA_OP_CVT, 1);
    i->ty2 = ISA_U64;
    i->ops[0] = v;
    while (at->op == ISA_OP_PHI && at->next->op == ISA_OP_PHI)
        at = at->next;
    kir_insert_after(at, i);
    return i->res[0];
}

static struct kir_value *low_half(struct narrowing *n, struct kir_value *v, unsigned depth);

// Its low half follows from the operands' low halves.
static bool goes_upwards(isa_op op) {
    return op == ISA_OP_ADD || op == ISA_OP_SUB || op == ISA_OP_AND || op == ISA_OP_OR ||
           op == ISA_OP_XOR;
}

// a + b and its kind, of low halves, beside the whole one
static struct kir_value *computed(struct narrowing *n, struct kir_inst *whole, unsigned depth) {
    struct kir_value *a = low_half(n, whole->ops[0], depth), *b = low_half(n, whole->ops[1], depth);
    struct kir_inst *i = new_like(n, whole, (isa_op)whole->op, 2);
    i->ops[0] = a;
    i->ops[1] = b;
    kir_insert_after(whole, i);
    return i->res[0];
}

static struct kir_value *low_half(struct narrowing *n, struct kir_value *v, unsigned depth) {
    if (v->kind == KIR_VALUE_CONST)
        return kir_const(n->f, KIR_B32, v->bits.u64[0] & UINT32_MAX);
    if (v->kind == KIR_VALUE_UNDEF)
        return kir_undef(n->f, KIR_B32);
    if (n->narrow[v->id])
        return n->narrow[v->id];
    struct kir_inst *d = v->def;
    bool whole = is_integer((enum isa_type)d->ty, 64) && is_plain(d) && d->nres == 1;
    if (whole && d->op == ISA_OP_CVT && is_integer((enum isa_type)d->ty2, 32)) {
        struct kir_value *from = d->ops[0]; // what was widened, which a phi may have been in turn
        bool word = from->type == KIR_B32;
        if (word || (from->kind == KIR_VALUE_INST && from->id < n->nvalues && n->narrow[from->id]))
            return n->narrow[v->id] = word ? from : n->narrow[from->id];
    }
    if (whole && goes_upwards((isa_op)d->op) && d->nops == 2 && depth > 0)
        return n->narrow[v->id] = computed(n, d, depth - 1);
    return n->narrow[v->id] = converted(n, v);
}

static bool is_candidate(const struct narrowing *n, const struct kir_inst *i) {
    return i->op == ISA_OP_PHI && i->res[0]->type == KIR_B64 && !n->whole[i->res[0]->id];
}

// A phi of 32 bits before each such phi, still without operands.
static bool make_phis(struct narrowing *n) {
    bool any = false;
    for (uint32_t b = 0; b < n->f->blocks.len; b++)
        for (struct kir_inst *i = n->f->blocks.data[b]->first; i && i->op == ISA_OP_PHI;
             i = i->next) {
            if (!is_candidate(n, i))
                continue;
            struct kir_inst *phi = new_like(n, i, ISA_OP_PHI, i->nops);
            kir_insert_before(i, phi);
            n->narrow[i->res[0]->id] = phi->res[0];
            any = true;
        }
    return any;
}

static void fill_phis(struct narrowing *n) {
    enum { DEPTH = 4 }; // sums of sums
    for (uint32_t b = 0; b < n->f->blocks.len; b++)
        for (struct kir_inst *i = n->f->blocks.data[b]->first; i && i->op == ISA_OP_PHI;
             i = i->next)
            if (i->res[0]->id < n->nvalues && is_candidate(n, i))
                for (uint32_t k = 0; k < i->nops; k++)
                    n->narrow[i->res[0]->id]->def->ops[k] = low_half(n, i->ops[k], DEPTH);
}

static void use_low_halves(struct narrowing *n) {
    for (uint32_t b = 0; b < n->f->blocks.len; b++)
        for (struct kir_inst *i = n->f->blocks.data[b]->first; i; i = i->next) {
            if (i->op != ISA_OP_CVT || !reads_low_half(i) || i->ops[0]->kind != KIR_VALUE_INST ||
                i->ops[0]->id >= n->nvalues || i->res[0]->id >= n->nvalues ||
                !n->narrow[i->ops[0]->id])
                continue;
            struct kir_value *low = n->narrow[i->ops[0]->id];
            if (i->ops[0]->def->op == ISA_OP_PHI && is_integer((enum isa_type)i->ty2, 32))
                i->ops[0] = low;
            else if (is_integer((enum isa_type)i->ty, 32) && is_integer((enum isa_type)i->ty2, 64))
                kir_replace_uses(n->f, i->res[0], low);
        }
}

void narrow_counters(struct kir_func *f) {
    struct narrowing n = {.f = f, .nvalues = f->value_count};
    n.whole = arena_array(&n.tmp, uint8_t, f->value_count + 1);
    n.narrow = arena_array(&n.tmp, struct kir_value *, f->value_count + 1);
    find_whole(&n);
    if (make_phis(&n)) {
        fill_phis(&n);
        use_low_halves(&n);
        kir_remove_dead(f);
        kir_renumber(f);
    }
    arena_free(&n.tmp);
}
