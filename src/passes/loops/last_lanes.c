// A loop with header h, and behind the pass:
//
//     h ... -> turn           in the place of all edges back to h
//     turn:  group.few        few lanes go on? else h
//     peel:  group.lowest     of these the lowest, into the copy; the others wait at peel
//     enter: group.lane       of each value that the copy uses and that lanes have of their own
//     h' ... -> h'            the copy: what is in it is one lane's
//     leave: group.lane true  for each edge out of the copy: out of the loop, where lanes come
//                             together that have left it, or to peel
//
// No lane ever goes from `leave` to `peel`. The edge makes the copy a part of the loop of `peel`,
// where one lane after the other has its turn, as masks make of a loop.
#include "passes/loops/last_lanes.h"

#include "ir/clean/copy.h"
#include "ir/clean/simplify.h"
#include "ir/ssa.h"
#include "isa/ops/control.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"
#include "passes/affine/lane_cost.h"
#include "passes/flow/waiting.h"

enum { MOST_COPIED = 300, MOST_BLOCKS = 60, MOST_LANES = 4 };

// An iteration of a vector takes for each register that words of its lanes fill so many times what
// one lane's takes, and so many cycles more: arithmetic alone would gain nothing.
enum { LEAST_TIMES = 2, LEAST_CYCLES = 20 };

struct search {
    struct arena tmp;
    struct kir_func *f;
    const struct flow *fl;
    const struct cfg_loop *loop;
    uint32_t nblocks, nvalues; // before anything was added
    struct kir_block *turn, *peel, *enter;
    struct kir_copy copy;
    struct kir_vars vars;
};

// ---- which loops -------------------------------------------------------------------------------

static bool is_inside(const struct flow *fl, const struct cfg_loop *l, const struct kir_block *b) {
    return fl->cfg->pos[b->id] != UINT32_MAX && cfg_in_loop(l, fl->cfg->loop[b->id]);
}

static bool may_be_copied(const struct kir_inst *i) {
    for (uint32_t k = 0; k < i->nres; k++)
        if (i->res[k]->type == KIR_B128)
            return false;
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
        return i->op != ISA_OP_GROUP_ALL && i->op != ISA_OP_GROUP_FIRST;
    case ISA_CLASS_SOURCE:
        return true;
    case ISA_CLASS_MEMORY:
        return i->op == ISA_OP_LD || i->op == ISA_OP_ST || i->op == ISA_OP_ATOM ||
               i->op == ISA_OP_RED;
    case ISA_CLASS_CONTROL:
        return i->op == ISA_OP_BRA || i->op == ISA_OP_CBR || i->op == ISA_OP_BRX_IDX ||
               i->op == ISA_OP_RET || i->op == ISA_OP_EXIT;
    default:
        return i->op == ISA_OP_PHI;
    }
}

static bool can_be_copied(const struct flow *fl, const struct cfg_loop *l) {
    unsigned n = 0;
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (++n > MOST_COPIED || !may_be_copied(i))
                return false;
    return l->last - l->first < MOST_BLOCKS;
}

static bool differs(const struct flow *fl, const struct kir_value *v) {
    return fl->shape[v->id].kind == SHAPE_VARYING;
}

// Do lanes leave by what differs in no known steps? Where a number grows from lane to lane by steps
// they leave a few iterations apart.
static bool leaves_by_data(const struct flow *fl, const struct cfg_loop *l) {
    for (uint32_t p = l->first; p <= l->last; p++) {
        const struct kir_block *b = fl->cfg->order[p];
        const struct kir_value *v = b->last->op == ISA_OP_CBR ? b->last->ops[0] : NULL;
        bool leaves = false;
        for (uint32_t t = 0; t < b->last->ntargets; t++)
            leaves |= !is_inside(fl, l, b->last->targets[t]);
        if (!leaves || !v || !fl->divergent[b->id])
            continue;
        if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_SETP)
            return true;
        for (uint32_t k = 0; k < v->def->nops; k++)
            if (differs(fl, v->def->ops[k]))
                return true;
    }
    return false;
}

static bool asks(const struct kir_block *b, isa_op op) {
    for (const struct kir_inst *i = b->first; i; i = i->next)
        if (i->op == op)
            return true;
    return false;
}

// Has the loop its copy, or is it in one?
static bool is_done(const struct flow *fl, const struct cfg_loop *l) {
    for (uint32_t p = 0; p < l->header->preds.len; p++)
        if (asks(l->header->preds.data[p], ISA_OP_GROUP_FEW))
            return true;
    for (uint32_t d = l->header->id; d != UINT32_MAX; d = fl->cfg->idom[d])
        if (asks(fl->func->blocks.data[d], ISA_OP_GROUP_LOWEST))
            return true;
    return false;
}

// Nothing but what the thread has for itself?
static bool writes(const struct flow *fl, const struct cfg_loop *l) {
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (i->op == ISA_OP_ATOM || i->op == ISA_OP_RED ||
                (i->op == ISA_OP_ST && i->mods.space != ISA_SPACE_LOCAL))
                return true;
    return false;
}

// How many lanes are few; 0: the loop stays as it is.
static unsigned few_in(const struct flow *fl, const struct cfg_loop *l, const struct machine *m,
                       bool private_frame, const struct lane_runs **runs) {
    uint8_t waits = fl->loop_waits ? fl->loop_waits[l->index] : WAITS_NOT;
    if (l->irreducible || !fl->loop_divergent[l->index] || waits == WAITS_FOR_OTHERS ||
        waits == WAITS_FOR_TIME || is_done(fl, l) || !can_be_copied(fl, l) ||
        !leaves_by_data(fl, l))
        return 0;
    if (!*runs)
        *runs = lane_runs_of_flow(fl);
    struct lane_cost cost = lane_cost_of_loop(*runs, l, m, private_frame);
    unsigned registers = fl->width * 32 / m->vector_bits;
    double alone = cost.one * (registers > 1 ? registers : 1);
    if (cost.vector < LEAST_TIMES * alone || cost.vector < LEAST_CYCLES + alone)
        return 0;
    unsigned most = waits != WAITS_NOT && writes(fl, l) ? 1 : MOST_LANES;
    unsigned few = (unsigned)(cost.vector / cost.one / 2);
    return few < 1 ? 1 : few < most ? few : most;
}

static const struct cfg_loop *find(const struct flow *fl, const struct machine *m,
                                   bool private_frame, unsigned *few) {
    const struct lane_runs *runs = NULL; // made when they are asked for
    for (uint32_t k = 0; k < fl->cfg->loops.len && fl->width > 1 && fl->team == 1; k++) {
        *few = few_in(fl, fl->cfg->loops.data[k], m, private_frame, &runs);
        if (*few)
            return fl->cfg->loops.data[k];
    }
    return NULL;
}

// ---- the copy ----------------------------------------------------------------------------------

static bool in_loop(const struct search *s, const struct kir_block *b) {
    return b->id < s->nblocks && is_inside(s->fl, s->loop, b);
}

static struct kir_inst *new_inst(struct search *s, isa_op op, uint8_t type, struct kir_value *x,
                                 unsigned nops) {
    struct kir_inst *i =
        kir_inst_new(s->f, op, kir_isa_type((enum kir_type)type), nops, 1, &type, 0);
    const struct kir_inst *at = s->loop->header->last;
    i->file = at->file;
    i->line = at->line;
    i->ops[0] = x;
    return i;
}

static struct kir_value *truth(struct search *s) {
    return kir_const(s->f, KIR_PRED, 1);
}

static void branch(struct search *s, struct kir_block *b, struct kir_value *p,
                   struct kir_block *yes, struct kir_block *no) {
    struct kir_inst *i =
        kir_inst_new(s->f, p ? ISA_OP_CBR : ISA_OP_BRA, ISA_VOID, p ? 1 : 0, 0, NULL, p ? 2 : 1);
    if (p)
        i->ops[0] = p;
    i->targets[0] = yes;
    if (p)
        i->targets[1] = no;
    i->file = s->loop->header->last->file;
    i->line = s->loop->header->last->line;
    kir_append(b, i);
}

static void lead(struct search *s, struct kir_block *from, struct kir_block *to) {
    vec_push(&s->f->module->arena, &to->preds, from);
}

// Value v as the lane has it that enters.
static struct kir_value *entering(struct search *s, struct kir_value *v) {
    if (v->kind != KIR_VALUE_INST || (!in_loop(s, v->def->block) && v->id < s->nvalues &&
                                      flow_use(s->fl, v, s->loop->header).kind == SHAPE_UNIFORM))
        return v;
    struct kir_inst *i = new_inst(s, ISA_OP_GROUP_LANE, v->type, v, 1);
    kir_append(s->enter, i);
    return i->res[0];
}

// What comes from before the loop.
static void enter_values(struct search *s, const struct kir_inst *i) {
    bool at_header = i->op == ISA_OP_PHI && i->block == s->loop->header;
    for (uint32_t k = 0; k < i->nops; k++) {
        struct kir_value *v = i->ops[k];
        bool used = !at_header || in_loop(s, i->block->preds.data[k]);
        if (used && v->kind == KIR_VALUE_INST && !in_loop(s, v->def->block) &&
            !s->copy.values[v->id])
            s->copy.values[v->id] = entering(s, v);
    }
}

static struct kir_value *of_copy(const struct search *s, struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->id < s->nvalues && s->copy.values[v->id]
               ? s->copy.values[v->id]
               : v;
}

// What a phi of the header has behind an iteration, in `turn`.
static struct kir_value *behind_turn(struct search *s, const struct kir_inst *phi, uint32_t n) {
    struct kir_value *only = NULL;
    uint32_t k = 0;
    struct kir_inst *to = new_inst(s, ISA_OP_PHI, phi->res[0]->type, NULL, n);
    for (uint32_t p = 0; p < phi->nops; p++)
        if (in_loop(s, phi->block->preds.data[p]))
            to->ops[k++] = only = phi->ops[p];
    if (n == 1)
        return only;
    kir_append(s->turn, to);
    return to->res[0];
}

// The header's phis: of the loop and of its copy.
static void rewire_header(struct search *s) {
    struct kir_block *h = s->loop->header, *to = s->copy.blocks[h->id];
    struct arena *a = &s->f->module->arena;
    uint32_t n = 0, npreds = h->preds.len;
    struct kir_block **preds = arena_array(&s->tmp, struct kir_block *, npreds + 1);
    for (uint32_t p = 0; p < npreds; p++)
        n += in_loop(s, preds[p] = h->preds.data[p]);
    struct kir_inst *copy = to->first;
    for (struct kir_inst *phi = h->first; phi->op == ISA_OP_PHI; phi = phi->next) {
        struct kir_value *next = behind_turn(s, phi, n);
        struct kir_value **own = arena_array(a, struct kir_value *, npreds - n + 1);
        struct kir_value **ops = arena_array(a, struct kir_value *, n + 1);
        uint32_t nown = 0, nops = 0;
        ops[nops++] = entering(s, next);
        for (uint32_t p = 0; p < npreds; p++)
            if (in_loop(s, preds[p]))
                ops[nops++] = of_copy(s, phi->ops[p]);
            else
                own[nown++] = phi->ops[p];
        own[nown++] = next;
        phi->ops = own;
        phi->nops = nown;
        copy->ops = ops;
        copy->nops = nops;
        copy = copy->next;
    }
    h->preds.len = 0;
    lead(s, s->enter, to);
    for (uint32_t p = 0; p < npreds; p++) {
        if (!in_loop(s, preds[p])) {
            lead(s, preds[p], h);
            continue;
        }
        lead(s, preds[p], s->turn);
        lead(s, s->copy.blocks[preds[p]->id], to);
        for (uint32_t t = 0; t < preds[p]->last->ntargets; t++)
            if (preds[p]->last->targets[t] == h)
                preds[p]->last->targets[t] = s->turn;
    }
    lead(s, s->turn, h);
}

// The t-th edge out of the copy of b.
static void make_exit(struct search *s, struct kir_block *b, uint32_t t) {
    struct kir_block *to = b->last->targets[t], *leave = kir_block_new(s->f, NULL);
    struct kir_inst *i = new_inst(s, ISA_OP_GROUP_LANE, KIR_PRED, truth(s), 1);
    uint32_t p = 0, nth = 0;
    for (uint32_t k = 0; k < t; k++)
        nth += b->last->targets[k] == to;
    while (to->preds.data[p] != b || nth--)
        p++;
    kir_append(leave, i);
    branch(s, leave, i->res[0], to, s->peel);
    lead(s, s->copy.blocks[b->id], leave);
    lead(s, leave, s->peel);
    lead(s, leave, to);
    s->copy.blocks[b->id]->last->targets[t] = leave;
    for (struct kir_inst *phi = to->first; phi && phi->op == ISA_OP_PHI; phi = phi->next) {
        struct kir_value **ops =
            arena_array(&s->f->module->arena, struct kir_value *, phi->nops + 1);
        for (uint32_t k = 0; k < phi->nops; k++)
            ops[k] = phi->ops[k];
        ops[phi->nops++] = of_copy(s, ops[p]);
        phi->ops = ops;
    }
}

// Has what it gives a value for each lane, when its operands have one?
static bool is_of_each_lane(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_SOURCE:
        return i->op != ISA_OP_PHI;
    case ISA_CLASS_MEMORY:
        return i->op != ISA_OP_LD || i->mods.space == ISA_SPACE_LOCAL;
    default:
        return i->op == ISA_OP_CVTA || i->op == ISA_OP_ISSPACEP;
    }
}

// Behind it there is one: the lane's that is in the copy.
static void narrow(struct search *s, struct kir_block *const *region, uint32_t n) {
    uint32_t nvalues = s->f->value_count;
    struct kir_value **to = arena_array(&s->tmp, struct kir_value *, nvalues + 1);
    struct kir_value **of = arena_array(&s->tmp, struct kir_value *, nvalues + 1);
    for (uint32_t k = 0; k < n; k++)
        for (struct kir_inst *i = s->copy.blocks[region[k]->id]->first, *next; i; i = next) {
            next = i->next;
            for (uint32_t r = 0; r < i->nres && is_of_each_lane(i); r++) {
                struct kir_inst *lane =
                    new_inst(s, ISA_OP_GROUP_LANE, i->res[r]->type, i->res[r], 1);
                kir_insert_before(next, lane);
                to[i->res[r]->id] = lane->res[0];
                of[i->res[r]->id] = i->res[r];
            }
        }
    kir_replace_all(s->f, to, nvalues);
    for (uint32_t v = 0; v < nvalues; v++)
        if (to[v])
            to[v]->def->ops[0] = of[v];
    for (uint32_t v = 0; v < s->nvalues; v++)
        if (s->copy.values[v] && s->copy.values[v]->id < nvalues && to[s->copy.values[v]->id])
            s->copy.values[v] = to[s->copy.values[v]->id];
}

static void assign(struct search *s, uint32_t var, struct kir_value *v) {
    struct kir_inst *at = v->def->next;
    while (at->op == ISA_OP_PHI)
        at = at->next;
    kir_insert_before(at, kir_var_assign(s->f, var, v));
}

// What is used behind the loop comes from it or from its copy.
static void merge_values(struct search *s) {
    struct kir_value **reads = arena_array(&s->tmp, struct kir_value *, s->nvalues + 1);
    for (uint32_t b = 0; b < s->nblocks; b++) {
        struct kir_block *block = s->f->blocks.data[b];
        for (struct kir_inst *i = block->first; i && !in_loop(s, block); i = i->next)
            for (uint32_t o = 0; o < i->nops; o++) {
                struct kir_value *v = i->ops[o];
                if (v->kind != KIR_VALUE_INST || v->id >= s->nvalues || !in_loop(s, v->def->block))
                    continue;
                struct kir_block *from = i->op == ISA_OP_PHI ? block->preds.data[o] : NULL;
                if (from && (from->id >= s->nblocks || in_loop(s, from)))
                    continue;
                if (!reads[v->id]) {
                    uint32_t var = kir_var_new(s->f, &s->vars, (enum kir_type)v->type);
                    reads[v->id] = s->vars.reads.data[var];
                    assign(s, var, v);
                    assign(s, var, s->copy.values[v->id]);
                }
                i->ops[o] = reads[v->id];
                if (!from)
                    continue;
                struct kir_inst *mov = new_inst(s, ISA_OP_MOV, v->type, reads[v->id], 1);
                kir_insert_before(from->last, mov);
                i->ops[o] = mov->res[0];
            }
    }
    if (s->vars.reads.len)
        kir_ssa_construct(s->f, &s->vars);
}

static void make_copy(struct search *s, unsigned few) {
    struct kir_func *f = s->f;
    uint32_t n = s->loop->last - s->loop->first + 1;
    struct kir_block *const *region = s->fl->cfg->order + s->loop->first;
    s->turn = kir_block_new(f, NULL);
    s->peel = kir_block_new(f, NULL);
    s->enter = kir_block_new(f, NULL);
    s->copy.tmp = &s->tmp;
    s->copy.to = f;
    s->copy.blocks = arena_array(&s->tmp, struct kir_block *, s->nblocks + 1);
    s->copy.values = arena_array(&s->tmp, struct kir_value *, s->nvalues + 1);
    for (uint32_t k = 0; k < n; k++)
        for (const struct kir_inst *i = region[k]->first; i; i = i->next)
            enter_values(s, i);
    kir_copy_blocks(&s->copy, region, n);
    for (uint32_t k = 1; k < n; k++)
        for (uint32_t p = 0; p < region[k]->preds.len; p++)
            lead(s, s->copy.blocks[region[k]->preds.data[p]->id], s->copy.blocks[region[k]->id]);
    lead(s, s->turn, s->peel);
    rewire_header(s);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t t = 0; t < region[k]->last->ntargets; t++)
            if (region[k]->last->targets[t] != s->turn && !in_loop(s, region[k]->last->targets[t]))
                make_exit(s, region[k], t);
    struct kir_inst *ask = new_inst(s, ISA_OP_GROUP_FEW, KIR_PRED, truth(s), 2);
    ask->ops[1] = kir_const(f, KIR_B32, few);
    kir_append(s->turn, ask);
    branch(s, s->turn, ask->res[0], s->peel, s->loop->header);
    struct kir_inst *lowest = new_inst(s, ISA_OP_GROUP_LOWEST, KIR_PRED, truth(s), 1);
    kir_append(s->peel, lowest);
    branch(s, s->peel, lowest->res[0], s->enter, s->peel);
    lead(s, s->peel, s->peel);
    lead(s, s->peel, s->enter);
    branch(s, s->enter, NULL, s->copy.blocks[s->loop->header->id], NULL);
    narrow(s, region, n);
    merge_values(s);
}

bool last_lanes_any(const struct flow *fl, const struct machine *m, bool private_frame) {
    unsigned few;
    return find(fl, m, private_frame, &few);
}

bool last_lanes(struct kir_func *f, const struct flow *fl, const struct machine *m,
                bool private_frame) {
    unsigned few;
    const struct cfg_loop *l = find(fl, m, private_frame, &few);
    if (!l)
        return false;
    struct search s = {
        .f = f, .fl = fl, .loop = l, .nblocks = f->blocks.len, .nvalues = f->value_count};
    make_copy(&s, few);
    arena_free(&s.tmp);
    kir_renumber(f);
    return true;
}
