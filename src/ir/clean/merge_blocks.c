// Appends a block to the one before it when neither has another way: A ends in `bra B`, and A is
// B's only predecessor.
#include "ir/clean/simplify.h"

static void redirect_preds(struct kir_block *from, struct kir_block *to) {
    struct kir_inst *last = to->last;
    for (uint32_t t = 0; t < last->ntargets; t++) {
        struct kir_block *succ = last->targets[t];
        for (uint32_t k = 0; k < succ->preds.len; k++)
            if (succ->preds.data[k] == from)
                succ->preds.data[k] = to;
    }
}

static void replace_phi(struct kir_func *f, struct kir_inst *phi) {
    // A phi of one operand; in a self-loop of unreachable blocks it could be its own operand.
    struct kir_value *v =
        phi->ops[0] == phi->res[0] ? kir_undef(f, phi->res[0]->type) : phi->ops[0];
    kir_replace_uses(f, phi->res[0], v);
    kir_remove(phi);
}

static void append_block(struct kir_func *f, struct kir_block *a, struct kir_block *b) {
    while (b->first && b->first->op == ISA_OP_PHI)
        replace_phi(f, b->first);
    kir_remove(a->last);
    for (struct kir_inst *i = b->first; i; i = i->next)
        i->block = a;
    if (a->last) {
        a->last->next = b->first;
        b->first->prev = a->last;
    } else {
        a->first = b->first;
    }
    a->last = b->last;
    b->first = b->last = NULL;
    b->preds.len = 0;
    redirect_preds(b, a);
}

static bool can_append(const struct kir_block *a, const struct kir_block *b) {
    return a->last->op == ISA_OP_BRA && b->preds.len == 1 && b != a && b->id != 0;
}

bool kir_merge_blocks(struct kir_func *f) {
    bool progress = false;
    for (uint32_t k = 0; k < f->blocks.len; k++) {
        struct kir_block *a = f->blocks.data[k];
        while (a->last && a->last->op == ISA_OP_BRA && can_append(a, a->last->targets[0])) {
            append_block(f, a, a->last->targets[0]);
            progress = true;
        }
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < f->blocks.len; k++)
        if (f->blocks.data[k]->last)
            f->blocks.data[kept++] = f->blocks.data[k];
    f->blocks.len = kept;
    for (uint32_t k = 0; k < kept; k++)
        f->blocks.data[k]->id = k;
    return progress;
}
