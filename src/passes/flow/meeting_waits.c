#include "passes/flow/meeting_waits.h"

#include "ir/async.h"
#include "passes/flow/waiting.h"

static bool is_meeting(const struct kir_inst *i) {
    uint64_t number;
    bool counted = i->op == ISA_OP_BAR_RED ? i->flag : i->nops > 1;
    return (i->op == ISA_OP_BAR_SYNC || i->op == ISA_OP_BAR_RED) && !counted &&
           flow_const(i->ops[0], &number);
}

static bool stops(const struct kir_inst *i) {
    return isa_op_info[i->op].klass == ISA_CLASS_BLOCK || kir_async_waits(i);
}

static const struct kir_inst *first_stop(const struct kir_inst *i) {
    while (i && !stops(i))
        i = i->next;
    return i;
}

// Does every way from behind `barrier` lead to the wait before it leads to another stop?
static bool all_come(const struct flow *fl, const struct kir_inst *barrier,
                     const struct kir_inst *wait) {
    struct arena tmp = {0};
    VEC(const struct kir_block *) todo = {0};
    uint8_t *seen = arena_array(&tmp, uint8_t, fl->func->blocks.len + 1);
    const struct kir_block *b = barrier->block;
    const struct kir_inst *stop = first_stop(barrier->next);
    bool all = true;
    for (;;) {
        all &= !stop || stop == wait;
        for (uint32_t k = 0; all && !stop && k < b->last->ntargets; k++)
            if (!seen[b->last->targets[k]->id]) {
                seen[b->last->targets[k]->id] = 1;
                vec_push(&tmp, &todo, b->last->targets[k]);
            }
        if (!all || !todo.len)
            break;
        b = todo.data[--todo.len];
        stop = first_stop(b->first);
    }
    arena_free(&tmp);
    return all;
}

// Does the barrier come before the wait on every way to it? In one loop, that is once for each
// time.
static bool comes_before(const struct flow *fl, const struct kir_inst *barrier,
                         const struct kir_inst *wait) {
    if (fl->cfg->loop[barrier->block->id] != fl->cfg->loop[wait->block->id])
        return false;
    if (barrier->block != wait->block)
        return cfg_dominates(fl->cfg, barrier->block, wait->block);
    const struct kir_inst *i = barrier;
    while (i && i != wait)
        i = i->next;
    return i == wait;
}

static bool meets(const struct flow *fl, const struct kir_inst *wait) {
    for (uint32_t p = 0; p < fl->cfg->nblocks && wait->flag; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (is_meeting(i) && comes_before(fl, i, wait) && all_come(fl, i, wait))
                return true;
    return false;
}

static bool meets_in_each_iteration(const struct flow *fl, const struct cfg_loop *l,
                                    const struct kir_block *b) {
    for (uint32_t k = 0; k < l->header->preds.len; k++) {
        const struct kir_block *from = l->header->preds.data[k];
        if (fl->cfg->pos[from->id] != UINT32_MAX && cfg_in_loop(l, fl->cfg->loop[from->id]) &&
            !cfg_dominates(fl->cfg, b, from))
            return false;
    }
    return true;
}

static bool is_met(const struct flow *fl, const struct cfg_loop *l) {
    for (uint32_t p = l->first; p <= l->last && !l->irreducible; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (is_meeting(i) && meets_in_each_iteration(fl, l, i->block))
                return true;
    return false;
}

bool meeting_loops(const struct flow *fl) {
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++)
        if (fl->loop_waits[k] && !is_met(fl, fl->cfg->loops.data[k]))
            return false;
    return true;
}

bool meeting_waits(struct kir_func *f, const struct flow *fl) {
    VEC(struct kir_inst *) waits = {0};
    struct arena tmp = {0};
    bool all = meeting_loops(fl);
    for (uint32_t p = 0; p < fl->cfg->nblocks && all; p++)
        for (struct kir_inst *i = fl->cfg->order[p]->first; i && all; i = i->next)
            if (kir_async_waits(i)) {
                all = meets(fl, i);
                vec_push(&tmp, &waits, i);
            }
    for (uint32_t k = 0; k < waits.len && all; k++) {
        struct kir_inst *barrier = kir_inst_new(f, ISA_OP_BAR_SYNC, ISA_VOID, 1, 0, NULL, 0);
        barrier->ops[0] = kir_const(f, KIR_B32, 0);
        barrier->file = waits.data[k]->file;
        barrier->line = waits.data[k]->line;
        kir_insert_before(waits.data[k], barrier);
        waits.data[k]->mods.aligned = 1;
    }
    arena_free(&tmp);
    return all && waits.len;
}
