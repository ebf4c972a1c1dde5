#include "passes/loops/loop_exit.h"

#include <string.h>

#include "ir/ssa.h"
#include "isa/ops/control.h"

static struct kir_block *own_block(struct kir_func *f, struct kir_inst *branch, uint32_t k) {
    struct kir_block *to = branch->targets[k], *b = branch->block;
    if (to->preds.len == 1)
        return to;
    struct kir_block *between = kir_block_new(f, NULL);
    struct kir_inst *go = kir_inst_new(f, ISA_OP_BRA, ISA_VOID, 0, 0, NULL, 1);
    go->targets[0] = to;
    go->line = branch->line;
    go->file = branch->file;
    kir_append(between, go);
    vec_push(&f->module->arena, &between->preds, b);
    for (uint32_t p = 0; p < to->preds.len; p++)
        if (to->preds.data[p] == b)
            to->preds.data[p] = between;
    branch->targets[k] = between;
    return between;
}

// Uses of v, which the loop makes, outside of it see a phi behind the loop instead.
static struct kir_value *closed(const struct loop_exit *e, struct kir_value *v,
                                struct kir_value **phis) {
    struct kir_value **phi = &phis[v->id];
    if (!*phi) {
        struct kir_inst *i = kir_inst_new(e->func, ISA_OP_PHI, kir_isa_type((enum kir_type)v->type),
                                          1, 1, &v->type, 0);
        i->ops[0] = v;
        kir_insert_before(e->block->first, i);
        *phi = i->res[0];
    }
    return *phi;
}

static bool is_made_in(const struct loop_exit *e, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->def->block != e->block &&
           v->def->block->id < e->cfg->func_blocks &&
           cfg_in_loop(e->loop, e->cfg->loop[v->def->block->id]);
}

static void close_values(const struct loop_exit *e, struct kir_value **phis) {
    for (uint32_t b = 0; b < e->func->blocks.len; b++) {
        struct kir_block *x = e->func->blocks.data[b];
        if (x != e->block && b < e->cfg->func_blocks && cfg_in_loop(e->loop, e->cfg->loop[b]))
            continue;
        for (struct kir_inst *i = x->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                if (is_made_in(e, i->ops[k]) && !(x == e->block && i->op == ISA_OP_PHI))
                    i->ops[k] = closed(e, i->ops[k], phis);
    }
}

struct loop_exit loop_exit_make(struct arena *tmp, const struct cfg *c, const struct cfg_loop *l,
                                struct kir_inst *branch, uint32_t k) {
    struct loop_exit e = {.func = c->func, .cfg = c, .loop = l};
    e.block = own_block(c->func, branch, k);
    close_values(&e, arena_array(tmp, struct kir_value *, c->func->value_count + 1));
    return e;
}

void phi_add_operand(struct kir_func *f, struct kir_inst *phi, struct kir_value *v) {
    struct kir_value **ops = arena_array(&f->module->arena, struct kir_value *, phi->nops + 1);
    memcpy(ops, phi->ops, sizeof *ops * phi->nops);
    ops[phi->nops++] = v;
    phi->ops = ops;
}

struct kir_inst *loop_only_exit(const struct cfg *c, const struct cfg_loop *l) {
    struct kir_inst *exit = NULL;
    for (uint32_t p = l->first; p <= l->last; p++) {
        struct kir_inst *t = c->order[p]->last;
        for (uint32_t k = 0; k < t->ntargets; k++) {
            if (cfg_in_loop(l, c->loop[t->targets[k]->id]))
                continue;
            if (exit)
                return NULL;
            exit = t;
        }
        if (t->op == ISA_OP_RET || t->op == ISA_OP_EXIT)
            return NULL;
    }
    return exit && exit->op == ISA_OP_CBR ? exit : NULL;
}

// Of all loops. Those that cannot have an only exit any more are left out on the way outwards.
struct exits {
    const struct cfg *c;
    struct kir_inst **exit; // by loop
    uint32_t *on;           // by loop: it, or one towards the outermost; loops.len: none
};

static uint32_t index_of(const struct exits *e, const struct cfg_loop *l) {
    return l ? l->index : e->c->loops.len;
}

// The innermost loop of k and those around it that is not left out.
static uint32_t not_left_out(struct exits *e, uint32_t k) {
    while (e->on[k] != k)
        k = e->on[k] = e->on[e->on[k]];
    return k;
}

static void leave_out(struct exits *e, uint32_t k) {
    e->exit[k] = NULL;
    e->on[k] = index_of(e, e->c->loops.data[k]->parent);
}

static void note_exit(struct exits *e, struct kir_inst *t, const struct cfg_loop *to) {
    uint32_t none = e->c->loops.len;
    uint32_t k = not_left_out(e, index_of(e, e->c->loop[t->block->id]));
    while (k != none && !cfg_in_loop(e->c->loops.data[k], to)) {
        uint32_t around = index_of(e, e->c->loops.data[k]->parent);
        if (e->exit[k])
            leave_out(e, k);
        else
            e->exit[k] = t;
        k = not_left_out(e, around);
    }
}

struct kir_inst **loop_only_exits(struct arena *a, const struct cfg *c) {
    uint32_t n = c->loops.len;
    struct exits e = {c, arena_array(a, struct kir_inst *, n + 1), arena_array(a, uint32_t, n + 1)};
    for (uint32_t k = 0; k <= n; k++)
        e.on[k] = k;
    for (uint32_t p = 0; p < c->nblocks; p++) {
        struct kir_inst *t = c->order[p]->last;
        for (uint32_t k = 0; k < t->ntargets; k++)
            note_exit(&e, t, c->loop[t->targets[k]->id]);
        if (t->op == ISA_OP_RET || t->op == ISA_OP_EXIT)
            for (uint32_t k = index_of(&e, c->loop[t->block->id]); (k = not_left_out(&e, k)) != n;)
                leave_out(&e, k);
    }
    for (uint32_t k = 0; k < n; k++)
        if (e.exit[k] && e.exit[k]->op != ISA_OP_CBR)
            e.exit[k] = NULL;
    return e.exit;
}
