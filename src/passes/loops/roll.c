#include "passes/loops/roll.h"

#include <string.h>

#include "ir/clean/simplify.h"
#include "ir/ssa.h"

enum {
    MAX_PERIOD = 96,
    MIN_TURNS = 4,
    MIN_SIZE = 512,  // instructions of a stretch, times copies
    MIN_BODY = 96,   // instructions of an iteration, times copies
    MAX_OPERANDS = 8 // of an instruction, and results
};

enum from { BEFORE, SAME_TURN, LAST_TURN };

// Where an operand of the second and later iterations comes from: place and result in an iteration.
struct origin {
    uint8_t from; // enum from
    uint8_t result;
    uint16_t place;
};

// `turns` times `period` instructions from `first` on.
struct stretch {
    struct kir_inst **at; // the block's instructions
    uint32_t n, first, period, turns;
    int64_t step[MAX_PERIOD]; // from iteration to iteration, of an access's place
    struct origin origin[MAX_PERIOD][MAX_OPERANDS];
};

static bool may_repeat(const struct kir_inst *i) {
    if (i->nops > MAX_OPERANDS || i->nres > MAX_OPERANDS || i->ntargets)
        return false;
    if (isa_op_info[i->op].klass == ISA_CLASS_MEMORY)
        return (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK;
    return isa_op_info[i->op].klass == ISA_CLASS_POINTWISE;
}

static bool is_alike(const struct kir_inst *x, const struct kir_inst *y) {
    if (x->op != y->op || x->ty != y->ty || x->ty2 != y->ty2 || x->nops != y->nops ||
        x->nres != y->nres || memcmp(&x->mods, &y->mods, sizeof x->mods) || x->sreg != y->sreg ||
        x->flag != y->flag || x->index != y->index || x->sym != y->sym)
        return false;
    for (uint32_t r = 0; r < x->nres; r++)
        if (x->res[r]->type != y->res[r]->type)
            return false;
    return x->offset == y->offset || isa_op_info[x->op].klass == ISA_CLASS_MEMORY;
}

static bool is_same(const struct kir_value *x, const struct kir_value *y) {
    return x == y || (x->kind == KIR_VALUE_CONST && y->kind == KIR_VALUE_CONST &&
                      x->type == y->type && !memcmp(&x->bits, &y->bits, sizeof x->bits));
}

// Where v stands in turn k of the stretch; false: elsewhere.
static bool place_of(const struct stretch *s, const struct kir_value *v, uint32_t k,
                     struct origin *o) {
    uint32_t from = s->first + k * s->period;
    if (v->kind != KIR_VALUE_INST || v->def->block != s->at[0]->block || v->def->id < from ||
        v->def->id >= from + s->period)
        return false;
    o->place = (uint16_t)(v->def->id - from);
    o->result = (uint8_t)v->result;
    return true;
}

static bool is_inside(const struct stretch *s, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->def->block == s->at[0]->block && v->def->id >= s->first;
}

// The operand's origin in turn k, which has one before it.
static bool origin_of(const struct stretch *s, const struct kir_value *v, uint32_t k,
                      struct origin *o) {
    *o = (struct origin){BEFORE, 0, 0};
    if (place_of(s, v, k, o))
        o->from = SAME_TURN;
    else if (place_of(s, v, k - 1, o))
        o->from = LAST_TURN;
    else
        return !is_inside(s, v);
    return true;
}

static bool same_origin(const struct origin *x, const struct origin *y) {
    return x->from == y->from && x->place == y->place && x->result == y->result;
}

// Does the first iteration's operand fit what later iterations show?
static bool fits_first(const struct stretch *s, const struct kir_value *v,
                       const struct kir_value *later, const struct origin *o) {
    struct origin mine = {SAME_TURN, 0, 0};
    if (o->from == SAME_TURN)
        return place_of(s, v, 0, &mine) && same_origin(&mine, o);
    return !is_inside(s, v) && (o->from == LAST_TURN ? v->type == later->type : is_same(v, later));
}

// Does instruction j of iteration k (from 1 on) go on as the iterations before it?
static bool goes_on(struct stretch *s, uint32_t k, uint32_t j) {
    const struct kir_inst *first = s->at[s->first + j], *i = s->at[s->first + k * s->period + j];
    if (!is_alike(first, i))
        return false;
    if (k == 1)
        s->step[j] = i->offset - first->offset;
    else if (i->offset != first->offset + s->step[j] * (int64_t)k)
        return false;
    for (uint32_t o = 0; o < i->nops; o++) {
        struct origin here;
        if (!origin_of(s, i->ops[o], k, &here))
            return false;
        if (k == 1)
            s->origin[j][o] = here;
        else if (!same_origin(&here, &s->origin[j][o]))
            return false;
        if (k == 1 ? !fits_first(s, first->ops[o], i->ops[o], &here)
                   : here.from == BEFORE && !is_same(first->ops[o], i->ops[o]))
            return false;
        if (!o && s->step[j] && here.from != BEFORE)
            return false; // an access moves over a place that stays
    }
    return true;
}

static uint32_t count_turns(struct stretch *s) {
    for (uint32_t k = 1;; k++) {
        if (s->first + (k + 1) * s->period >= s->n)
            return k;
        for (uint32_t j = 0; j < s->period; j++)
            if ((k == 1 && !may_repeat(s->at[s->first + j])) || !goes_on(s, k, j))
                return k;
    }
}

// The longest stretch that begins at `first`.
static bool find_at(struct stretch *s, uint32_t first, unsigned copies) {
    uint32_t best = 0, turns = 0;
    s->first = first;
    for (uint32_t p = 2; p <= MAX_PERIOD && first + p * MIN_TURNS < s->n; p++) {
        if (s->at[first]->op != s->at[first + p]->op ||
            s->at[first]->op != s->at[first + 2 * p]->op)
            continue;
        s->period = p;
        uint32_t k = count_turns(s);
        if (k >= MIN_TURNS && k * p > best * turns)
            best = p, turns = k;
    }
    if (best * turns * copies < MIN_SIZE)
        return false;
    s->period = best;
    s->turns = count_turns(s); // and fills in steps and origins again
    return true;
}

// ---- the loop ---------------------------------------------------------------------------------

// Iterations that make one iteration of the loop.
static uint32_t turns_together(const struct stretch *s, unsigned copies) {
    uint32_t u = 1;
    while (s->period * u * copies < MIN_BODY)
        u++;
    return u;
}

struct loop {
    struct kir_func *f;
    struct kir_block *body, *behind;
    struct kir_inst *first; // of the body, behind the phis
    const struct stretch *s;
    uint32_t together;
};

static struct kir_inst *new_phi(const struct loop *l, struct kir_value *init, uint8_t type) {
    struct kir_inst *phi =
        kir_inst_new(l->f, ISA_OP_PHI, kir_isa_type((enum kir_type)type), 2, 1, &type, 0);
    phi->ops[0] = init;
    kir_insert_before(l->first, phi);
    return phi;
}

static struct kir_value *added(const struct loop *l, struct kir_value *v, uint64_t by) {
    uint8_t type = v->type;
    struct kir_inst *add =
        kir_inst_new(l->f, ISA_OP_ADD, kir_type_bits((enum kir_type)type) == 64 ? ISA_S64 : ISA_S32,
                     2, 1, &type, 0);
    add->ops[0] = v;
    add->ops[1] = kir_const(l->f, (enum kir_type)type, by);
    kir_append(l->body, add);
    return add->res[0];
}

// The place that accesses of one distance from `base` move over.
static struct kir_value *moving(const struct loop *l, struct kir_value *base, int64_t step) {
    int64_t by = step * (int64_t)l->together;
    uint64_t bits = kir_type_bits((enum kir_type)base->type) == 64 ? (uint64_t)by : (uint32_t)by;
    for (struct kir_inst *i = l->body->first; i->op == ISA_OP_PHI; i = i->next)
        if (i->ops[0] == base && i->index == 1 && i->offset == by)
            return i->res[0];
    struct kir_inst *phi = new_phi(l, base, base->type);
    phi->index = 1; // marks, until the loop is complete
    phi->offset = by;
    phi->ops[1] = added(l, phi->res[0], bits);
    return phi->res[0];
}

static struct kir_value *result_at(const struct loop *l, uint32_t turn, const struct origin *o) {
    return l->s->at[l->s->first + turn * l->s->period + o->place]->res[o->result];
}

static struct kir_value *carried(const struct loop *l, struct kir_value *init,
                                 const struct origin *o) {
    struct kir_value *last = result_at(l, l->together - 1, o);
    for (struct kir_inst *i = l->body->first; i->op == ISA_OP_PHI; i = i->next)
        if (!i->index && i->ops[0] == init && i->ops[1] == last)
            return i->res[0];
    struct kir_inst *phi = new_phi(l, init, last->type);
    phi->ops[1] = last;
    return phi->res[0];
}

static void connect(const struct loop *l) {
    const struct stretch *s = l->s;
    for (uint32_t k = 0; k < l->together; k++)
        for (uint32_t j = 0; j < s->period; j++) {
            struct kir_inst *i = s->at[s->first + k * s->period + j];
            if (s->step[j])
                i->ops[0] = moving(l, i->ops[0], s->step[j]);
            for (uint32_t o = 0; !k && o < i->nops; o++)
                if (s->origin[j][o].from == LAST_TURN)
                    i->ops[o] = carried(l, i->ops[o], &s->origin[j][o]);
        }
}

static void end_loop(const struct loop *l, uint32_t turns) {
    uint8_t number = KIR_B32, truth = KIR_PRED;
    struct kir_inst *phi = new_phi(l, kir_const(l->f, KIR_B32, 0), number);
    phi->ops[1] = added(l, phi->res[0], 1);
    struct kir_inst *more = kir_inst_new(l->f, ISA_OP_SETP, ISA_S32, 2, 1, &truth, 0);
    more->mods.cmp = ISA_CMP_LT;
    more->ops[0] = phi->ops[1];
    more->ops[1] = kir_const(l->f, KIR_B32, turns);
    kir_append(l->body, more);
    struct kir_inst *branch = kir_inst_new(l->f, ISA_OP_CBR, ISA_VOID, 1, 0, NULL, 2);
    branch->ops[0] = more->res[0];
    branch->targets[0] = l->body;
    branch->targets[1] = l->behind;
    kir_append(l->body, branch);
    for (struct kir_inst *i = l->body->first; i->op == ISA_OP_PHI; i = i->next)
        i->index = 0, i->offset = 0;
}

static void replace_pred(struct kir_block *b, const struct kir_block *from, struct kir_block *to) {
    for (uint32_t p = 0; p < b->preds.len; p++)
        if (b->preds.data[p] == from)
            b->preds.data[p] = to;
}

// What the last iteration made, the loop makes in its last.
static void replace_last(const struct loop *l, uint32_t last) {
    const struct stretch *s = l->s;
    for (uint32_t j = 0; j < s->period; j++) {
        struct kir_inst *old = s->at[s->first + last * s->period + j];
        struct kir_inst *now = s->at[s->first + (l->together - 1) * s->period + j];
        for (uint32_t r = 0; r < old->nres; r++)
            kir_replace_uses(l->f, old->res[r], now->res[r]);
    }
}

static void make_loop(struct kir_func *f, const struct stretch *s, uint32_t together) {
    struct kir_block *before = s->at[0]->block;
    struct arena *a = &f->module->arena;
    struct loop l = {f,       kir_block_new(f, NULL), kir_block_new(f, NULL), s->at[s->first], s,
                     together};
    uint32_t turns = s->turns / together, end = s->first + turns * together * s->period;
    replace_last(&l, turns * together - 1);
    for (uint32_t k = s->first; k < s->n; k++) {
        kir_remove(s->at[k]);
        if (k < s->first + together * s->period)
            kir_append(l.body, s->at[k]);
        else if (k >= end)
            kir_append(l.behind, s->at[k]);
    }
    struct kir_inst *last = l.behind->last;
    for (uint32_t k = 0; k < last->ntargets; k++)
        replace_pred(last->targets[k], before, l.behind);
    struct kir_inst *go = kir_inst_new(f, ISA_OP_BRA, ISA_VOID, 0, 0, NULL, 1);
    go->targets[0] = l.body;
    kir_append(before, go);
    vec_push(a, &l.body->preds, before);
    vec_push(a, &l.body->preds, l.body);
    vec_push(a, &l.behind->preds, l.body);
    connect(&l);
    end_loop(&l, turns);
}

// ---- stretches --------------------------------------------------------------------------------

// By value id: used by an instruction outside the stretch's iterations, or by a phi.
static bool only_last_leaves(const struct kir_func *f, const struct stretch *s, uint32_t kept) {
    uint32_t last = s->first + (kept - 1) * s->period, end = s->first + kept * s->period;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            if (i->block == s->at[0]->block && i->op != ISA_OP_PHI && i->id < end)
                continue;
            for (uint32_t k = 0; k < i->nops; k++) {
                const struct kir_value *v = i->ops[k];
                if (is_inside(s, v) && v->def->id < last)
                    return false;
            }
        }
    return true;
}

static struct kir_inst **instructions_of(struct arena *tmp, struct kir_block *b, uint32_t *n) {
    *n = 0;
    for (struct kir_inst *i = b->first; i; i = i->next)
        i->id = (*n)++;
    struct kir_inst **at = arena_array(tmp, struct kir_inst *, *n + 1);
    for (struct kir_inst *i = b->first; i; i = i->next)
        at[i->id] = i;
    return at;
}

static bool roll_one(struct kir_func *f, struct kir_block *b, unsigned copies, struct arena *tmp) {
    struct stretch *s = arena_new(tmp, struct stretch);
    s->at = instructions_of(tmp, b, &s->n);
    for (uint32_t first = 0; first + MIN_TURNS < s->n; first++) {
        if (s->at[first]->op == ISA_OP_PHI || !may_repeat(s->at[first]) ||
            !find_at(s, first, copies))
            continue;
        uint32_t together = turns_together(s, copies), turns = s->turns / together;
        if (turns < 3 || !only_last_leaves(f, s, turns * together)) {
            first += s->period * s->turns - 1;
            continue;
        }
        make_loop(f, s, together);
        return true;
    }
    return false;
}

bool has_long_block(const struct kir_func *f, unsigned copies) {
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        uint32_t n = 0;
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (++n * copies >= MIN_SIZE)
                return true;
    }
    return false;
}

bool roll_up(struct kir_func *f, unsigned copies) {
    struct arena tmp = {0};
    bool any = false;
    for (uint32_t b = 0; b < f->blocks.len; b++) // what is behind a loop is another block
        any |= roll_one(f, f->blocks.data[b], copies, &tmp);
    arena_free(&tmp);
    if (any)
        kir_renumber(f);
    return any;
}
