#include "passes/flow/finite.h"

#include "ir/async.h"
#include "isa/ops/arith.h"
#include "isa/ops/image.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "isa/ops/multimem.h"
#include "isa/ops/warp.h"

// How a value depends on what others write: not at all, by reads that may be ordinary data, or by
// strong ones, with which threads talk to each other.
enum { OWN, PLAIN, STRONG };

// More work than this for one loop, or for all loops of a function: those that are left are taken
// not to be finite.
enum { MOST_STEPS = 1 << 22, MOST_STEPS_OF_ALL = 1 << 28 };

// ---- what others may write ------------------------------------------------------------------

// The variable of the frame that an access goes to; NULL: not known, or none.
static const struct kir_symbol *variable_of(const struct kir_inst *access) {
    const struct kir_value *v = access->ops[0];
    for (int steps = 0; steps < 8 && v->kind == KIR_VALUE_INST; steps++) {
        const struct kir_inst *d = v->def;
        if (d->op == ISA_OP_SYMADDR)
            return d->sym->space == ISA_SPACE_LOCAL ? d->sym : NULL;
        if (d->op != ISA_OP_CVTA && d->op != ISA_OP_MOV && d->op != ISA_OP_ADD)
            return NULL;
        v = d->ops[0];
    }
    return NULL;
}

static bool is_own_memory(const struct kir_inst *i) {
    return i->mods.space == ISA_SPACE_LOCAL ||
           (i->mods.space == ISA_SPACE_GENERIC && variable_of(i));
}

static int read_of(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_LD:
        if (i->mods.nc || i->mods.space == ISA_SPACE_PARAM || i->mods.space == ISA_SPACE_CONST ||
            is_own_memory(i))
            return OWN;
        return i->mods.sem == ISA_SEM_WEAK ? PLAIN : STRONG;
    case ISA_OP_ATOM:
    case ISA_OP_ACTIVEMASK:
        return STRONG;
    case ISA_OP_SULD:
    case ISA_OP_LDMATRIX:
    case ISA_OP_WMMA_LOAD:
    case ISA_OP_MULTIMEM_LD_REDUCE:
    case ISA_OP_ELECT:
        return PLAIN;
    default:
        return isa_op_info[i->op].klass == ISA_CLASS_ASYNC   ? STRONG
               : isa_op_info[i->op].klass == ISA_CLASS_BLOCK ? PLAIN
                                                             : OWN;
    }
}

// The calls that are looked into, without recursion: programs decide how deep they go.
struct callees {
    const struct kir_func **list;
    uint32_t n;
    uint8_t *seen;
};

static bool add_callee(struct callees *c, const struct kir_inst *call) {
    const struct kir_func *f = call->callee;
    if (!f || f->is_extern)
        return false;
    if (!c->seen[f->index])
        c->list[c->n++] = f;
    c->seen[f->index] = 1;
    return true;
}

bool finite_reads_others(const struct kir_func *f) {
    struct arena tmp = {0};
    uint32_t most = f->module->funcs.len + 1;
    struct callees c = {arena_array(&tmp, const struct kir_func *, most), 0,
                        arena_array(&tmp, uint8_t, most)};
    bool reads = false;
    c.list[c.n++] = f;
    c.seen[f->index] = 1;
    for (uint32_t k = 0; k < c.n && !reads; k++)
        for (uint32_t b = 0; b < c.list[k]->blocks.len && !reads; b++)
            for (const struct kir_inst *i = c.list[k]->blocks.data[b]->first; i && !reads;
                 i = i->next)
                reads = read_of(i) || (i->op == ISA_OP_CALL && !add_callee(&c, i));
    arena_free(&tmp);
    return reads;
}

// ---- what depends on it ---------------------------------------------------------------------

struct taint {
    const struct cfg *cfg;
    const struct cfg_loop *loop;
    uint8_t *value;      // by value id
    uint8_t *controlled; // by block id: a branch that depends on others decides whether it runs
    uint8_t *parts;      // by block id: its branch has been looked at, with this dependence
    uint8_t *reads;      // by function: whether it reads what others write
    uint8_t frame;       // of what the loop stores in the frame
    uint8_t *reached;    // by block id, for one branch
    uint32_t *queue;
    bool changed;
    unsigned steps, all_steps; // of this loop; of those before it
};

static bool in_loop(const struct cfg_loop *l, const struct cfg *c, const struct kir_block *b) {
    return c->pos[b->id] != UINT32_MAX && cfg_in_loop(l, c->loop[b->id]);
}

static bool inside(const struct taint *t, const struct kir_block *b) {
    return in_loop(t->loop, t->cfg, b);
}

static int of_value(const struct taint *t, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && inside(t, v->def->block) ? t->value[v->id] : OWN;
}

static int most(int a, int b) {
    return a > b ? a : b;
}

static void raise(struct taint *t, uint8_t *x, int to) {
    if (*x >= to)
        return;
    *x = (uint8_t)to;
    t->changed = true;
}

static int of_operands(const struct taint *t, const struct kir_inst *i) {
    int n = OWN;
    for (uint32_t k = 0; k < i->nops; k++)
        n = most(n, of_value(t, i->ops[k]));
    return n;
}

static bool may_store_in_frame(const struct kir_inst *i) {
    return i->op == ISA_OP_ST && i->mods.space != ISA_SPACE_GLOBAL &&
           i->mods.space != ISA_SPACE_SHARED && i->mods.space != ISA_SPACE_CLUSTER;
}

static bool reads_others(const struct taint *t, const struct kir_func *f) {
    enum { NOT_ASKED, NO, YES };
    uint8_t *known = &t->reads[f->index];
    if (*known == NOT_ASKED)
        *known = finite_reads_others(f) ? YES : NO;
    return *known == YES;
}

static int of_call(const struct taint *t, const struct kir_inst *i) {
    return i->callee && !i->callee->is_extern && !reads_others(t, i->callee) ? of_operands(t, i)
                                                                             : STRONG;
}

static void look_at(struct taint *t, const struct kir_inst *i) {
    int n = most(of_operands(t, i), read_of(i));
    if (i->op == ISA_OP_LD && is_own_memory(i))
        n = most(n, t->frame);
    if (i->op == ISA_OP_CALL) {
        n = most(n, of_call(t, i));
        raise(t, &t->frame, most(n, t->controlled[i->block->id])); // by the addresses that it gets
    }
    if (may_store_in_frame(i))
        raise(t, &t->frame, most(n, t->controlled[i->block->id]));
    for (uint32_t k = 0; k < i->nres; k++)
        raise(t, &t->value[i->res[k]->id], n);
}

// The blocks of the loop that lie between branch d and where its ways meet again.
static uint32_t between(struct taint *t, const struct kir_block *d) {
    uint32_t n = 0, meet = t->cfg->ipdom[d->id];
    for (uint32_t k = 0; k < d->last->ntargets; k++)
        t->queue[n++] = d->last->targets[k]->id;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct kir_block *b = t->cfg->func->blocks.data[t->queue[k]];
        t->steps++;
        if (!inside(t, b) || t->reached[b->id])
            continue;
        t->reached[b->id] = 1;
        t->queue[kept++] = b->id;
        if (b->id == meet || b == t->loop->header)
            continue;
        for (uint32_t s = 0; s < b->last->ntargets; s++)
            if (!t->reached[b->last->targets[s]->id])
                t->queue[n++] = b->last->targets[s]->id;
    }
    return kept;
}

// Values that phis choose by d's branch, and whether blocks run by it.
static void look_behind(struct taint *t, const struct kir_block *d, int level) {
    uint32_t n = between(t, d), meet = t->cfg->ipdom[d->id];
    for (uint32_t k = 0; k < n; k++) {
        const struct kir_block *b = t->cfg->func->blocks.data[t->queue[k]];
        if (b->id != meet && b != t->loop->header)
            raise(t, &t->controlled[b->id], level);
        for (const struct kir_inst *i = b->first; i && i->op == ISA_OP_PHI; i = i->next) {
            const struct kir_value *one = NULL;
            bool chooses = false;
            for (uint32_t p = 0; p < i->nops; p++) {
                const struct kir_block *from = b->preds.data[p];
                bool by_d = from == d || (inside(t, from) && t->reached[from->id] &&
                                          from->id != meet && from != t->loop->header);
                chooses |= by_d && one && one != i->ops[p];
                one = by_d ? i->ops[p] : one;
            }
            if (chooses)
                raise(t, &t->value[i->res[0]->id], level);
        }
    }
    for (uint32_t k = 0; k < n; k++)
        t->reached[t->queue[k]] = 0;
}

// A loop inside this one that d leaves: how often it has run decides what is known behind it.
static void look_at_left_loops(struct taint *t, const struct kir_block *d, int level) {
    for (const struct cfg_loop *l = t->cfg->loop[d->id]; l && l != t->loop; l = l->parent)
        for (uint32_t k = 0; k < d->last->ntargets; k++)
            if (!in_loop(l, t->cfg, d->last->targets[k]))
                for (const struct kir_inst *i = l->header->first; i && i->op == ISA_OP_PHI;
                     i = i->next)
                    raise(t, &t->value[i->res[0]->id], level);
}

static int of_branch(const struct taint *t, const struct kir_block *b) {
    return b->last->nops && b->last->ntargets > 1 ? of_value(t, b->last->ops[0]) : OWN;
}

static bool has_steps_left(const struct taint *t) {
    return t->steps < MOST_STEPS && t->all_steps < MOST_STEPS_OF_ALL;
}

static void find_taint(struct taint *t) {
    const struct cfg *c = t->cfg;
    do {
        t->changed = false;
        for (uint32_t p = t->loop->first; p <= t->loop->last && has_steps_left(t); p++) {
            const struct kir_block *b = c->order[p];
            for (const struct kir_inst *i = b->first; i; i = i->next, t->steps++)
                look_at(t, i);
            int level = of_branch(t, b);
            if (level <= t->parts[b->id])
                continue;
            t->parts[b->id] = (uint8_t)level;
            look_behind(t, b, level);
            look_at_left_loops(t, b, level);
        }
    } while (t->changed && has_steps_left(t));
}

// ---- exits ----------------------------------------------------------------------------------

static bool is_exit(const struct taint *t, const struct kir_block *b) {
    for (uint32_t k = 0; k < b->last->ntargets; k++)
        if (!inside(t, b->last->targets[k]))
            return true;
    return false;
}

static bool in_each_iteration(const struct taint *t, const struct kir_block *b) {
    const struct kir_block *h = t->loop->header;
    for (uint32_t p = 0; p < h->preds.len; p++)
        if (inside(t, h->preds.data[p]) && !cfg_dominates(t->cfg, b, h->preds.data[p]))
            return false;
    return !t->loop->irreducible;
}

// Is v the same in each iteration?
static bool is_invariant(const struct taint *t, const struct kir_value *v) {
    for (int steps = 0; steps < 8; steps++) {
        if (v->kind != KIR_VALUE_INST || !inside(t, v->def->block))
            return true;
        const struct kir_inst *d = v->def;
        if (d->op == ISA_OP_SREG && (d->sreg < ISA_SREG_CLOCK || d->sreg > ISA_SREG_GLOBALTIMER_HI))
            return true;
        if (d->op == ISA_OP_LD && d->mods.space == ISA_SPACE_PARAM &&
            d->ops[0]->kind == KIR_VALUE_CONST)
            return true;
        if (d->op == ISA_OP_SYMADDR)
            return true;
        if (d->op == ISA_OP_LD && d->mods.space == ISA_SPACE_PARAM) {
            v = d->ops[0];
            continue;
        }
        if ((d->op != ISA_OP_CVT && d->op != ISA_OP_MOV) || !d->nops)
            return false;
        v = d->ops[0];
    }
    return false;
}

static bool is_const(const struct kir_value *v, uint64_t *out) {
    *out = v->bits.u64[0];
    return v->kind == KIR_VALUE_CONST;
}

// By how much a counter changes in each iteration.
struct step {
    bool known; // a constant: by
    int64_t by;
};

static bool is_step(const struct taint *t, const struct kir_value *v, bool minus, struct step *s) {
    uint64_t c;
    *s = (struct step){0};
    if (is_const(v, &c)) {
        unsigned bits = kir_type_bits((enum kir_type)v->type);
        s->known = true;
        s->by = bits < 64 ? (int64_t)(c << (64 - bits)) >> (64 - bits) : (int64_t)c;
        s->by = minus ? -s->by : s->by;
        return s->by != 0;
    }
    return is_invariant(t, v);
}

// Is `next` the phi, plus or minus a step, or shifted to the right?
static bool counts_on(const struct taint *t, const struct kir_value *next,
                      const struct kir_value *phi, struct step *s) {
    const struct kir_inst *d = next->kind == KIR_VALUE_INST ? next->def : NULL;
    if (!d || d->nops < 2 || isa_type_is_float(d->ty))
        return false;
    uint64_t c;
    switch (d->op) {
    case ISA_OP_ADD:
        return (d->ops[0] == phi && is_step(t, d->ops[1], false, s)) ||
               (d->ops[1] == phi && is_step(t, d->ops[0], false, s));
    case ISA_OP_SUB:
        return d->ops[0] == phi && is_step(t, d->ops[1], true, s);
    case ISA_OP_SHR:
        *s = (struct step){true, -1};
        return d->ops[0] == phi && is_const(d->ops[1], &c) && c;
    default:
        return false;
    }
}

static bool is_counter(const struct taint *t, const struct kir_inst *phi, struct step *s) {
    const struct kir_block *h = t->loop->header;
    struct step one;
    bool any = false;
    if (phi->op != ISA_OP_PHI || phi->block != h)
        return false;
    for (uint32_t p = 0; p < h->preds.len; p++) {
        if (!inside(t, h->preds.data[p]))
            continue;
        if (!counts_on(t, phi->ops[p], phi->res[0], &one) ||
            (any && (one.known != s->known || one.by != s->by)))
            return false;
        *s = one;
        any = true;
    }
    return any;
}

// Is v a counter, or one with something added that stays, or wider?
static bool follows_counter(const struct taint *t, const struct kir_value *v, struct step *s) {
    for (int steps = 0; steps < 8 && v->kind == KIR_VALUE_INST && inside(t, v->def->block);
         steps++) {
        const struct kir_inst *d = v->def;
        if (d->op == ISA_OP_PHI)
            return is_counter(t, d, s);
        if (isa_type_is_float(d->ty))
            return false;
        if (d->op == ISA_OP_CVT || d->op == ISA_OP_MOV || d->op == ISA_OP_SHR)
            v = d->ops[0];
        else if (d->op == ISA_OP_ADD && is_invariant(t, d->ops[0]))
            v = d->ops[1];
        else if ((d->op == ISA_OP_ADD || d->op == ISA_OP_SUB) && is_invariant(t, d->ops[1]))
            v = d->ops[0];
        else
            return false;
    }
    return false;
}

static int64_t sign(int64_t x) {
    return (x > 0) - (x < 0);
}

// Does a counter that changes by s pass the bound at which `x cmp bound` becomes false?
static bool passes(enum isa_cmp cmp, const struct step *s) {
    switch (cmp) {
    case ISA_CMP_EQ:
        return true;
    case ISA_CMP_NE: // no bound is stepped over
        return s->known && s->by & 1;
    case ISA_CMP_LT:
    case ISA_CMP_LE:
    case ISA_CMP_LO:
    case ISA_CMP_LS:
        return !s->known || sign(s->by) > 0;
    case ISA_CMP_GT:
    case ISA_CMP_GE:
    case ISA_CMP_HI:
    case ISA_CMP_HS:
        return !s->known || sign(s->by) < 0;
    default:
        return false;
    }
}

// The word that a compare-and-swap got back is compared with the one that it expected: it was
// another one because some other thread has gone on in between, and the next iteration expects what
// was found (or looks anew). Threads that so retry do not wait for each other.
static bool retries(const struct taint *t, const struct kir_inst *setp, enum isa_cmp go_on) {
    if (go_on != ISA_CMP_NE || setp->nops < 2)
        return false;
    for (int k = 0; k < 2; k++) {
        const struct kir_value *got = setp->ops[k], *wanted = setp->ops[1 - k];
        if (got->kind != KIR_VALUE_INST || got->def->op != ISA_OP_ATOM ||
            got->def->mods.atom != ISA_ATOM_CAS || got->def->ops[1] != wanted ||
            wanted->kind != KIR_VALUE_INST || !inside(t, wanted->def->block))
            continue;
        const struct kir_inst *d = wanted->def;
        if (d->op == ISA_OP_LD && d->ops[0] == got->def->ops[0] && d->offset == got->def->offset)
            return true;
        if (d->op != ISA_OP_PHI || d->block != t->loop->header)
            continue;
        bool all = true;
        for (uint32_t p = 0; p < d->nops; p++)
            all &= !inside(t, d->block->preds.data[p]) || d->ops[p] == got;
        if (all)
            return true;
    }
    return false;
}

// Is the loop left at the latest after some number of iterations when it goes on only while v is
// `on`?
static bool bounded(const struct taint *t, const struct kir_value *v, bool on, int depth) {
    if (depth > 8 || v->kind != KIR_VALUE_INST || !inside(t, v->def->block))
        return false;
    const struct kir_inst *d = v->def;
    if (d->op == ISA_OP_NOT)
        return bounded(t, d->ops[0], !on, depth + 1);
    if ((d->op == ISA_OP_AND && on) || (d->op == ISA_OP_OR && !on))
        return bounded(t, d->ops[0], on, depth + 1) || bounded(t, d->ops[1], on, depth + 1);
    if (d->op != ISA_OP_SETP || isa_type_is_float(d->ty) || d->nops < 2)
        return false;
    bool complement = d->nres > 1 && d->res[1] == v;
    if (d->nops > 2) {
        bool joined =
            (d->mods.boolop == ISA_BOOL_AND && on) || (d->mods.boolop == ISA_BOOL_OR && !on);
        if (complement || !joined)
            return false;
        if (bounded(t, d->ops[2], on, depth + 1))
            return true;
    }
    enum isa_cmp cmp = (enum isa_cmp)d->mods.cmp,
                 go_on = on != complement ? cmp : isa_cmp_opposite(cmp);
    if (retries(t, d, go_on))
        return true;
    struct step s = {0};
    for (int k = 0; k < 2; k++)
        if (is_invariant(t, d->ops[1 - k]) && follows_counter(t, d->ops[k], &s) &&
            passes(k ? isa_cmp_turned(go_on) : go_on, &s))
            return true;
    return false;
}

// Does b, which leaves the loop, ask something in each iteration that cannot always be answered by
// staying?
static bool bounds(const struct taint *t, const struct kir_block *b) {
    const struct kir_inst *last = b->last;
    if (last->op != ISA_OP_CBR || !in_each_iteration(t, b))
        return false;
    return bounded(t, last->ops[0], inside(t, last->targets[0]), 0);
}

// What was found out for another loop.
static void forget(struct taint *t, const struct cfg_loop *l) {
    t->loop = l;
    t->frame = OWN;
    t->all_steps += t->steps;
    t->steps = 0;
    for (uint32_t p = l->first; p <= l->last; p++) {
        const struct kir_block *b = t->cfg->order[p];
        t->controlled[b->id] = t->parts[b->id] = OWN;
        for (const struct kir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++)
                t->value[i->res[k]->id] = OWN;
    }
}

static bool has_fence(const struct taint *t) {
    for (uint32_t p = t->loop->first; p <= t->loop->last; p++)
        for (const struct kir_inst *i = t->cfg->order[p]->first; i; i = i->next)
            if (isa_op_info[i->op].klass == ISA_CLASS_FENCE)
                return true;
    return false;
}

static enum finite ask(struct taint *t) {
    const struct cfg_loop *l = t->loop;
    bool own_path = true, own_exits = true, counted = false, any_exit = false;
    int looks = OWN;
    find_taint(t);
    for (uint32_t p = l->first; p <= l->last; p++) {
        const struct kir_block *b = t->cfg->order[p];
        int level = of_branch(t, b);
        own_path &= level == OWN;
        if (!is_exit(t, b))
            continue;
        any_exit = true;
        own_exits &= level == OWN && in_each_iteration(t, b);
        bool by_bound = bounds(t, b);
        counted |= by_bound;
        looks = by_bound ? looks : most(looks, most(level, t->controlled[b->id]));
    }
    if (!has_steps_left(t))
        return LOOP_MAY_WAIT;
    if (any_exit && (own_path || own_exits || (counted && looks != STRONG)))
        return LOOP_IS_FINITE;
    return looks == STRONG || has_fence(t) ? LOOP_MAY_WAIT : LOOP_READS_DATA;
}

// By position in the layout, and behind the last one: instructions in front of it by which a value
// could depend on others.
static uint32_t *sum_reads(struct arena *tmp, const struct cfg *c) {
    uint32_t *sums = arena_array(tmp, uint32_t, c->nblocks + 1);
    for (uint32_t p = 0; p < c->nblocks; p++) {
        sums[p + 1] = sums[p];
        for (const struct kir_inst *i = c->order[p]->first; i; i = i->next)
            sums[p + 1] += i->op == ISA_OP_CALL || read_of(i) != OWN;
    }
    return sums;
}

// Of a loop that reads nothing of others': nothing in it depends on them. Most loops are left at
// their ends. Loops inside each other would be looked through once for each loop around them.
static enum finite ask_without_reads(struct taint *t, const struct cfg_loop *l) {
    t->loop = l;
    for (uint32_t p = l->last + 1; p-- > l->first;)
        if (is_exit(t, t->cfg->order[p]))
            return LOOP_IS_FINITE;
    return has_fence(t) ? LOOP_MAY_WAIT : LOOP_READS_DATA;
}

uint8_t *finite_loops(struct arena *a, const struct cfg *c) {
    uint32_t n = c->func_blocks + 1, edges = 2;
    uint8_t *known = arena_array(a, uint8_t, c->loops.len + 1);
    if (!c->loops.len)
        return known;
    for (uint32_t p = 0; p < c->nblocks; p++)
        edges += c->order[p]->last->ntargets;
    struct arena tmp = {0};
    struct taint t = {.cfg = c};
    t.value = arena_array(&tmp, uint8_t, c->func->value_count + 1);
    t.controlled = arena_array(&tmp, uint8_t, n);
    t.parts = arena_array(&tmp, uint8_t, n);
    t.reached = arena_array(&tmp, uint8_t, n);
    t.reads = arena_array(&tmp, uint8_t, c->func->module->funcs.len + 1);
    t.queue = arena_array(&tmp, uint32_t, edges);
    const uint32_t *reads = sum_reads(&tmp, c);
    for (uint32_t k = 0; k < c->loops.len; k++) {
        const struct cfg_loop *l = c->loops.data[k];
        if (reads[l->last + 1] == reads[l->first]) {
            known[k] = (uint8_t)ask_without_reads(&t, l);
            continue;
        }
        forget(&t, l);
        known[k] = (uint8_t)ask(&t);
    }
    arena_free(&tmp);
    return known;
}

bool finite_function(struct kir_func *f) {
    struct arena tmp = {0};
    if (!f->blocks.len)
        return true;
    const struct cfg *c = cfg_build(&tmp, f);
    const uint8_t *known = c ? finite_loops(&tmp, c) : NULL;
    bool all = c != NULL;
    for (uint32_t k = 0; c && k < c->loops.len; k++)
        all &= known[k] == LOOP_IS_FINITE;
    arena_free(&tmp);
    return all;
}
