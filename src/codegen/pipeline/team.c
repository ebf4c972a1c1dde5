#include "codegen/pipeline/team.h"

#include "codegen/pipeline/analyse.h"
#include "codegen/pipeline/team_loops.h"
#include "codegen/pipeline/traits.h"
#include "isa/ops/block.h"
#include "isa/ops/control.h"
#include "isa/ops/memory.h"
#include "isa/ops/warp.h"
#include "passes/analysis/skew.h"

enum {
    SEARCH_TEAM = 4,
    SMALL_SEARCH_TEAM = 2,         // where masks are not kept in registers
    MAX_WHOLE_INSTRUCTIONS = 6000, // of a block with barriers in loops
    MAX_TEAM_ATOMICS = 64
};

// What can stand in a block in which some groups of a team have no active lane, and needs
// nothing of one group alone.
static bool works_in_team(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
    case ISA_CLASS_SOURCE:
    case ISA_CLASS_FENCE:
    case ISA_CLASS_ASYNC:
        return true;
    default:
        break;
    }
    switch (i->op) {
    case ISA_OP_LD:
    case ISA_OP_LDU:
    case ISA_OP_ST:
    case ISA_OP_ATOM:
    case ISA_OP_RED:
    case ISA_OP_PREFETCH:
    case ISA_OP_PREFETCHU:
    case ISA_OP_SHFL:
    case ISA_OP_VOTE:
    case ISA_OP_MATCH:
    case ISA_OP_REDUX:
    case ISA_OP_ACTIVEMASK:
    case ISA_OP_ELECT:
    case ISA_OP_BAR_WARP_SYNC:
    case ISA_OP_BAR_SYNC:
    case ISA_OP_BAR_RED:
    case ISA_OP_BRA:
    case ISA_OP_CBR:
    case ISA_OP_BRX_IDX:
    case ISA_OP_RET:
    case ISA_OP_EXIT:
        return true;
    default:
        return false;
    }
}

// The first instruction that forbids teams; NULL: none.
const struct kir_inst *team_forbidden(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (!works_in_team(i))
                return i;
    return NULL;
}

const struct kir_inst *first_loop(const struct flow *fl) {
    return fl->cfg->loops.len ? fl->cfg->loops.data[0]->header->last : NULL;
}

// For notes: why groups do not run together.
unsigned no_team(struct cg *c, const char *why, const struct kir_inst *at) {
    c->why_no_team = why;
    c->no_team_at = at;
    return 1;
}

// Barriers of a block that is one team cost nothing.
bool one_team_fits(const struct cg *c, unsigned groups) {
    // Without fused instructions each product is many: such code would take LLVM minutes.
    return c->target.fused && groups <= CG_MAX_TEAM &&
           groups * func_instructions(c->kernel) <= MAX_BLOCK_INSTRUCTIONS &&
           !team_forbidden(c->kernel);
}

// A loop with barriers in it: as one team the block passes them without saving and restoring what
// its groups need, which is more than what does not fit the registers costs.
static bool is_best_whole(const struct cg *c, const struct flow *fl, unsigned groups) {
    bool any = false;
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++)
        any |= has_barrier_in(fl, fl->cfg->loops.data[k]);
    return any && c->target.fused && groups <= CG_MAX_TEAM &&
           groups * func_instructions(c->kernel) <= MAX_WHOLE_INSTRUCTIONS &&
           fit_registers(c, fl, groups, true);
}

unsigned choose_team(struct cg *c, const struct flow *fl) {
    const uint32_t *n = c->spec.ntid;
    unsigned threads = n[0] * n[1] * n[2], groups = threads / c->width, most = CG_MAX_TEAM;
    const struct kir_inst *forbidden = team_forbidden(c->kernel);
    if (c->width == 1 || !threads || threads % c->width)
        return 1;
    if (!fl->cfg->loops.len)
        return func_has_barrier(c->kernel) && one_team_fits(c, groups) ? groups : 1;
    if (forbidden)
        return no_team(c, "an instruction works on one vector alone", forbidden);
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++) {
        const struct cfg_loop *l = fl->cfg->loops.data[k];
        bool by_data = leaves_by_data(fl, l);
        if (l->irreducible || (by_data && !is_search(fl, l)))
            return no_team(c, "threads leave a loop in different iterations", l->header->last);
        most = !by_data ? most : c->target.fused ? SEARCH_TEAM : SMALL_SEARCH_TEAM;
        most = most_rows(c, fl, l, most);
    }
    unsigned team = 1, atomics = lanes_of_atomics(c, fl);
    if (groups <= most && is_best_whole(c, fl, groups) && groups * atomics <= MAX_TEAM_ATOMICS)
        return groups;
    while (team * 2 <= most && team * 2 * atomics <= MAX_TEAM_ATOMICS && groups % (team * 2) == 0 &&
           fit_registers(c, fl, team * 2, false) &&
           team * 2 * func_instructions(c->kernel) <= MAX_TEAM_INSTRUCTIONS)
        team *= 2;
    if (team == 1)
        return no_team(c, "the values that loops keep fill the registers, or the code is long",
                       first_loop(fl));
    return team;
}

// How many instructions a team runs that share what they load: see skew.h.
static unsigned skewed_instructions(const struct flow *fl) {
    unsigned n = 0;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        struct kir_block *b = fl->cfg->order[p];
        for (struct kir_inst *i = b->first; i != b->last;) {
            struct skew s = skew_from(fl, i);
            n += s.by ? s.length : 0;
            i = s.end == i ? i->next : s.end;
        }
    }
    return n;
}

static unsigned loop_instructions(const struct flow *fl) {
    unsigned n = 0;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            n += fl->cfg->loop[fl->cfg->order[p]->id] != NULL;
    return n;
}

void try_team(struct pipeline *p) {
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    const struct flow *alone = fl[c->kernel->index];
    // A barrier that some of a team's groups come to in one arm of a branch, and others in the
    // other, is passed when all have come: as one vector they would come to it one after the other.
    if (!analyse_all(p)) {
        c->team = no_team(c, "vectors may have to wait for each other", c->stacks_at);
        because(c, NULL, NULL);
        analyse_all(p);
        return;
    }
    const struct flow *team = fl[c->kernel->index];
    bool gains = skewed_instructions(team) > loop_instructions(team);
    for (uint32_t k = 0; k < alone->cfg->loops.len; k++)
        if ((team->loop_divergent[k] && !alone->loop_divergent[k] && !gains) ||
            counts_to_own(team, alone->cfg->loops.data[k])) {
            c->team = no_team(c, "vectors leave a loop in different iterations",
                              alone->cfg->loops.data[k]->header->last);
            analyse_all(p);
            return;
        }
}
