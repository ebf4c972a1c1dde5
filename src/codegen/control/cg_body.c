// A block's instructions, phis and terminator apart, for all groups of a team.
#include "codegen/control/cg_body.h"
#include "codegen/access/cg_copy.h"
#include "codegen/control/cg_inst.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_prefetch_stores.h"
#include "codegen/emit/cg_pure.h"
#include "codegen/memory/cg_transpose.h"
#include "codegen/value/cg_again.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_pin.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/fence.h"
#include "isa/ops/move.h"
#include "passes/analysis/skew.h"
#include "plan/plan.h"

static bool all_made_once(const struct cg_func *g, const struct kir_inst *i) {
    for (uint32_t r = 0; r < i->nres; r++)
        if (!cg_made_once(g, i->res[r]))
            return false;
    return i->nres > 0;
}

// In a group of which no lane acts an instruction does nothing. Its results are seen by no lane,
// but they have to be there.
static bool skip_inactive(struct cg_func *g, struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    if (!cg_never_active(g) || (k != ISA_CLASS_MEMORY && k != ISA_CLASS_POINTWISE))
        return false;
    for (uint32_t r = 0; r < i->nres; r++)
        if (g->plan->values[i->res[r]->id].form != PLAN_VECTOR || cg_made_once(g, i->res[r]))
            return false;
    for (uint32_t r = 0; r < i->nres; r++)
        cg_set_vec(g, i->res[r], LLVMConstNull(cg_vec_type(g->cg, i->res[r]->type)));
    return true;
}

static bool is_once(const struct cg_func *g, const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    bool fence = k == ISA_CLASS_FENCE && i->op != ISA_OP_GRIDDEPCONTROL; // of some lanes
    return k == ISA_CLASS_BLOCK || fence || all_made_once(g, i);
}

static void emit_for_group(struct cg_func *g, struct kir_inst *i, unsigned t) {
    cg_turn_to(g, t);
    bool there =
        i->nres && (cg_val_of(g, i->res[0])->epoch == CG_PERMANENT || cg_is_again(g, i->res[0]));
    if (!there && !skip_inactive(g, i))
        cg_emit_inst(g, i);
}

// An instruction for each group of the team, or once for all.
static void emit_for_team(struct cg_func *g, struct kir_inst *i) {
    if (cg_emit_transposed(g, i))
        return;
    // In the groups' order: of several stores to one place the last thread's stays.
    for (unsigned t = 0; t < (is_once(g, i) ? 1 : g->cg->team); t++)
        emit_for_group(g, i, t);
    cg_turn_to(g, 0);
}

// Between barriers nothing orders what different groups do. Where a team is large, group after
// group keeps few values in registers at a time; words of shared memory stay there (cg_words.c).
static struct kir_inst *stretch_end(struct cg_func *g, struct kir_block *b, struct kir_inst *i) {
    enum cg_runs runs = (enum cg_runs)g->runs[b->id];
    bool in_turn = runs == CG_RUNS_TURN || (runs == CG_RUNS_READING && g->fl->cfg->loop[b->id]);
    if (!g->words || g->cg->team == 1 || (runs != CG_RUNS_ALWAYS && !in_turn))
        return i;
    for (; i != b->last; i = i->next) {
        enum isa_class k = isa_op_info[i->op].klass;
        bool access = (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK;
        bool copies = i->op == ISA_OP_LD && cg_copying_store(g, i);
        const struct plan_access *plan = plan_access_of(g->plan, i);
        if (plan && plan->transposed)
            return i;
        if ((!access || copies) && k != ISA_CLASS_POINTWISE && k != ISA_CLASS_SOURCE)
            return i;
        if (i->op == ISA_OP_GROUP_ALL || i->op == ISA_OP_GROUP_FEW)
            return i;
    }
    return i;
}

static void emit_stretch(struct cg_func *g, struct kir_inst *from, const struct kir_inst *end) {
    for (unsigned t = 0; t < g->cg->team; t++)
        for (struct kir_inst *i = from; i != end; i = i->next)
            if (i->op != ISA_OP_PHI && !(t && is_once(g, i)))
                emit_for_group(g, i, t);
    cg_turn_to(g, 0);
}

// Marks what instructions outside the stretch use.
static void mark_used_outside(const struct cg_func *g, const struct kir_inst *from,
                              const struct kir_inst *end, uint8_t *used) {
    bool inside = false;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next) {
            inside = (inside || i == from) && i != end;
            for (uint32_t k = 0; k < i->nops && !inside; k++)
                used[i->ops[k]->id] = 1;
        }
}

static void pin_results(struct cg_func *g, struct kir_inst *from, const struct kir_inst *end) {
    uint8_t *used = arena_array(g->cg->arena, uint8_t, g->f->value_count + 1);
    mark_used_outside(g, from, end, used);
    for (unsigned t = 0; t < g->cg->team; t++)
        for (struct kir_inst *i = from; i != end; i = i->next)
            if (i->nres == 1 && used[i->res[0]->id]) {
                cg_turn_to(g, t);
                cg_pin(g, i->res[0]);
            }
    cg_turn_to(g, 0);
}

// Each group `by` instructions behind the one before it.
static void emit_skewed(struct cg_func *g, struct kir_inst *from, const struct skew *s) {
    struct kir_inst **all = arena_array(g->cg->arena, struct kir_inst *, s->length);
    unsigned n = 0, team = g->cg->team;
    for (struct kir_inst *i = from; i != s->end; i = i->next)
        all[n++] = i;
    for (unsigned step = 0; step < n + (team - 1) * s->by; step++)
        for (unsigned t = 0; t < team && t * s->by <= step; t++) {
            unsigned k = step - t * s->by;
            if (k < n && all[k]->op != ISA_OP_PHI && !(t && is_once(g, all[k])))
                emit_for_group(g, all[k], t);
        }
    cg_turn_to(g, 0);
    pin_results(g, from, s->end);
}

// Not where shared memory is kept in registers: it costs nothing to load there.
static struct skew skew_at(struct cg_func *g, struct kir_inst *i) {
    struct skew none = {0};
    return g->words || g->copies_end || g->cg->team == 1 ? none : skew_from(g->fl, i);
}

static bool emitted_before(const struct cg_func *g, const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return g->copies_end && (k == ISA_CLASS_POINTWISE || k == ISA_CLASS_SOURCE);
}

static void ask_for_stores(struct cg_func *g) {
    for (unsigned t = 0; t < g->cg->team; t++) {
        cg_turn_to(g, t);
        cg_prefetch_stores(g);
    }
    cg_turn_to(g, 0);
}

// Where a row of copies begins: what computes their addresses, and then what they read is asked
// for.
static void prefetch_copies(struct cg_func *g, struct kir_inst *first) {
    const struct kir_inst *end = cg_row_of_copies(g, first);
    if (!end)
        return;
    for (struct kir_inst *i = first; i != end; i = i->next)
        if (cg_is_before_copies(g, i))
            cg_emit_pure(g, i);
    cg_prefetch_copies(g, first);
}

void cg_emit_body(struct cg_func *g, struct kir_block *b) {
    const struct kir_inst *end_known = NULL; // of a stretch that was asked about
    for (struct kir_inst *i = b->first; i != b->last; i = i->next) {
        struct skew skew = {0};
        if (!end_known) {
            skew = skew_at(g, i);
            end_known = skew.end;
        }
        if (skew.by) {
            emit_skewed(g, i, &skew);
            i = skew.end->prev;
            continue;
        }
        end_known = i == end_known ? NULL : end_known;
        if (i == g->asks_for_stores)
            ask_for_stores(g);
        struct kir_inst *end = g->copies_end ? i : stretch_end(g, b, i);
        if (end != i) {
            emit_stretch(g, i, end);
            i = end->prev;
            continue;
        }
        prefetch_copies(g, i);
        if (i->op != ISA_OP_PHI && !emitted_before(g, i))
            emit_for_team(g, i);
        if (i == g->copies_end)
            g->copies_end = NULL;
    }
    cg_prefetch_later_stores(g, b);
}
