// Blocks that are worth a version without masks: at the branch before them it is asked whether all
// lanes of the team enter. See cg_whole.c.
#include "codegen/control/cg_ask_whole.h"
#include "codegen/control/cg_all_lanes.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/state.h"
#include "codegen/memory/cg_mem.h"

enum { MOST_INSTS = 48, LARGE_TEAM = 4, MOST_TEAM_INSTS = 256 };

// What was asked at a branch: where the answer is (an i1 in memory).
struct cg_whole {
    const struct kir_block *from;
    uint32_t edge;
    LLVMValueRef answer;
    struct cg_whole *next;
};

// Without mask registers a masked store of neighbouring words takes dozens of instructions of the
// processor's own (AVX2), or is written out lane by lane; so is a load where there is no AVX2.
static bool masks_cost(const struct cg *c, const struct kir_inst *i) {
    return !c->target.masked_stores && (i->op == ISA_OP_ST || !c->target.masked_loads);
}

// In a team each group's mask is made of an index of its own. n: the block's instructions.
static bool is_costly(struct cg_func *g, struct kir_inst *i, unsigned n) {
    unsigned team = g->cg->team;
    return (i->op == ISA_OP_LD || i->op == ISA_OP_ST) &&
           (cg_is_strided(g, i) || (masks_cost(g->cg, i) && cg_is_line(g, i)) ||
            (team >= LARGE_TEAM && n * team <= MOST_TEAM_INSTS && cg_is_line(g, i)));
}

// Nothing but arithmetic and plain loads and stores.
static bool is_simple(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    bool access = (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK;
    return access || k == ISA_CLASS_POINTWISE || k == ISA_CLASS_SOURCE || i->op == ISA_OP_PHI;
}

// How many instructions it would be; 0: it cannot.
unsigned cg_could_be_whole(struct cg_func *g, const struct kir_block *b) {
    const struct cfg_loop *loop = g->fl->cfg->loop[b->id];
    unsigned n = 0;
    if (g->cg->width == 1 || g->cg->quick || g->appends || !g->now.mask_var[b->id] ||
        b->last->op != ISA_OP_BRA || (loop && loop->header == b) ||
        (g->runs[b->id] != CG_RUNS_MAYBE && g->runs[b->id] != CG_RUNS_READING))
        return 0;
    for (struct kir_inst *i = b->first; i != b->last; i = i->next, n++)
        if (!is_simple(i))
            return 0;
    return n <= MOST_INSTS ? n : 0;
}

bool cg_wants_whole(struct cg_func *g, const struct kir_block *b) {
    unsigned n = b->preds.len == 1 ? cg_could_be_whole(g, b) : 0;
    for (struct kir_inst *i = b->first; n && i != b->last; i = i->next)
        if (is_costly(g, i, n))
            return true;
    return false;
}

// The same was asked before, of the same threads. (Between barriers another team's may be there.)
static LLVMValueRef answered_before(struct cg_func *g, const struct kir_block *from, uint32_t k) {
    for (const struct cg_whole *w = g->asked; w && g->cg->one_team; w = w->next)
        if (w->from->last->ops[0] == from->last->ops[0] && w->edge == k &&
            !g->fl->cfg->loop[w->from->id] && cfg_dominates(g->fl->cfg, w->from, from))
            return w->answer;
    return NULL;
}

static LLVMValueRef ask(struct cg_func *g, struct kir_block *from, uint32_t k) {
    struct cg *c = g->cg;
    LLVMValueRef all = cg_all_take(g, from, k);
    if (!all)
        return NULL;
    struct cg_whole *w = arena_new(c->arena, struct cg_whole);
    *w = (struct cg_whole){from, k, cg_entry_alloca(g, c->i1), g->asked};
    g->asked = w;
    LLVMBuildStore(c->b, all, w->answer);
    return w->answer;
}

void cg_ask_whole(struct cg_func *g, struct kir_block *from) {
    cg_turn_to(g, 0);
    for (uint32_t k = 0; k < from->last->ntargets; k++) {
        const struct kir_block *b = from->last->targets[k];
        if (g->now.mask || !cg_wants_whole(g, b))
            continue;
        if (!g->whole)
            g->whole = arena_array(g->cg->arena, LLVMValueRef, g->f->blocks.len + 1);
        LLVMValueRef answer = answered_before(g, from, k);
        g->whole[b->id] = answer ? answer : ask(g, from, k);
    }
}

LLVMValueRef cg_is_whole(struct cg_func *g, const struct kir_block *b) {
    if (!g->whole || !g->whole[b->id])
        return NULL;
    return LLVMBuildLoad2(g->cg->b, g->cg->i1, g->whole[b->id], "whole");
}
