// Replaces a phi whose operands all compute the same from the same values: the computation moves
// below the phi. Compilers leave such phis where they computed what both ways need on each of
// them; a phi where threads join would hide how the value depends on a thread's index.
//
// The values read lie above all predecessors, so they are known in the phi's block as well.
#include "ir/clean/simplify.h"
#include "ir/eval.h"
#include "isa/ops/arith.h"

enum { WAYS = 8, DEPTH = 4 }; // of phis and computations looked at; more is rare

// Registers that keep their value while a thread runs.
static bool is_fixed_register(const struct kir_inst *i) {
    return i->op == ISA_OP_SREG && i->sreg >= ISA_SREG_TID_X && i->sreg <= ISA_SREG_NCTAID_Z;
}

static bool is_pure(const struct kir_inst *i) {
    return i->nres == 1 && i->op != ISA_OP_PHI &&
           (kir_is_computable(i) || is_fixed_register(i) || i->op == ISA_OP_SYMADDR);
}

static bool same_form(const struct kir_inst *a, const struct kir_inst *b) {
    return a->op == b->op && a->ty == b->ty && a->ty2 == b->ty2 && a->sreg == b->sreg &&
           a->flag == b->flag && a->index == b->index && a->offset == b->offset &&
           a->sym == b->sym && a->nops == b->nops && a->res[0]->type == b->res[0]->type &&
           !memcmp(&a->mods, &b->mods, sizeof a->mods);
}

static bool commutes(const struct kir_inst *i) {
    if (isa_type_is_float(i->ty) || i->nops != 2)
        return false;
    return i->op == ISA_OP_ADD || i->op == ISA_OP_MUL || i->op == ISA_OP_AND ||
           i->op == ISA_OP_OR || i->op == ISA_OP_XOR || i->op == ISA_OP_MIN || i->op == ISA_OP_MAX;
}

static bool same_value(const struct kir_value *a, const struct kir_value *b) {
    return a == b ||
           (a->kind == KIR_VALUE_CONST && b->kind == KIR_VALUE_CONST && a->type == b->type &&
            a->bits.u64[0] == b->bits.u64[0] && a->bits.u64[1] == b->bits.u64[1]);
}

static bool all_same(struct kir_value *const *v, uint32_t n) {
    uint32_t k = 1;
    while (k < n && same_value(v[0], v[k]))
        k++;
    return k == n;
}

static bool computed_alike(struct kir_value *const *v, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (v[k]->kind != KIR_VALUE_INST || !is_pure(v[k]->def) || !same_form(v[0]->def, v[k]->def))
            return false;
    return true;
}

// The at-th operand of each way's computation; those that commute in the
// order of the first way's.
static void operands(struct kir_value *const *v, uint32_t n, uint32_t at, struct kir_value **out) {
    for (uint32_t k = 0; k < n; k++) {
        struct kir_inst *i = v[k]->def;
        bool swap =
            commutes(i) && !same_value(i->ops[0], v[0]->def->ops[0]) &&
            (same_value(i->ops[1], v[0]->def->ops[0]) || same_value(i->ops[0], v[0]->def->ops[1]));
        out[k] = i->ops[swap ? 1 - at : at];
    }
}

static bool can_sink(struct kir_value *const *v, uint32_t n, int depth) {
    struct kir_value *op[WAYS];
    if (all_same(v, n))
        return true;
    if (depth == 0 || !computed_alike(v, n))
        return false;
    for (uint32_t at = 0; at < v[0]->def->nops; at++) {
        operands(v, n, at, op);
        if (!can_sink(op, n, depth - 1))
            return false;
    }
    return true;
}

// The one value of all ways, computed before `pos` where it is not yet known there.
static struct kir_value *sink(struct kir_value *const *v, uint32_t n, struct kir_inst *pos) {
    struct kir_value *op[WAYS];
    if (all_same(v, n))
        return v[0];
    struct kir_inst *from = v[0]->def;
    uint8_t type = v[0]->type;
    struct kir_inst *i =
        kir_inst_new(pos->block->func, from->op, from->ty, from->nops, 1, &type, 0);
    i->ty2 = from->ty2;
    i->mods = from->mods;
    i->sreg = from->sreg;
    i->flag = from->flag;
    i->index = from->index;
    i->offset = from->offset;
    i->sym = from->sym;
    i->file = from->file;
    i->line = from->line;
    for (uint32_t at = 0; at < from->nops; at++) {
        operands(v, n, at, op);
        i->ops[at] = sink(op, n, pos);
    }
    kir_insert_before(pos, i);
    return i->res[0];
}

static struct kir_inst *first_after_phis(struct kir_block *b) {
    struct kir_inst *i = b->first;
    while (i->op == ISA_OP_PHI)
        i = i->next;
    return i;
}

bool kir_sink_common(struct kir_func *f) {
    bool progress = false;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first, *next; i->op == ISA_OP_PHI; i = next) {
            next = i->next;
            if (i->nops < 2 || i->nops > WAYS || !can_sink(i->ops, i->nops, DEPTH))
                continue;
            kir_replace_uses(f, i->res[0], sink(i->ops, i->nops, first_after_phis(i->block)));
            kir_remove(i);
            progress = true;
        }
    return progress;
}
