#include "passes/flow/meeting_waits.h"

#include "ir/async.h"
#include "isa/ops/async.h"
#include "isa/ops/block.h"
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

enum verdict { GOES_ON, ENDS, WRONG };
typedef enum verdict judge(const struct kir_inst *i, const struct kir_inst *wait);

// Does no way from behind `from` on come to something wrong before it ends?
static bool each_way(const struct flow *fl, const struct kir_inst *from, judge *look,
                     const struct kir_inst *wait) {
    struct arena tmp = {0};
    VEC(const struct kir_block *) todo = {0};
    uint8_t *seen = arena_array(&tmp, uint8_t, fl->func->blocks.len + 1);
    const struct kir_block *b = from->block;
    const struct kir_inst *i = from->next;
    enum verdict v;
    for (;;) {
        for (v = GOES_ON; i && v == GOES_ON; i = i->next)
            v = look(i, wait);
        for (uint32_t k = 0; v == GOES_ON && k < b->last->ntargets; k++)
            if (!seen[b->last->targets[k]->id]) {
                seen[b->last->targets[k]->id] = 1;
                vec_push(&tmp, &todo, b->last->targets[k]);
            }
        if (v == WRONG || !todo.len)
            break;
        b = todo.data[--todo.len];
        i = b->first;
    }
    arena_free(&tmp);
    return v != WRONG;
}

// Of the ways from a barrier: they lead to the wait before they lead to another stop.
static enum verdict comes_to_wait(const struct kir_inst *i, const struct kir_inst *wait) {
    return !stops(i) ? GOES_ON : i == wait ? ENDS : WRONG;
}

// Of the ways from a wait: one group of the block goes on before the next one asks, and must not
// make the object anew until all have asked.
static enum verdict keeps_object(const struct kir_inst *i, const struct kir_inst *wait) {
    (void)wait;
    if (is_meeting(i))
        return ENDS;
    bool other =
        i->op == ISA_OP_MBARRIER_INIT || i->op == ISA_OP_MBARRIER_INVAL || i->op == ISA_OP_CALL;
    return other ? WRONG : GOES_ON;
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
    if (!wait->flag || !each_way(fl, wait, keeps_object, wait))
        return false;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (is_meeting(i) && comes_before(fl, i, wait) && each_way(fl, i, comes_to_wait, wait))
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
