// Pictures and grids have edges: `x + d >= 0 && x + d < n` at each of a filter's taps, `min(max(x,
// 0), n - 1)`. Nearly all groups of lanes lie inside. There every test has one outcome, no access
// has a mask, and what neighbouring lanes access are neighbours in memory.
//
// Numbers are followed from the test on as a least one and how much more there may be: counters of
// loops behind the test grow from their start to their limit, in all lanes alike.
#include "passes/loops/group_edges.h"

#include "ir/clean/simplify.h"
#include "isa/ops/arith.h"
#include "isa/ops/move.h"
#include "passes/loops/group_version.h"
#include "passes/loops/loop_exit.h"

enum { MAX_DEPTH = 24, MAX_ATOMS = 64, MOST_CLONES = 160, MOST_COPIED = 500 };
enum { MOST_TRIES = 6, MOST_LEVELS = 3 };

// A constant up to this is where numbers begin, a larger one where they end.
enum { MOST_BEGIN = 32 };

// Counters go no further, so that sums of several do not wrap.
enum { MOST_COUNT = 1 << 24, MOST_SPREAD = 1 << 30 };

enum kind { KIND_UNKNOWN, KIND_NONE, KIND_ALIKE, KIND_LINEAR };

// What a value is in the version, before the test: v, and up to `more` larger, which is alike in
// all lanes (NULL: v itself), never beyond `spread`. That is so where the conditions hold.
struct form {
    enum kind kind;
    struct kir_value *v, *more;
    uint64_t spread;
    uint64_t when; // of the conditions, by number
};

enum decision { DECIDE_NO, DECIDE_FALSE, DECIDE_TRUE, DECIDE_FIRST, DECIDE_SECOND, DECIDE_PART };

struct counter {
    bool asked;
    struct kir_inst *phi; // grows by step from start, as long as it is below limit
    struct kir_value *start, *limit;
    int64_t step;
    bool exact;     // the limit is met, not passed
    bool inclusive; // ... by the number itself, in the last iteration
};

struct search {
    struct group_version version;
    struct kir_func *f;
    const struct flow *fl;
    uint32_t nvalues; // before anything was added
    struct form *forms;
    uint8_t *decided;         // by value id
    uint8_t *part;            // by value id: which operand of an extreme a comparison is left with
    uint64_t *needs;          // by value id: conditions of what is decided
    bool *before;             // by value id: made in the head before the test
    bool *compared;           // by value id: used by comparisons alone
    bool *inside;             // by block id: behind the test
    struct counter *counters; // by loop
    struct kir_value *atoms[MAX_ATOMS];
    unsigned natoms, clones;
};

static const struct form NO_FORM = {.kind = KIND_NONE};

// ---- candidates --------------------------------------------------------------------------------

static bool is_whole_number(enum isa_type t) {
    unsigned bits = isa_type_bits(t);
    return !isa_type_is_float(t) && t != ISA_U16X2 && t != ISA_S16X2 && (bits == 32 || bits == 64);
}

// A comparison or an extreme of two numbers.
static bool is_edge(const struct kir_inst *i) {
    if ((i->op != ISA_OP_SETP && i->op != ISA_OP_MIN && i->op != ISA_OP_MAX) || i->nops != 2 ||
        i->nres != 1 || !is_whole_number((enum isa_type)i->ty) || i->mods.sat)
        return false;
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    for (unsigned k = 0; k < 2; k++)
        if (kir_type_bits(i->ops[k]->type) != bits)
            return false;
    return i->op == ISA_OP_SETP ? !i->mods.boolop && i->mods.cmp <= ISA_CMP_HS
                                : kir_type_bits(i->res[0]->type) == bits;
}

// How groups that run together, and their lanes, differ in v.
static enum kind kind_in(const struct flow *fl, const struct kir_value *v,
                         const struct kir_block *b) {
    struct shape x = flow_use(fl, v, b);
    bool differs = fl->team > 1 && v->kind == KIR_VALUE_INST && !fl->shared[v->id];
    if (x.kind == SHAPE_UNIFORM)
        return differs ? KIND_LINEAR : KIND_ALIKE;
    return x.kind == SHAPE_OFFSETS && !x.guard ? KIND_LINEAR : KIND_NONE;
}

// Does what it gives differ in a way that one number would not?
static bool is_open(const struct flow *fl, const struct kir_inst *i) {
    return fl->shape[i->res[0]->id].kind == SHAPE_VARYING ||
           (i->op == ISA_OP_SETP && kind_in(fl, i->res[0], i->block) != KIND_ALIKE);
}

static bool is_candidate(const struct flow *fl, uint32_t nvalues, const struct kir_inst *i) {
    if (!is_edge(i) || i->flag || i->res[0]->id >= nvalues || !is_open(fl, i))
        return false;
    enum kind x = kind_in(fl, i->ops[0], i->block), y = kind_in(fl, i->ops[1], i->block);
    return (x == KIND_LINEAR && y == KIND_ALIKE) || (x == KIND_ALIKE && y == KIND_LINEAR);
}

static struct kir_inst *next_candidate(const struct flow *fl, uint32_t nvalues) {
    for (uint32_t p = 0; p < fl->cfg->nblocks && fl->width > 1; p++)
        for (struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (is_candidate(fl, nvalues, i))
                return i;
    return NULL;
}

// Nothing is left to do where the branch goes to one of its targets.
static bool is_guard(const struct flow *fl, const struct kir_inst *t) {
    return fl->exit_only[t->targets[0]->id] || fl->exit_only[t->targets[1]->id];
}

bool group_edges_any(const struct flow *fl) {
    bool extreme = false, test = false, parts = false;
    for (uint32_t p = 0; p < fl->cfg->nblocks && fl->width > 1; p++) {
        const struct kir_block *b = fl->cfg->order[p];
        for (const struct kir_inst *i = b->first; i; i = i->next) {
            parts |= i->op == ISA_OP_SELP ||
                     (i->op == ISA_OP_CBR && fl->divergent[b->id] && !is_guard(fl, i));
            if (!is_candidate(fl, fl->func->value_count, i))
                continue;
            extreme |= i->op != ISA_OP_SETP;
            test |= i->op == ISA_OP_SETP;
        }
    }
    return extreme || (test && parts);
}

// ---- conditions --------------------------------------------------------------------------------

static struct kir_value *unsigned_sum(struct search *s, isa_op op, struct kir_value *x,
                                      struct kir_value *y) {
    uint8_t u = kir_type_bits(x->type) == 64 ? ISA_U64 : ISA_U32;
    if (y->kind == KIR_VALUE_CONST && !y->bits.u64[0])
        return x;
    return group_version_binary(&s->version, op, u, x, y);
}

// One more condition; false: there are too many.
static bool also(struct search *s, uint64_t *when, enum isa_cmp cmp, uint8_t ty,
                 struct kir_value *x, struct kir_value *y) {
    if (s->natoms == MAX_ATOMS)
        return false;
    *when |= 1ULL << s->natoms;
    s->atoms[s->natoms++] = group_version_compare(&s->version, cmp, ty, x, y);
    return true;
}

// All of them, joined in pairs.
static struct kir_value *all_of(struct search *s, uint64_t when) {
    struct kir_value *v[MAX_ATOMS];
    unsigned n = 0;
    for (unsigned k = 0; k < s->natoms; k++)
        if (when >> k & 1)
            v[n++] = s->atoms[k];
    for (; n > 1; n = (n + 1) / 2)
        for (unsigned k = 0; k < n; k += 2)
            v[k / 2] = k + 1 < n
                           ? group_version_binary(&s->version, ISA_OP_AND, ISA_PRED, v[k], v[k + 1])
                           : v[k];
    struct kir_value *all = group_version_unary(&s->version, ISA_OP_GROUP_ALL, ISA_PRED, v[0]);
    all->def->flag = true;
    return all;
}

// ---- counters ----------------------------------------------------------------------------------

// v + a constant, as v and the constant.
static const struct kir_value *without_constant(const struct kir_value *v, int64_t *c) {
    *c = 0;
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    if (!i || (i->op != ISA_OP_ADD && i->op != ISA_OP_SUB) || i->nops != 2 || i->nres != 1 ||
        i->mods.sat || isa_type_is_float((enum isa_type)i->ty) ||
        isa_type_bits((enum isa_type)i->ty) != 32)
        return v;
    unsigned k = i->ops[1]->kind == KIR_VALUE_CONST ? 1 : 0;
    if (i->ops[k]->kind != KIR_VALUE_CONST || (i->op == ISA_OP_SUB && k == 0))
        return v;
    *c = (int32_t)i->ops[k]->bits.u32[0] * (i->op == ISA_OP_SUB ? -1LL : 1);
    return i->ops[1 - k];
}

// The phi's number from outside the loop, and its step; false: it does not count.
static bool is_counter(const struct cfg *c, const struct cfg_loop *l, const struct kir_inst *phi,
                       struct kir_value **start, int64_t *step) {
    if (phi->op != ISA_OP_PHI || phi->block != l->header || phi->nops != 2 ||
        kir_type_bits(phi->res[0]->type) != 32)
        return false;
    unsigned in = cfg_in_loop(l, c->loop[phi->block->preds.data[0]->id]) ? 0 : 1;
    if (!cfg_in_loop(l, c->loop[phi->block->preds.data[in]->id]) ||
        cfg_in_loop(l, c->loop[phi->block->preds.data[1 - in]->id]))
        return false;
    *start = phi->ops[1 - in];
    return without_constant(phi->ops[in], step) == phi->res[0] && *step;
}

static bool leads_back(const struct cfg_loop *l, const struct kir_block *b) {
    return b == l->header || (b->first == b->last && b->last->op == ISA_OP_BRA &&
                              b->last->targets[0] == l->header && b->preds.len == 1);
}

// The loop's only way out, behind all else of an iteration: `next < limit` or `next != limit`
// stays.
static void find_counter(const struct cfg *c, const struct cfg_loop *l, struct counter *k) {
    struct kir_inst *t = loop_only_exit(c, l);
    const struct kir_inst *p =
        t && t->op == ISA_OP_CBR && t->ops[0]->kind == KIR_VALUE_INST ? t->ops[0]->def : NULL;
    k->asked = true;
    if (!p || l->irreducible || !is_edge(p) || p->op != ISA_OP_SETP ||
        isa_type_bits((enum isa_type)p->ty) != 32)
        return;
    // The last block leads back, and no other.
    unsigned back = 0;
    for (uint32_t n = 0; n < l->header->preds.len; n++)
        back += cfg_in_loop(l, c->loop[l->header->preds.data[n]->id]);
    bool first = leads_back(l, t->targets[0]), last = leads_back(l, t->targets[1]);
    if (back != 1 || first == last)
        return;
    for (unsigned side = 0; side < 2 && !k->phi; side++) {
        enum isa_cmp stays =
            first ? (enum isa_cmp)p->mods.cmp : isa_cmp_opposite((enum isa_cmp)p->mods.cmp);
        stays = side ? isa_cmp_turned(stays) : stays;
        bool below = stays == ISA_CMP_LT && isa_type_is_signed((enum isa_type)p->ty);
        int64_t added, step;
        const struct kir_value *v = without_constant(p->ops[side], &added);
        struct kir_value *start;
        if ((!below && stays != ISA_CMP_NE) || v->kind != KIR_VALUE_INST ||
            !is_counter(c, l, v->def, &start, &step) || step < 1 || step > 1024 ||
            (step & (step - 1)) || (added != step && (added || below)))
            continue;
        k->phi = v->def;
        k->start = start;
        k->limit = p->ops[1 - side];
        k->step = step;
        k->exact = !below;
        k->inclusive = !added;
    }
}

static const struct counter *counter_of(struct search *s, const struct cfg_loop *l) {
    struct counter *k = &s->counters[l->index];
    if (!k->asked)
        find_counter(s->fl->cfg, l, k);
    return k->phi ? k : NULL;
}

static struct form form_of(struct search *s, struct kir_value *v, unsigned depth);

// From its start on as long as the loop runs.
static struct form of_counter(struct search *s, struct kir_inst *phi, const struct cfg_loop *l,
                              unsigned depth) {
    const struct counter *k = counter_of(s, l);
    struct kir_value *start;
    int64_t step;
    if (!k || !is_counter(s->fl->cfg, l, phi, &start, &step) || step % k->step ||
        step / k->step < 1 || step / k->step > 16)
        return NO_FORM;
    struct form begin = form_of(s, k->start, depth), limit = form_of(s, k->limit, depth),
                own = phi == k->phi ? begin : form_of(s, start, depth);
    if (begin.kind != KIND_ALIKE || begin.more || limit.kind != KIND_ALIKE || limit.more ||
        own.kind == KIND_NONE || own.more)
        return NO_FORM;
    uint64_t when = begin.when | limit.when | own.when;
    struct kir_value *zero = kir_const(s->f, KIR_B32, 0);
    if (!also(s, &when, ISA_CMP_GE, ISA_S32, begin.v, zero) ||
        !also(s, &when, k->inclusive ? ISA_CMP_LE : ISA_CMP_LT, ISA_S32, begin.v, limit.v) ||
        !also(s, &when, ISA_CMP_LE, ISA_S32, limit.v, kir_const(s->f, KIR_B32, MOST_COUNT)))
        return NO_FORM;
    struct kir_value *way = unsigned_sum(s, ISA_OP_SUB, limit.v, begin.v);
    if (k->exact && k->step > 1) {
        struct kir_value *rest = group_version_binary(&s->version, ISA_OP_AND, ISA_B32, way,
                                                      kir_const(s->f, KIR_B32, k->step - 1));
        if (!also(s, &when, ISA_CMP_EQ, ISA_S32, rest, zero))
            return NO_FORM;
    }
    uint64_t less = k->inclusive ? 0 : k->exact ? (uint64_t)k->step : 1;
    struct kir_value *more = unsigned_sum(s, ISA_OP_SUB, way, kir_const(s->f, KIR_B32, less));
    if (step != k->step)
        more = group_version_binary(&s->version, ISA_OP_MUL, ISA_U32, more,
                                    kir_const(s->f, KIR_B32, (uint64_t)(step / k->step)));
    return (struct form){own.kind, own.v, more, (uint64_t)MOST_COUNT * (step / k->step), when};
}

// One of several numbers, which are alike in all lanes.
static struct form of_meeting(struct search *s, const struct kir_inst *phi, unsigned depth) {
    enum { MOST = 3 };
    struct kir_value *least = NULL, *largest = NULL;
    uint64_t when = 0;
    if (phi->nops > MOST || kir_type_bits(phi->res[0]->type) != 32)
        return NO_FORM;
    for (uint32_t k = 0; k < phi->nops; k++) {
        struct form x = form_of(s, phi->ops[k], depth);
        if (x.kind != KIND_ALIKE || x.more ||
            !also(s, &when, ISA_CMP_GE, ISA_S32, x.v, kir_const(s->f, KIR_B32, 0)) ||
            !also(s, &when, ISA_CMP_LE, ISA_S32, x.v, kir_const(s->f, KIR_B32, MOST_COUNT)))
            return NO_FORM;
        when |= x.when;
        least = k ? group_version_binary(&s->version, ISA_OP_MIN, ISA_S32, least, x.v) : x.v;
        largest = k ? group_version_binary(&s->version, ISA_OP_MAX, ISA_S32, largest, x.v) : x.v;
    }
    if (!least)
        return NO_FORM;
    return (struct form){KIND_ALIKE, least, unsigned_sum(s, ISA_OP_SUB, largest, least), MOST_COUNT,
                         when};
}

// ---- what is decided ---------------------------------------------------------------------------

static bool is_number(const struct kir_value *v, int64_t *n) {
    if (v->kind != KIR_VALUE_CONST)
        return false;
    *n = kir_type_bits(v->type) == 32 ? (int32_t)v->bits.u32[0] : (int64_t)v->bits.u64[0];
    return true;
}

static bool is_below(enum isa_cmp c) {
    return c == ISA_CMP_LT || c == ISA_CMP_LE || c == ISA_CMP_LO || c == ISA_CMP_LS;
}

static bool is_unsigned(uint8_t ty, enum isa_cmp c) {
    return !isa_type_is_signed((enum isa_type)ty) || c >= ISA_CMP_LO;
}

// Would an index inside be below y? Constants are small where numbers begin.
static bool inside_is_below(const struct kir_value *y) {
    int64_t n;
    return !is_number(y, &n) || n > MOST_BEGIN;
}

// x c y in all lanes and iterations. y: one number.
static bool compares(struct search *s, uint64_t *when, enum isa_cmp c, uint8_t ty,
                     const struct form *x, struct kir_value *y) {
    bool wide = kir_type_bits(y->type) == 64;
    uint8_t t = is_unsigned(ty, c) ? wide ? ISA_U64 : ISA_U32 : wide ? ISA_S64 : ISA_S32;
    static const uint8_t plain[] = {[ISA_CMP_LO] = ISA_CMP_LT,
                                    [ISA_CMP_LS] = ISA_CMP_LE,
                                    [ISA_CMP_HI] = ISA_CMP_GT,
                                    [ISA_CMP_HS] = ISA_CMP_GE};
    c = c >= ISA_CMP_LO ? (enum isa_cmp)plain[c] : c;
    struct kir_value *v = x->v;
    if (x->more) {
        uint64_t most = t == ISA_U32   ? UINT32_MAX
                        : t == ISA_S32 ? INT32_MAX
                        : t == ISA_U64 ? UINT64_MAX
                                       : INT64_MAX;
        struct kir_value *last =
            unsigned_sum(s, ISA_OP_SUB, kir_const(s->f, (enum kir_type)y->type, most), x->more);
        if (!also(s, when, ISA_CMP_LE, t, v, last))
            return false;
        if (is_below(c))
            v = unsigned_sum(s, ISA_OP_ADD, v, x->more);
    }
    *when |= x->when;
    return also(s, when, c, t, v, y);
}

// What is asked of a comparison's operands: x, which differs from lane to lane, c y.
struct question {
    struct form x;
    struct kir_value *y;
    enum isa_cmp c; // what an index inside does
    uint8_t ty;
    bool holds; // the comparison does, then
};

static bool ask_about(struct search *s, const struct kir_inst *i, unsigned depth,
                      struct question *q, struct form x, unsigned side) {
    struct form y = form_of(s, i->ops[1 - side], depth);
    enum isa_cmp c = (enum isa_cmp)i->mods.cmp;
    int64_t n;
    if (x.kind != KIND_LINEAR || y.kind != KIND_ALIKE || y.more)
        return false;
    *q = (struct question){x, y.v, side ? isa_cmp_turned(c) : c, i->ty, true};
    q->x.when |= y.when;
    if (q->c == ISA_CMP_EQ || q->c == ISA_CMP_NE) {
        bool wide = isa_type_bits((enum isa_type)i->ty) == 64, zero = is_number(y.v, &n) && n == 0;
        q->holds = q->c == ISA_CMP_NE;
        q->c = zero ? ISA_CMP_GT : ISA_CMP_LT;
        q->ty = zero ? wide ? ISA_U64 : ISA_U32 : wide ? ISA_S64 : ISA_S32;
        return true;
    }
    if (is_below(q->c) != inside_is_below(y.v)) {
        q->c = isa_cmp_opposite(q->c);
        q->holds = false;
    }
    return true;
}

// `min(a, x) > y` is `a > y` where x > y: which operand of the extreme is left, and what x is.
static bool left_of_extreme(struct search *s, const struct kir_inst *i, unsigned side,
                            unsigned depth, struct question *q, unsigned *left) {
    const struct kir_inst *e = i->ops[side]->kind == KIR_VALUE_INST ? i->ops[side]->def : NULL;
    if (!e || !is_edge(e) || e->op == ISA_OP_SETP ||
        isa_type_is_signed((enum isa_type)e->ty) != !is_unsigned(i->ty, (enum isa_cmp)i->mods.cmp))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        struct form a = form_of(s, e->ops[1 - k], depth), x = form_of(s, e->ops[k], depth);
        if (a.kind != KIND_ALIKE || x.kind != KIND_LINEAR || !ask_about(s, i, depth, q, x, side))
            continue;
        // The side of x on which the other operand tells: above a minimum, below a maximum.
        bool tells = is_below(q->c) == (e->op == ISA_OP_MAX);
        *left = 1 - k;
        return tells;
    }
    return false;
}

static enum decision decide_comparison(struct search *s, const struct kir_inst *i, unsigned depth,
                                       uint64_t *when) {
    for (unsigned side = 0; side < 2; side++) {
        struct question q;
        unsigned left;
        const struct kir_value *x = i->ops[side];
        if (x->kind == KIR_VALUE_INST && x->id < s->nvalues && s->compared[x->id] &&
            left_of_extreme(s, i, side, depth, &q, &left) &&
            compares(s, when, q.c, q.ty, &q.x, q.y)) {
            s->part[i->res[0]->id] = (uint8_t)(side << 1 | left);
            return DECIDE_PART;
        }
        if (ask_about(s, i, depth, &q, form_of(s, i->ops[side], depth), side) &&
            compares(s, when, q.c, q.ty, &q.x, q.y))
            return q.holds ? DECIDE_TRUE : DECIDE_FALSE;
    }
    return DECIDE_NO;
}

static enum decision decide_extreme(struct search *s, const struct kir_inst *i, unsigned depth,
                                    uint64_t *when) {
    if (s->compared[i->res[0]->id])
        return DECIDE_NO;
    for (unsigned side = 0; side < 2; side++) {
        struct form x = form_of(s, i->ops[side], depth), y = form_of(s, i->ops[1 - side], depth);
        if (x.kind != KIND_LINEAR || y.kind != KIND_ALIKE || y.more)
            continue;
        *when |= y.when;
        if (compares(s, when, i->op == ISA_OP_MIN ? ISA_CMP_LE : ISA_CMP_GE, i->ty, &x, y.v))
            return side ? DECIDE_SECOND : DECIDE_FIRST;
    }
    return DECIDE_NO;
}

static enum decision decide(struct search *s, const struct kir_inst *i, unsigned depth,
                            uint64_t *when) {
    uint32_t id = i->res[0]->id;
    if (!is_edge(i) || !is_open(s->fl, i))
        return DECIDE_NO;
    uint64_t own = 0;
    enum decision d = i->op == ISA_OP_SETP ? decide_comparison(s, i, depth, &own)
                                           : decide_extreme(s, i, depth, &own);
    if (d != DECIDE_NO)
        *when |= own;
    s->decided[id] = (uint8_t)d;
    s->needs[id] = own;
    return d;
}

// ---- forms -------------------------------------------------------------------------------------

static bool is_available(const struct search *s, const struct kir_value *v) {
    const struct kir_block *b = v->def->block;
    return s->before[v->id] ||
           (b != s->version.head && cfg_dominates(s->fl->cfg, b, s->version.head));
}

static struct form at_head(const struct search *s, struct kir_value *v) {
    enum kind kind = kind_in(s->fl, v, s->version.head);
    if (v->type == KIR_PRED && kind != KIND_ALIKE)
        kind = KIND_NONE;
    return (struct form){.kind = kind, .v = v};
}

static struct form truth(struct search *s, bool holds, uint64_t when) {
    return (struct form){KIND_ALIKE, kir_const(s->f, KIR_PRED, holds), NULL, 0, when};
}

// A sum or difference of two.
static struct form of_sum(struct search *s, const struct kir_inst *i, const struct form *x) {
    struct form r = {KIND_ALIKE, NULL, NULL, x[0].spread + x[1].spread, x[0].when | x[1].when};
    bool minus = i->op == ISA_OP_SUB;
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    if (r.spread > MOST_SPREAD || kir_type_bits(i->res[0]->type) != bits ||
        kir_type_bits(x[0].v->type) != bits || kir_type_bits(x[1].v->type) != bits ||
        (x[1].kind == KIND_LINEAR && minus) ||
        (x[0].kind == KIND_LINEAR && x[1].kind == KIND_LINEAR))
        return NO_FORM;
    if (x[0].kind == KIND_LINEAR || x[1].kind == KIND_LINEAR)
        r.kind = KIND_LINEAR;
    r.v = unsigned_sum(s, (isa_op)i->op, x[0].v, x[1].v);
    if (minus && x[1].more)
        r.v = unsigned_sum(s, ISA_OP_SUB, r.v, x[1].more);
    r.more = !x[0].more   ? x[1].more
             : !x[1].more ? x[0].more
                          : unsigned_sum(s, ISA_OP_ADD, x[0].more, x[1].more);
    return r;
}

static struct form of_logic(struct search *s, const struct kir_inst *i, const struct form *x) {
    for (unsigned k = 0; k < i->nops; k++) {
        if (x[k].v->kind != KIR_VALUE_CONST)
            continue;
        bool holds = x[k].v->bits.u64[0] & 1;
        if (i->op == ISA_OP_NOT)
            return truth(s, !holds, x[k].when);
        if (holds == (i->op == ISA_OP_OR))
            return truth(s, holds, x[k].when);
        struct form r = x[1 - k];
        r.when |= x[k].when;
        return r;
    }
    return NO_FORM;
}

// What can be computed anywhere: the launch's numbers and parameters.
static bool is_of_launch(const struct kir_inst *i) {
    if (i->op == ISA_OP_SREG)
        return i->sreg >= ISA_SREG_TID_X && i->sreg <= ISA_SREG_NCTAID_Z;
    return i->op == ISA_OP_SYMADDR ? i->sym->space == ISA_SPACE_PARAM
                                   : i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM &&
                                         i->mods.sem == ISA_SEM_WEAK && i->nres == 1;
}

static struct form cloned(struct search *s, const struct kir_inst *i, const struct form *x) {
    struct form r = {.kind = KIND_ALIKE};
    if (is_of_launch(i))
        r.kind = kind_in(s->fl, i->res[0], i->block);
    if (r.kind == KIND_NONE)
        return r;
    for (uint32_t k = 0; k < i->nops; k++) {
        if (x[k].more)
            return NO_FORM;
        if (x[k].kind == KIND_LINEAR) {
            bool keeps = i->op == ISA_OP_MOV || (i->op == ISA_OP_CVT && !i->mods.sat &&
                                                 is_whole_number((enum isa_type)i->ty) &&
                                                 is_whole_number((enum isa_type)i->ty2));
            if (!keeps)
                return NO_FORM;
            r.kind = KIND_LINEAR;
        }
        r.when |= x[k].when;
    }
    if (s->clones++ >= MOST_CLONES)
        return NO_FORM;
    struct kir_inst *c =
        kir_inst_new(s->f, (isa_op)i->op, (enum isa_type)i->ty, i->nops, 1, &i->res[0]->type, 0);
    for (uint32_t k = 0; k < i->nops; k++)
        c->ops[k] = x[k].v;
    c->ty2 = i->ty2;
    c->mods = i->mods;
    c->sreg = i->sreg;
    c->sym = i->sym;
    c->offset = i->offset;
    c->index = i->index;
    r.v = group_version_put(&s->version, c);
    return r;
}

static struct form of_choice(struct search *s, const struct kir_inst *i, unsigned depth) {
    struct form p = form_of(s, i->ops[2], depth);
    if (p.kind != KIND_ALIKE || p.v->kind != KIR_VALUE_CONST)
        return NO_FORM;
    struct form r = form_of(s, i->ops[p.v->bits.u64[0] & 1 ? 0 : 1], depth);
    r.when |= p.when;
    return r;
}

static struct form of_inst(struct search *s, struct kir_inst *i, unsigned depth) {
    enum { MOST_OPS = 4 };
    struct form x[MOST_OPS], r;
    const struct cfg_loop *l = s->fl->cfg->loop[i->block->id];
    uint64_t when = 0;
    bool heads = l && l->header == i->block;
    if (i->op == ISA_OP_PHI)
        return !s->inside[i->block->id] ? NO_FORM
               : heads                  ? of_counter(s, i, l, depth)
                                        : of_meeting(s, i, depth);
    bool of_launch = is_of_launch(i);
    if ((isa_op_info[i->op].klass != ISA_CLASS_POINTWISE && !of_launch) || i->nres != 1 ||
        i->nops > MOST_OPS || i->op == ISA_OP_CVTA || i->op == ISA_OP_GROUP_ALL ||
        i->op == ISA_OP_DIV || i->op == ISA_OP_REM)
        return NO_FORM;
    enum decision d = decide(s, i, depth, &when);
    if (d == DECIDE_TRUE || d == DECIDE_FALSE)
        return truth(s, d == DECIDE_TRUE, when);
    if (d == DECIDE_FIRST || d == DECIDE_SECOND) {
        r = form_of(s, i->ops[d == DECIDE_SECOND], depth);
        r.when |= when;
        return r;
    }
    if (d == DECIDE_PART)
        return NO_FORM;
    if (i->op == ISA_OP_SELP) {
        r = of_choice(s, i, depth);
        if (r.kind != KIND_NONE)
            return r;
    }
    bool logic =
        i->ty == ISA_PRED && (i->op == ISA_OP_AND || i->op == ISA_OP_OR || i->op == ISA_OP_NOT);
    for (uint32_t k = 0; k < i->nops; k++) {
        x[k] = form_of(s, i->ops[k], depth);
        if (x[k].kind == KIND_NONE)
            return NO_FORM;
    }
    r = logic ? of_logic(s, i, x) : NO_FORM;
    if (r.kind != KIND_NONE)
        return r;
    if ((i->op == ISA_OP_ADD || i->op == ISA_OP_SUB) && i->nops == 2 && !i->mods.sat &&
        !i->mods.cc && is_whole_number((enum isa_type)i->ty))
        return of_sum(s, i, x);
    return cloned(s, i, x);
}

static struct form form_of(struct search *s, struct kir_value *v, unsigned depth) {
    if (v->kind == KIR_VALUE_CONST)
        return (struct form){.kind = KIND_ALIKE, .v = v};
    if (v->kind != KIR_VALUE_INST || v->id >= s->nvalues || !depth)
        return NO_FORM;
    struct form *r = &s->forms[v->id];
    if (r->kind == KIND_UNKNOWN) {
        r->kind = KIND_NONE;
        struct form found = is_available(s, v) ? at_head(s, v) : of_inst(s, v->def, depth - 1);
        s->forms[v->id] = found;
        r = &s->forms[v->id];
    }
    return *r;
}

// ---- is it worth it ----------------------------------------------------------------------------

// How the version's lanes differ in each value, as far as that decides where accesses go.
static enum kind kind_there(const struct search *s, const uint8_t *kinds,
                            const struct kir_value *v) {
    if (v->kind == KIR_VALUE_CONST)
        return KIND_ALIKE;
    if (v->kind != KIR_VALUE_INST || v->id >= s->nvalues)
        return KIND_NONE;
    if (kinds[v->id] != KIND_UNKNOWN)
        return (enum kind)kinds[v->id];
    struct shape x = s->fl->shape[v->id];
    return x.kind == SHAPE_OFFSETS ? KIND_LINEAR : kind_in(s->fl, v, v->def->block);
}

static enum kind kind_made(const struct search *s, const uint8_t *kinds, const struct kir_inst *i) {
    uint32_t id = i->res[0]->id;
    unsigned linear = 0;
    enum kind before = kind_there(s, kinds, i->res[0]);
    if (before == KIND_ALIKE || (before == KIND_LINEAR && i->op != ISA_OP_SETP))
        return before;
    switch ((enum decision)s->decided[id]) {
    case DECIDE_TRUE:
    case DECIDE_FALSE:
    case DECIDE_PART:
        return KIND_ALIKE;
    case DECIDE_FIRST:
    case DECIDE_SECOND:
        return KIND_LINEAR;
    default:
        break;
    }
    if (isa_op_info[i->op].klass != ISA_CLASS_POINTWISE || i->nres != 1 || i->op == ISA_OP_PHI)
        return KIND_NONE;
    if (i->op == ISA_OP_SELP) {
        struct form p = s->forms[i->ops[2]->id];
        if (i->ops[2]->id < s->nvalues && p.kind == KIND_ALIKE && p.v->kind == KIR_VALUE_CONST)
            return kind_there(s, kinds, i->ops[p.v->bits.u64[0] & 1 ? 0 : 1]);
    }
    if (i->ty == ISA_PRED && (i->op == ISA_OP_AND || i->op == ISA_OP_OR))
        for (unsigned k = 0; k < 2; k++) {
            const struct kir_value *v = i->ops[k];
            const struct form *x = v->id < s->nvalues ? &s->forms[v->id] : &NO_FORM;
            if (x->kind == KIND_ALIKE && x->v->kind == KIR_VALUE_CONST &&
                (x->v->bits.u64[0] & 1) == (i->op == ISA_OP_OR))
                return KIND_ALIKE;
        }
    for (uint32_t k = 0; k < i->nops; k++) {
        enum kind x = kind_there(s, kinds, i->ops[k]);
        if (x == KIND_NONE)
            return KIND_NONE;
        linear += x == KIND_LINEAR;
    }
    bool keeps = i->op == ISA_OP_ADD || i->op == ISA_OP_SUB || i->op == ISA_OP_MOV ||
                 i->op == ISA_OP_CVT || i->op == ISA_OP_MUL || i->op == ISA_OP_MAD ||
                 i->op == ISA_OP_SHL || i->op == ISA_OP_OR || i->op == ISA_OP_SELP;
    return !linear ? KIND_ALIKE : keeps ? KIND_LINEAR : KIND_NONE;
}

static bool is_behind(const struct search *s, const struct kir_block *b) {
    return b == s->version.head || s->inside[b->id];
}

// Places that become neighbours, and blocks that lose their masks: one in a loop is several.
static bool is_worth(struct search *s) {
    enum { ENOUGH = 3, OF_LOOP = 3 };
    const struct cfg *c = s->fl->cfg;
    const struct cfg_loop *around = c->loop[s->version.head->id];
    uint8_t *kinds = arena_array(s->version.tmp, uint8_t, s->nvalues + 1);
    unsigned gain = 0;
    for (uint32_t p = c->pos[s->version.head->id]; p < c->nblocks; p++) {
        struct kir_block *b = c->order[p];
        if (!is_behind(s, b))
            continue;
        for (const struct kir_inst *i = b == s->version.head ? s->version.at : b->first; i;
             i = i->next) {
            if (i->nres == 1 && i->res[0]->id < s->nvalues)
                kinds[i->res[0]->id] = (uint8_t)kind_made(s, kinds, i);
            bool access = (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->nops &&
                          i->ops[0]->kind == KIR_VALUE_INST && i->ops[0]->id < s->nvalues &&
                          s->fl->shape[i->ops[0]->id].kind == SHAPE_VARYING;
            if (access && kind_there(s, kinds, i->ops[0]) != KIND_NONE)
                gain += ENOUGH;
            bool parts = i->op == ISA_OP_CBR && s->fl->divergent[b->id] && !is_guard(s->fl, i);
            if (parts && kind_there(s, kinds, i->ops[0]) == KIND_ALIKE)
                gain += c->loop[b->id] != around ? OF_LOOP : 1;
        }
    }
    return gain >= ENOUGH;
}

// ---- the version -------------------------------------------------------------------------------

static void mark_compared(struct search *s) {
    for (uint32_t k = 0; k < s->nvalues; k++)
        s->compared[k] = true;
    for (uint32_t b = 0; b < s->f->blocks.len; b++)
        for (const struct kir_inst *i = s->f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops && i->op != ISA_OP_SETP; k++)
                if (i->ops[k]->kind == KIR_VALUE_INST && i->ops[k]->id < s->nvalues)
                    s->compared[i->ops[k]->id] = false;
}

static uint64_t ask_block(struct search *s, struct kir_inst *from) {
    uint64_t when = 0;
    for (struct kir_inst *i = from; i; i = i->next)
        if (is_edge(i) && i->res[0]->id < s->nvalues) {
            form_of(s, i->res[0], MAX_DEPTH);
            when |= s->decided[i->res[0]->id] != DECIDE_NO ? s->needs[i->res[0]->id] : 0;
        }
    return when;
}

// In the copy what is decided is what it is.
static void apply(struct search *s, const struct kir_copy *c) {
    struct kir_value **to = arena_array(s->version.tmp, struct kir_value *, s->f->value_count + 1);
    uint32_t n = s->f->value_count;
    for (uint32_t k = 0; k < s->version.region.len; k++)
        for (struct kir_inst *i = s->version.region.data[k]->first; i; i = i->next) {
            if (!is_edge(i) || i->res[0]->id >= s->nvalues)
                continue;
            uint32_t id = i->res[0]->id;
            enum decision d = (enum decision)s->decided[id];
            struct kir_value *copy = c->values[id];
            i->flag = copy->def->flag = true;
            if (d == DECIDE_TRUE || d == DECIDE_FALSE)
                to[copy->id] = kir_const(s->f, KIR_PRED, d == DECIDE_TRUE);
            if (d == DECIDE_FIRST || d == DECIDE_SECOND)
                to[copy->id] = copy->def->ops[d == DECIDE_SECOND];
            if (d == DECIDE_PART) {
                unsigned side = s->part[id] >> 1;
                const struct kir_inst *e = i->ops[side]->def;
                struct kir_value *left = e->ops[s->part[id] & 1];
                bool copied = left->kind == KIR_VALUE_INST && c->values[left->id];
                copy->def->ops[side] = copied ? c->values[left->id] : left;
            }
        }
    kir_replace_all(s->f, to, n);
}

// Tests of other versions stay what they are.
static bool has_test(const struct kir_inst *i) {
    while (i && i->op != ISA_OP_GROUP_ALL)
        i = i->next;
    return i;
}

// A kernel can begin with a test of its block (whole_blocks.h), made before the block is run: there
// is nothing to ask in front of it, and blocks that touch an edge are told apart already.
static bool tests_block(const struct search *s) {
    const struct kir_block *b = s->version.head;
    return b == s->f->blocks.data[0] && b->last->op == ISA_OP_CBR && !s->fl->divergent[b->id] &&
           kind_in(s->fl, b->last->ops[0], b) == KIND_ALIKE;
}

static bool make_version(struct search *s) {
    struct kir_copy c;
    if (tests_block(s) || !group_version_find(&s->version) || has_test(s->version.at))
        return false;
    for (uint32_t k = 0; k < s->version.region.len; k++)
        if (has_test(s->version.region.data[k]->first))
            return false;
    for (uint32_t k = 0; k < s->version.region.len; k++)
        s->inside[s->version.region.data[k]->id] = true;
    for (const struct kir_inst *i = s->version.head->first; i != s->version.at; i = i->next)
        for (uint32_t r = 0; r < i->nres; r++)
            if (i->res[r]->id < s->nvalues)
                s->before[i->res[r]->id] = true;
    uint64_t when = ask_block(s, s->version.at);
    for (uint32_t k = 0; k < s->version.region.len; k++)
        when |= ask_block(s, s->version.region.data[k]->first);
    if (!when || !is_worth(s))
        return false;
    group_version_make(&s->version, all_of(s, when), &c);
    apply(s, &c);
    return true;
}

static bool try_at(struct kir_func *f, const struct flow *fl, uint32_t nvalues,
                   struct kir_inst *at) {
    struct arena tmp = {0};
    uint32_t n = nvalues + 1;
    struct search s = {.f = f, .fl = fl, .nvalues = nvalues};
    s.version = (struct group_version){
        .tmp = &tmp, .f = f, .fl = fl, .head = at->block, .at = at, .most = MOST_COPIED};
    s.forms = arena_array(&tmp, struct form, n);
    s.decided = arena_array(&tmp, uint8_t, n);
    s.part = arena_array(&tmp, uint8_t, n);
    s.needs = arena_array(&tmp, uint64_t, n);
    s.before = arena_array(&tmp, bool, n);
    s.compared = arena_array(&tmp, bool, n);
    s.inside = arena_array(&tmp, bool, f->blocks.len + 1);
    s.counters = arena_array(&tmp, struct counter, fl->cfg->loops.len + 1);
    mark_compared(&s);
    bool made = make_version(&s);
    arena_free(&tmp);
    return made;
}

// Where a loop is entered: the end of the only block before it.
static struct kir_inst *before_loop(const struct cfg *c, const struct cfg_loop *l) {
    struct kir_block *from = NULL;
    for (uint32_t p = 0; p < l->header->preds.len; p++) {
        struct kir_block *b = l->header->preds.data[p];
        if (cfg_in_loop(l, c->loop[b->id]))
            continue;
        if (from)
            return NULL;
        from = b;
    }
    return from && cfg_dominates(c, from, l->header) ? from->last : NULL;
}

// The places for a test, the outermost last.
static unsigned places(const struct flow *fl, struct kir_inst *i, struct kir_inst **at) {
    unsigned n = 0;
    at[n++] = i;
    for (const struct cfg_loop *l = fl->cfg->loop[i->block->id]; l && n < MOST_LEVELS;
         l = l->parent) {
        struct counter k = {0};
        find_counter(fl->cfg, l, &k);
        struct kir_inst *before = k.phi ? before_loop(fl->cfg, l) : NULL;
        if (!before)
            break;
        at[n++] = before;
    }
    return n;
}

bool group_edges(struct kir_func *f, const struct flow *fl) {
    uint32_t nvalues = f->value_count;
    bool made = false;
    struct kir_inst *i;
    for (unsigned tries = 0; tries < MOST_TRIES && !made && (i = next_candidate(fl, nvalues));
         tries++) {
        struct kir_inst *at[MOST_LEVELS];
        for (unsigned n = places(fl, i, at); n-- && !made;)
            made = try_at(f, fl, nvalues, at[n]);
        i->flag = true;
    }
    for (uint32_t b = 0; b < f->blocks.len && !made; b++)
        for (i = f->blocks.data[b]->first; i; i = i->next)
            i->flag |= is_edge(i);
    if (made) {
        kir_fold(f);
        kir_remove_unreachable(f);
    }
    kir_remove_dead(f);
    kir_renumber(f);
    return made;
}
