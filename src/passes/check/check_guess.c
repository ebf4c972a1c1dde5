#include "passes/check/check_guess.h"

#include "isa/ops/core.h"

static const struct kir_value *origin(const struct kir_value *v) {
    while (v->kind == KIR_VALUE_INST && (v->def->op == ISA_OP_MOV || v->def->op == ISA_OP_CVTA))
        v = v->def->ops[0];
    return v;
}

static bool is_one_address(const struct kir_inst *a, const struct kir_inst *b) {
    const struct kir_value *x = origin(a->ops[0]), *y = origin(b->ops[0]);
    int64_t from = a->offset, to = b->offset;
    if (x->kind != KIR_VALUE_INST || y->kind != KIR_VALUE_INST || x->def->op != ISA_OP_SYMADDR ||
        y->def->op != ISA_OP_SYMADDR)
        return x == y && from == to;
    return x->def->sym == y->def->sym && x->def->offset + from == y->def->offset + to;
}

static bool is_guess(const struct kir_inst *read, const struct kir_inst *swap) {
    return read->op == ISA_OP_LD && read->mods.sem == ISA_SEM_WEAK && !read->mods.nc &&
           !read->mods.vec && !read->flag && is_one_address(read, swap) &&
           isa_type_bits((enum isa_type)read->ty) == isa_type_bits((enum isa_type)swap->ty);
}

// What a swap compares is what it has swapped before, or a guess, by phis and moves.
static void walk(const struct kir_inst *swap, uint8_t *scope_of) {
    enum { MOST = 32 };
    const struct kir_value *seen[MOST] = {swap->ops[1]};
    for (uint32_t n = 1, k = 0; k < n; k++) {
        if (seen[k]->kind != KIR_VALUE_INST)
            continue;
        const struct kir_inst *d = seen[k]->def;
        if (is_guess(d, swap)) {
            uint8_t scope = swap->mods.scope ? swap->mods.scope : ISA_SCOPE_GPU;
            if (!scope_of[d->id] || scope < scope_of[d->id])
                scope_of[d->id] = scope;
        }
        if (d->op != ISA_OP_PHI && d->op != ISA_OP_MOV)
            continue;
        for (uint32_t o = 0; o < d->nops; o++) {
            uint32_t s = 0;
            while (s < n && seen[s] != d->ops[o])
                s++;
            if (s == n && n < MOST)
                seen[n++] = d->ops[o];
        }
    }
}

uint8_t *check_guesses_find(struct arena *arena, struct kir_func *f) {
    uint32_t n = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            i->id = n++;
    uint8_t *scope_of = arena_array(arena, uint8_t, n + 1);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_ATOM && i->mods.atom == ISA_ATOM_CAS && i->nops > 2)
                walk(i, scope_of);
    return scope_of;
}
