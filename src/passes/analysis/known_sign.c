#include "passes/analysis/known_sign.h"

#include "isa/ops/arith.h"
#include "isa/ops/control.h"
#include "isa/ops/logic.h"
#include "isa/ops/move.h"
#include "passes/analysis/number_range.h"

enum { MOST_SUMS = 8, MOST_TESTS = 16, MOST_JOINED = 16 };

// x - less + plus, modulo 2^32. Either may be NULL: none.
struct sum {
    const struct kir_value *x, *less;
    int64_t plus;
};

// Numbers from lo to hi; none: lo > hi.
struct span {
    int64_t lo, hi;
};

struct search {
    const struct cfg *c;
    const struct number_range *ranges;
    bool apart; // differences are taken apart; else they are a number of their own
    struct sum sum;
    // What the threads that come to the instruction can have: sum.x, as a number without sign and
    // with one, and sum.x - sum.less of two such numbers.
    struct span plain, with_sign, plain_difference, signed_difference;
};

static const struct span ANY_PLAIN = {0, UINT32_MAX}, ANY_SIGNED = {INT32_MIN, INT32_MAX},
                         ANY_DIFFERENCE = {-(INT64_C(1) << 40), INT64_C(1) << 40};

static bool is_of_32_bits(const struct kir_inst *i) {
    enum isa_type t = (enum isa_type)i->ty;
    return (t == ISA_S32 || t == ISA_U32 || t == ISA_B32) && i->nres == 1 && !i->mods.sat &&
           !i->mods.cc && i->res[0]->type == KIR_B32;
}

static bool is_number(const struct kir_value *v, int64_t *n) {
    if (v->kind != KIR_VALUE_CONST || v->type != KIR_B32)
        return false;
    *n = v->bits.s32;
    return true;
}

static struct sum sum_of(const struct kir_value *v, bool apart) {
    struct sum s = {.x = v};
    int64_t n;
    for (unsigned k = 0; k < MOST_SUMS && s.x->kind == KIR_VALUE_INST; k++) {
        const struct kir_inst *i = s.x->def;
        if (!is_of_32_bits(i))
            break;
        if (i->op == ISA_OP_ADD && is_number(i->ops[1], &n)) {
            s.plus += n;
        } else if (i->op == ISA_OP_SUB && is_number(i->ops[1], &n)) {
            s.plus -= n;
        } else if (i->op == ISA_OP_SUB && apart && !s.less) {
            s.less = i->ops[1];
        } else {
            break;
        }
        s.x = i->ops[0];
    }
    for (unsigned k = 0; k < MOST_SUMS && s.less && s.less->kind == KIR_VALUE_INST; k++) {
        const struct kir_inst *i = s.less->def;
        if (!is_of_32_bits(i) || i->op != ISA_OP_ADD || !is_number(i->ops[1], &n))
            break;
        s.plus -= n;
        s.less = i->ops[0];
    }
    return s;
}

// ---- comparisons -------------------------------------------------------------------------------

static bool is_signed_comparison(const struct kir_inst *p) {
    return p->ty == ISA_S32 && p->mods.cmp != ISA_CMP_LO && p->mods.cmp != ISA_CMP_LS &&
           p->mods.cmp != ISA_CMP_HI && p->mods.cmp != ISA_CMP_HS;
}

static struct span common(struct span x, struct span y) {
    return (struct span){x.lo > y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi};
}

// The span modulo 2^32 as numbers of `of`, all of which it may be; *ok: it does not wrap among
// them.
static struct span as_numbers(struct span s, struct span of, bool *ok) {
    int64_t two32 = INT64_C(1) << 32, turns = (s.lo - of.lo) / two32;
    turns -= (s.lo - of.lo) % two32 < 0;
    s.lo -= turns * two32;
    s.hi -= turns * two32;
    *ok = s.lo <= s.hi && s.hi <= of.hi;
    return s;
}

// x cmp y for one of the numbers y: what x, one of `all`, can be.
static struct span below_or_above(enum isa_cmp cmp, struct span y, struct span all) {
    switch (cmp) {
    case ISA_CMP_LT:
        all.hi = y.hi - 1;
        break;
    case ISA_CMP_LE:
        all.hi = y.hi;
        break;
    case ISA_CMP_GT:
        all.lo = y.lo + 1;
        break;
    case ISA_CMP_GE:
        all.lo = y.lo;
        break;
    case ISA_CMP_EQ:
        all = common(all, y);
        break;
    default:
        break;
    }
    return all;
}

static struct span numbers_of(const struct search *s, const struct kir_value *v, bool with_sign) {
    struct number_range r =
        number_range_as(number_range_of(s->ranges, v), with_sign ? ISA_S32 : ISA_U32);
    return r.known ? (struct span){r.lo, r.hi} : with_sign ? ANY_SIGNED : ANY_PLAIN;
}

// x + plus is one of `is`: then x is one of those less plus, in either way to read it.
static void narrow(struct search *s, struct span is, int64_t plus) {
    bool ok;
    struct span x = {is.lo - plus, is.hi - plus}, y;
    if (is.lo > is.hi)
        return;
    y = as_numbers(x, ANY_PLAIN, &ok);
    if (ok)
        s->plain = common(s->plain, y);
    y = as_numbers(x, ANY_SIGNED, &ok);
    if (ok)
        s->with_sign = common(s->with_sign, y);
    // What is not negative is the same number in both.
    if (s->plain.hi <= INT32_MAX)
        s->with_sign = common(s->with_sign, s->plain);
    if (s->with_sign.lo >= 0)
        s->plain = common(s->plain, s->with_sign);
}

// A number that is not the first one, or not the last.
static void leave_out(struct search *s, struct span is, int64_t plus) {
    struct span *of[2] = {&s->plain, &s->with_sign};
    int64_t two32 = INT64_C(1) << 32;
    for (unsigned k = 0; k < 2 && is.lo == is.hi; k++) {
        of[k]->lo += (of[k]->lo + plus - is.lo) % two32 == 0;
        of[k]->hi -= (of[k]->hi + plus - is.lo) % two32 == 0;
    }
}

// x + a cmp less + b, of numbers that these sums have without wrapping: x - less is known.
static void differ(struct search *s, enum isa_cmp cmp, bool with_sign, int64_t a, int64_t b) {
    struct span all = with_sign ? ANY_SIGNED : ANY_PLAIN, x = with_sign ? s->with_sign : s->plain,
                less = numbers_of(s, s->sum.less, with_sign);
    bool wraps = (a && (x.lo + a < all.lo || x.hi + a > all.hi)) ||
                 (b && (less.lo + b < all.lo || less.hi + b > all.hi));
    struct span d = {x.lo - less.hi, x.hi - less.lo}, by = {b - a, b - a},
                *known = with_sign ? &s->signed_difference : &s->plain_difference;
    if (!wraps)
        *known = common(*known, common(d, below_or_above(cmp, by, d)));
}

static void learn_comparison(struct search *s, const struct kir_inst *p, bool holds) {
    enum isa_type t = (enum isa_type)p->ty;
    if (p->nops != 2 || p->nres != 1 || p->mods.boolop ||
        (t != ISA_S32 && t != ISA_U32 && t != ISA_B32) || p->ops[0]->type != KIR_B32 ||
        p->ops[1]->type != KIR_B32)
        return;
    enum isa_cmp cmp = (enum isa_cmp)p->mods.cmp;
    cmp = isa_cmp_ordered(holds ? cmp : isa_cmp_opposite(cmp));
    bool with_sign = is_signed_comparison(p);
    for (unsigned side = 0; side < 2; side++, cmp = isa_cmp_turned(cmp)) {
        struct sum x = sum_of(p->ops[side], s->apart), y = sum_of(p->ops[1 - side], s->apart);
        if (x.x != s->sum.x || x.less)
            continue;
        struct span of = numbers_of(s, p->ops[1 - side], with_sign);
        if (cmp == ISA_CMP_NE)
            leave_out(s, of, x.plus);
        else
            narrow(s, below_or_above(cmp, of, with_sign ? ANY_SIGNED : ANY_PLAIN), x.plus);
        if (s->sum.less && y.x == s->sum.less && !y.less)
            differ(s, cmp, with_sign, x.plus, y.plus);
    }
}

// ---- tests on the way --------------------------------------------------------------------------

struct test {
    const struct kir_value *p;
    bool holds;
};

static void learn(struct search *s, const struct kir_value *p, bool holds) {
    struct test todo[MOST_JOINED] = {{p, holds}};
    for (unsigned n = 1; n;) {
        struct test t = todo[--n];
        const struct kir_inst *i = t.p->kind == KIR_VALUE_INST ? t.p->def : NULL;
        bool joined = i && i->ty == ISA_PRED &&
                      ((i->op == ISA_OP_AND && t.holds) || (i->op == ISA_OP_OR && !t.holds));
        if (!i)
            continue;
        if (i->op == ISA_OP_SETP)
            learn_comparison(s, i, t.holds);
        else if (i->op == ISA_OP_NOT && i->ty == ISA_PRED)
            todo[n++] = (struct test){i->ops[0], !t.holds};
        for (unsigned k = 0; k < 2 && joined && n < MOST_JOINED; k++)
            todo[n++] = (struct test){i->ops[k], t.holds};
    }
}

// All branches whose one way leads there, up to some, the nearest first.
static void learn_all(struct search *s, const struct kir_block *b) {
    for (unsigned n = 0; n < MOST_TESTS && s->c->idom[b->id] != UINT32_MAX; n++) {
        const struct kir_block *from = s->c->func->blocks.data[s->c->idom[b->id]];
        const struct kir_inst *t = from->last;
        if (from == b)
            return;
        if (b->preds.len == 1 && t->op == ISA_OP_CBR && t->targets[0] != t->targets[1])
            learn(s, t->ops[0], t->targets[0] == b);
        b = from;
    }
}

// ---- extensions --------------------------------------------------------------------------------

// The number that i extends without its sign, or NULL.
static const struct kir_value *extended(const struct kir_inst *i) {
    int64_t n;
    if (i->nres != 1 || i->res[0]->type != KIR_B64 || i->mods.sat)
        return NULL;
    if (i->op == ISA_OP_CVT)
        return isa_type_bits((enum isa_type)i->ty) == 64 &&
                       !isa_type_is_float((enum isa_type)i->ty) && i->ty2 == ISA_U32 &&
                       i->ops[0]->type == KIR_B32
                   ? i->ops[0]
                   : NULL;
    if ((i->op != ISA_OP_MUL && i->op != ISA_OP_MAD) || i->mods.half != ISA_WIDE ||
        i->ty != ISA_U32 || !is_number(i->ops[1], &n) || n < 0)
        return NULL;
    return i->ops[0];
}

// A sum that can be below zero is all that is looked at.
static bool is_candidate(const struct flow *fl, const struct kir_inst *i) {
    const struct kir_value *v = extended(i);
    const struct kir_inst *d = v && v->kind == KIR_VALUE_INST ? v->def : NULL;
    return d && (!fl || (!fl->shape[v->id].guard && fl->shape[i->res[0]->id].guard)) &&
           (d->op == ISA_OP_ADD || d->op == ISA_OP_SUB) && is_of_32_bits(d);
}

static bool is_positive(const struct search *s) {
    struct span x[2] = {s->plain, s->with_sign};
    if (s->sum.less) {
        x[0] = s->plain_difference;
        x[1] = s->signed_difference;
    }
    for (unsigned k = 0; k < 2; k++) {
        bool ok;
        x[k] =
            as_numbers((struct span){x[k].lo + s->sum.plus, x[k].hi + s->sum.plus}, ANY_PLAIN, &ok);
        if (ok && x[k].hi <= INT32_MAX)
            return true;
    }
    return false;
}

static bool has_known_sign(struct search *s, const struct kir_inst *i) {
    const struct kir_value *v = extended(i);
    struct number_range alone = number_range_as(number_range_of(s->ranges, v), ISA_U32);
    if (alone.known && alone.hi <= INT32_MAX)
        return false;
    for (unsigned way = 0; way < 2; way++) {
        s->apart = way;
        s->sum = sum_of(v, s->apart);
        if (way && !s->sum.less)
            break;
        s->plain = numbers_of(s, s->sum.x, false);
        s->with_sign = numbers_of(s, s->sum.x, true);
        s->plain_difference = s->signed_difference = ANY_DIFFERENCE;
        // Once more: what a nearer test leaves out may be next to what a farther one does.
        learn_all(s, i->block);
        if (!is_positive(s))
            learn_all(s, i->block);
        if (is_positive(s))
            return true;
    }
    return false;
}

static bool has_candidate(const struct kir_func *f, const struct flow *fl) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (is_candidate(fl, i))
                return true;
    return false;
}

bool known_sign(struct kir_func *f, const struct flow *fl, const uint32_t ntid[3], bool change) {
    if (!has_candidate(f, fl))
        return false;
    struct arena tmp = {0};
    bool any = false;
    struct search s = {.c = cfg_build(&tmp, f)};
    s.ranges = s.c ? number_ranges(&tmp, s.c, ntid) : NULL;
    for (uint32_t p = 0; s.c && p < s.c->nblocks && (change || !any); p++)
        for (struct kir_inst *i = s.c->order[p]->first; i; i = i->next) {
            if (!is_candidate(fl, i) || !has_known_sign(&s, i))
                continue;
            any = true;
            if (change && i->op == ISA_OP_CVT)
                i->ty2 = ISA_S32;
            else if (change)
                i->ty = ISA_S32;
        }
    arena_free(&tmp);
    return any;
}
