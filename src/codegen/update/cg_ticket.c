// Blocks that take a number from a counter instead of their index, so that each finds those before
// it begun (a scan with look-back, a queue of tiles):
//
//     if (threadIdx.x == 0)
//         tile = atomicAdd(next, 1);      // tile is shared
//     __syncthreads();
//     ... in[tile * 2048 + threadIdx.x] ...
//
// Which tile a worker takes next follows from how many there are that take one each meanwhile. A
// processor does not: to it each tile's pages are new ones, and it has to see some lines of each
// before it asks for the others. So some lines of that tile are asked for while this one's are
// accessed. Nothing depends on the guess.
#include <stdlib.h>

#include "codegen/ahead/cg_prefetch_at.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_ticket.h"
#include "plan/plan.h"

enum { MOST_PLACES = 4, LINE = 64, EVERY = 256, LEAST_STEP = 64 };

static bool is_count(const struct kir_value *v) {
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    uint64_t by;
    return i && i->op == ISA_OP_ATOM && i->mods.atom == ISA_ATOM_ADD &&
           (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC) &&
           flow_const(i->ops[1], &by) && by == 1;
}

static const struct kir_symbol *shared_place(const struct kir_inst *i) {
    const struct kir_value *p = i->ops[0];
    bool shared = i->mods.space == ISA_SPACE_SHARED && !i->mods.vec && p->kind == KIR_VALUE_INST &&
                  p->def->op == ISA_OP_SYMADDR;
    return shared ? p->def->sym : NULL;
}

// Where in shared memory threads store for all what they have taken from a counter.
struct tickets {
    struct {
        const struct kir_symbol *at;
        int64_t offset;
    } place[MOST_PLACES];
    unsigned n;
};

static bool is_kept(const struct tickets *t, const struct kir_inst *i) {
    const struct kir_symbol *at = shared_place(i);
    for (unsigned k = 0; k < t->n && at; k++)
        if (t->place[k].at == at && t->place[k].offset == i->offset)
            return true;
    return false;
}

static struct tickets find_tickets(const struct cfg *cfg) {
    struct tickets t = {.n = 0};
    for (uint32_t p = 0; p < cfg->nblocks; p++)
        for (const struct kir_inst *i = cfg->order[p]->first; i; i = i->next) {
            bool new = i->op == ISA_OP_ST &&is_count(i->ops[1]) && shared_place(i);
            if (!new || t.n == MOST_PLACES || is_kept(&t, i))
                continue;
            t.place[t.n].at = shared_place(i);
            t.place[t.n++].offset = i->offset;
        }
    return t;
}

// From one number to the next. What blocks are told besides is each block's own, at any time.
static enum affine_moves moves(const void *who, const struct kir_value *v, int64_t *by) {
    const struct kir_inst *i = v->def;
    bool load = i->op == ISA_OP_LD;
    *by = load && i->mods.space == ISA_SPACE_SHARED && is_kept(who, i);
    if (*by || (load && i->mods.space == ISA_SPACE_PARAM) ||
        isa_op_info[i->op].klass == ISA_CLASS_SOURCE)
        return AFFINE_MOVES;
    return isa_op_info[i->op].klass == ISA_CLASS_POINTWISE ? AFFINE_FOLLOWS : AFFINE_UNKNOWN;
}

// By how much v is larger with the next number; 0: not at all, or not known.
static int64_t ticket_step(struct cg_func *g, const struct kir_value *v) {
    int64_t step;
    if (!g->by_ticket) {
        struct tickets t = find_tickets(g->fl->cfg);
        struct affine_mover m = {moves, &t};
        g->by_ticket = affine_motion_find(g->cg->arena, g->plan->in.affine, &m);
    }
    return affine_moved(g->by_ticket, v, &step) ? step : 0;
}

// Has an access before i in its block asked for lines as near as these?
static bool is_asked_for(const struct kir_inst *i) {
    for (const struct kir_inst *k = i->block->first; k != i; k = k->next)
        if (k->op == i->op && k->ops[0] == i->ops[0] && llabs(k->offset - i->offset) < EVERY)
            return true;
    return false;
}

void cg_prefetch_ticket(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p,
                        unsigned bytes) {
    struct cg *c = g->cg;
    int64_t step = 0;
    if (!c->target.prefetches_groups || c->quick || i->mods.space != ISA_SPACE_GLOBAL ||
        g->fl->cfg->loop[i->block->id] || bytes < EVERY || is_asked_for(i) ||
        llabs(step = ticket_step(g, i->ops[0])) < LEAST_STEP)
        return;
    LLVMValueRef n = cg_block_field(g, offsetof(struct kd_block, nsmid), c->i32, "workers");
    n = LLVMBuildMul(c->b, LLVMBuildZExt(c->b, n, c->i64, ""), cg_i64(c, (uint64_t)step), "");
    // Where the second cache is what is asked, it brings lines that were asked for, not their
    // neighbours.
    for (unsigned at = 0; at < bytes; at += c->target.second_cache ? LINE : EVERY) {
        LLVMValueRef by = LLVMBuildAdd(c->b, n, cg_i64(c, at), "");
        LLVMValueRef to = LLVMBuildGEP2(c->b, c->i8, p, &by, 1, "");
        cg_prefetch_to(c, to, false, CG_SECOND_CACHE);
    }
}
