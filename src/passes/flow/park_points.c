#include "passes/flow/park_points.h"

#include "ir/async.h"
#include "isa/ops/block.h"
#include "isa/ops/warp.h"

static bool is_plain_barrier(const struct kir_inst *i) {
    bool counted = i->op == ISA_OP_BAR_RED ? i->flag : i->nops > 1;
    return (i->op == ISA_OP_BAR_SYNC || i->op == ISA_OP_BAR_RED) && !counted;
}

bool is_park_point(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_SHFL:
    case ISA_OP_VOTE:
    case ISA_OP_MATCH:
    case ISA_OP_REDUX:
    case ISA_OP_BAR_WARP_SYNC:
        return true;
    default:
        return is_plain_barrier(i);
    }
}

bool can_park(const struct kir_func *kernel) {
    uint64_t first = 0, id;
    bool any = false;
    for (uint32_t b = 0; b < kernel->blocks.len; b++)
        for (const struct kir_inst *i = kernel->blocks.data[b]->first; i; i = i->next) {
            enum isa_class k = isa_op_info[i->op].klass;
            if (kir_async_waits(i) ||
                (k == ISA_CLASS_WARP && i->op != ISA_OP_ACTIVEMASK && !is_park_point(i)))
                return false;
            if (k != ISA_CLASS_BLOCK)
                continue;
            if (!is_plain_barrier(i) || !flow_const(i->ops[0], &id) || (any && id != first))
                return false;
            first = id;
            any = true;
        }
    return true;
}

// What stands in b from i on becomes a block of its own.
static void part_block(struct kir_func *f, struct kir_block *b, struct kir_inst *i) {
    struct kir_block *next = kir_block_new(f, NULL);
    struct kir_inst *before = i->prev;
    next->first = i;
    next->last = b->last;
    i->prev = NULL;
    for (struct kir_inst *x = i; x; x = x->next)
        x->block = next;
    *(before ? &before->next : &b->first) = NULL;
    b->last = before;
    for (uint32_t t = 0; t < next->last->ntargets; t++) {
        struct kir_block *to = next->last->targets[t];
        for (uint32_t p = 0; p < to->preds.len; p++)
            if (to->preds.data[p] == b)
                to->preds.data[p] = next;
    }
    struct kir_inst *go = kir_inst_new(f, ISA_OP_BRA, ISA_VOID, 0, 0, NULL, 1);
    go->targets[0] = next;
    go->file = i->file;
    go->line = i->line;
    kir_append(b, go);
    vec_push(&f->module->arena, &next->preds, b);
}

static void part_behind_phis(struct kir_func *f, struct kir_block *header) {
    struct kir_inst *i = header->first;
    while (i->op == ISA_OP_PHI)
        i = i->next;
    part_block(f, header, i);
}

void make_park_points(struct kir_func *kernel, const struct flow *before) {
    for (uint32_t k = 0; k < before->cfg->loops.len; k++) {
        const struct cfg_loop *l = before->cfg->loops.data[k];
        if (before->loop_waits[l->index])
            part_behind_phis(kernel, kernel->blocks.data[l->header->id]);
    }
    for (uint32_t b = 0; b < kernel->blocks.len; b++)
        for (struct kir_inst *i = kernel->blocks.data[b]->first; i; i = i->next)
            if (is_park_point(i)) {
                part_block(kernel, i->block, i->next);
                break; // what follows is in the block that was appended
            }
}
