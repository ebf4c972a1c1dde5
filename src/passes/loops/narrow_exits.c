// Lanes that leave a loop at different iterations keep what is used behind it, each from its own
// last iteration: a select in each iteration for each such value. Compilers widen a counter that
// indexes memory to 64 bits and convert it back behind the loop; converted in the loop, half of the
// bits are kept.
#include "passes/loops/narrow_exits.h"

#include <string.h>

#include "passes/flow/cfg.h"

static bool is_integer(enum isa_type t, unsigned bits) {
    return !isa_type_is_float(t) && isa_type_bits(t) == bits;
}

static bool is_low_half(const struct kir_inst *i) {
    static const struct isa_mods none;
    return i->op == ISA_OP_CVT && i->ops[0]->kind == KIR_VALUE_INST &&
           is_integer((enum isa_type)i->ty, 32) && is_integer((enum isa_type)i->ty2, 64) &&
           !memcmp(&i->mods, &none, sizeof none);
}

static bool leaves(const struct cfg *c, const struct kir_value *v, const struct kir_block *use) {
    const struct cfg_loop *l = c->loop[v->def->block->id];
    return l && !cfg_in_loop(l, c->loop[use->id]);
}

// By value: is it used behind its loop by anything but conversions to its low half?
static uint8_t *find_whole(struct arena *a, const struct cfg *c) {
    uint8_t *whole = arena_array(a, uint8_t, c->func->value_count + 1);
    for (uint32_t p = 0; p < c->nblocks; p++) {
        struct kir_block *b = c->order[p];
        for (const struct kir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++) {
                const struct kir_block *use = i->op == ISA_OP_PHI ? b->preds.data[k] : b;
                const struct kir_value *v = i->ops[k];
                if (v->kind == KIR_VALUE_INST && !is_low_half(i) && leaves(c, v, use))
                    whole[v->id] = 1;
            }
    }
    return whole;
}

// To where v is made.
static void move_up(struct kir_inst *i) {
    struct kir_inst *at = i->ops[0]->def;
    kir_remove(i);
    if (at->op == ISA_OP_PHI)
        while (at->next->op == ISA_OP_PHI)
            at = at->next;
    kir_insert_after(at, i);
}

void narrow_exits(struct kir_func *f) {
    struct arena a = {0};
    struct cfg *c = f->blocks.len ? cfg_build(&a, f) : NULL;
    const uint8_t *whole = c && c->loops.len ? find_whole(&a, c) : NULL;
    for (uint32_t p = 0; whole && p < c->nblocks; p++)
        for (struct kir_inst *next, *i = c->order[p]->first; i; i = next) {
            next = i->next;
            if (is_low_half(i) && leaves(c, i->ops[0], i->block) && !whole[i->ops[0]->id])
                move_up(i);
        }
    arena_free(&a);
}
