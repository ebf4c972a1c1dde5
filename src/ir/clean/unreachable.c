// Removes blocks that no path from the entry reaches, with the phi operands that came from them.
#include "ir/clean/simplify.h"
#include "ir/order.h"

static void drop_edges(struct kir_block *b, const struct kir_order *o) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < b->preds.len; k++) {
        if (o->number[b->preds.data[k]->id] == KIR_UNREACHABLE)
            continue;
        for (struct kir_inst *i = b->first; i && i->op == ISA_OP_PHI; i = i->next)
            i->ops[kept] = i->ops[k];
        b->preds.data[kept++] = b->preds.data[k];
    }
    b->preds.len = kept;
    for (struct kir_inst *i = b->first; i && i->op == ISA_OP_PHI; i = i->next)
        i->nops = kept;
}

bool kir_remove_unreachable(struct kir_func *f) {
    struct arena tmp = {0};
    struct kir_order o;
    kir_order_blocks(f, &tmp, &o);
    bool progress = o.n != f->blocks.len;
    if (progress) {
        uint32_t kept = 0;
        for (uint32_t k = 0; k < f->blocks.len; k++)
            if (o.number[f->blocks.data[k]->id] != KIR_UNREACHABLE) {
                drop_edges(f->blocks.data[k], &o);
                f->blocks.data[kept++] = f->blocks.data[k];
            }
        f->blocks.len = kept;
        for (uint32_t k = 0; k < kept; k++)
            f->blocks.data[k]->id = k;
    }
    arena_free(&tmp);
    return progress;
}
