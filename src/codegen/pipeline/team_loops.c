#include "codegen/pipeline/team_loops.h"

#include "codegen/pipeline/traits.h"
#include "isa/ops/arith.h"
#include "isa/ops/logic.h"

// Does the end of block b, which is in l, do so?
static bool block_leaves_by_data(const struct flow *fl, const struct cfg_loop *l,
                                 const struct kir_block *b) {
    bool leaves = false;
    for (uint32_t t = 0; t < b->last->ntargets; t++)
        leaves |= !cfg_in_loop(l, fl->cfg->loop[b->last->targets[t]->id]);
    if (!leaves || !b->last->nops || !varies(fl, b->last->ops[0]))
        return false;
    const struct kir_value *v = b->last->ops[0];
    if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_SETP)
        return true;
    for (uint32_t k = 0; k < v->def->nops; k++)
        if (varies(fl, v->def->ops[k]))
            return true;
    return false;
}

bool leaves_by_data(const struct flow *fl, const struct cfg_loop *l) {
    for (uint32_t p = l->first; p <= l->last; p++)
        if (block_leaves_by_data(fl, l, fl->cfg->order[p]))
            return true;
    return false;
}

// Who leaves any loop leaves the innermost one.
bool any_leaves_by_data(const struct flow *fl) {
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        const struct kir_block *b = fl->cfg->order[p];
        const struct cfg_loop *l = fl->cfg->loop[b->id];
        if (l && block_leaves_by_data(fl, l, b))
            return true;
    }
    return false;
}

// Does v follow from what was loaded in the loop, in a few steps?
static bool was_loaded_in(const struct flow *fl, const struct cfg_loop *l,
                          const struct kir_value *v, unsigned steps) {
    if (v->kind != KIR_VALUE_INST || !cfg_in_loop(l, fl->cfg->loop[v->def->block->id]))
        return false;
    if (v->def->op == ISA_OP_LD)
        return true;
    for (uint32_t k = 0; steps && k < v->def->nops; k++)
        if (was_loaded_in(fl, l, v->def->ops[k], steps - 1))
            return true;
    return false;
}

static bool belongs_to_search(const struct flow *fl, const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
        return !isa_type_is_float(i->ty) || i->op == ISA_OP_SETP;
    case ISA_CLASS_MEMORY:
        return i->op == ISA_OP_LD && !varies(fl, i->ops[0]);
    case ISA_CLASS_SOURCE:
        return true;
    default:
        return i->op == ISA_OP_BRA || i->op == ISA_OP_CBR;
    }
}

bool is_search(const struct flow *fl, const struct cfg_loop *l) {
    enum { MOST = 20, STEPS = 4 };
    unsigned n = 0, ends = 0;
    for (uint32_t p = l->first; p <= l->last; p++) {
        const struct kir_block *b = fl->cfg->order[p];
        for (const struct kir_inst *i = b->first; i; i = i->next)
            if (++n > MOST || !belongs_to_search(fl, i))
                return false;
        const struct kir_value *v = b->last->nops ? b->last->ops[0] : NULL;
        if (!v || !varies(fl, v))
            continue;
        if (!was_loaded_in(fl, l, v, STEPS))
            return false;
        ends++;
    }
    return ends > 0;
}

bool counts_to_own(const struct flow *fl, const struct cfg_loop *l) {
    for (uint32_t p = l->first; p <= l->last && fl->loop_divergent[l->index]; p++) {
        const struct kir_inst *t = fl->cfg->order[p]->last;
        const struct kir_value *v = t->nops ? t->ops[0] : NULL;
        bool leaves = false;
        for (uint32_t k = 0; k < t->ntargets; k++)
            leaves |= !cfg_in_loop(l, fl->cfg->loop[t->targets[k]->id]);
        if (!leaves || !v || v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_SETP)
            continue;
        for (uint32_t k = 0; k < v->def->nops; k++) {
            const struct kir_value *x = v->def->ops[k];
            if (fl->shape[x->id].kind == SHAPE_UNIFORM && !fl->shared[x->id] && !fl->affine[x->id])
                return true;
        }
    }
    return false;
}

bool has_barrier_in(const struct flow *fl, const struct cfg_loop *l) {
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK)
                return true;
    return false;
}

// A phi behind a branch whose value goes into the loop's next iteration (a sum that some iterations
// add to) has the register of the phi that it goes to.
static bool goes_to_next_turn(const struct flow *fl, const struct kir_value *phi) {
    const struct cfg_loop *l = fl->cfg->loop[phi->def->block->id];
    if (!l || l->header == phi->def->block)
        return false;
    for (const struct kir_inst *i = l->header->first; i && i->op == ISA_OP_PHI; i = i->next)
        for (uint32_t k = 0; k < i->nops; k++)
            if (i->ops[k] == phi)
                return true;
    return false;
}

// Vector registers that one group needs all through the loop.
static unsigned registers_in(const struct cg *c, const struct flow *fl, const struct cfg_loop *l,
                             unsigned vector_bits) {
    uint8_t *seen = arena_array(c->arena, uint8_t, fl->func->value_count + 1);
    unsigned bits = 0;
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++) {
                const struct kir_value *v = i->ops[k];
                bool carried = v->kind == KIR_VALUE_INST && varies(fl, v) && !seen[v->id] &&
                               ((v->def->op == ISA_OP_PHI && !goes_to_next_turn(fl, v)) ||
                                !cfg_in_loop(l, fl->cfg->loop[v->def->block->id]));
                if (carried && v->type != KIR_PRED)
                    bits += kir_type_bits(v->type) * c->width;
                if (v->kind == KIR_VALUE_INST)
                    seen[v->id] = 1;
            }
    return (bits + vector_bits - 1) / vector_bits;
}

unsigned loop_registers(const struct cg *c, const struct flow *fl, bool whole) {
    unsigned most = 1;
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++) {
        const struct cfg_loop *l = fl->cfg->loops.data[k];
        unsigned r =
            whole && has_barrier_in(fl, l) ? 0 : registers_in(c, fl, l, c->target.vector_bits);
        most = r > most ? r : most;
    }
    return most;
}

bool fit_registers(const struct cg *c, const struct flow *fl, unsigned groups, bool whole) {
    enum { TEMPORARIES = 6 };
    return groups * loop_registers(c, fl, whole) + TEMPORARIES <= c->target.vector_registers;
}

// Does v follow from which row of the block, or which warp, a thread is in?
static bool is_of_row(const struct kir_value *v, unsigned depth, unsigned *steps) {
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    if (!i || !depth || !*steps)
        return false;
    --*steps;
    if (i->op == ISA_OP_SREG)
        return i->sreg == ISA_SREG_TID_Y || i->sreg == ISA_SREG_TID_Z;
    if (i->op == ISA_OP_SHR || i->op == ISA_OP_DIV)
        return true;
    bool of_row = false;
    for (uint32_t k = 0;
         k < i->nops && (i->op == ISA_OP_PHI || isa_op_info[i->op].klass == ISA_CLASS_POINTWISE);
         k++)
        of_row |= is_of_row(i->ops[k], depth - 1, steps);
    return of_row;
}

// Rows of memory that a warp walks along in the loop: how many at a time.
static unsigned rows_walked(const struct cg *c, const struct flow *fl, const struct cfg_loop *l) {
    enum { DEPTH = 8, STEPS = 1000 };
    uint8_t *seen = arena_array(c->arena, uint8_t, fl->func->value_count + 1);
    unsigned n = 0;
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            bool accesses =
                (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.space == ISA_SPACE_GLOBAL;
            unsigned steps = STEPS;
            if (!accesses || seen[i->ops[0]->id] ||
                fl->shape[i->ops[0]->id].kind != SHAPE_OFFSETS ||
                !is_of_row(i->ops[0], DEPTH, &steps))
                continue;
            seen[i->ops[0]->id] = 1;
            n++;
        }
    return n;
}

unsigned most_rows(const struct cg *c, const struct flow *fl, const struct cfg_loop *l,
                   unsigned most) {
    enum { PLACES = 4 };
    unsigned rows = traits_of(c).warp_ops && !has_barrier_in(fl, l) ? rows_walked(c, fl, l) : 0;
    while (most > 2 && rows * most > PLACES)
        most /= 2;
    return most;
}
