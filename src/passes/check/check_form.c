// Addresses as sums of products of what is the same for all threads with their numbers.
#include <string.h>

#include "passes/check/check.h"

static const int64_t LIMIT = INT64_C(1) << 30; // of constants

// pointer: the array's beginning is one of its terms.
struct sum {
    bool known, pointer;
    int64_t more, most, scale; // more: the constant; most: as of a term
    uint32_t n;
    struct kd_check_term term[KD_CHECK_TERMS];
    struct kd_check_limit limit; // of the loop whose term is among these
};

// What is being looked at: how deep it may still go, and the phi whose next value it is.
struct walk {
    int depth;
    const struct kir_inst *phi;
};
enum { THE_PHI = 1 << 20 }; // the number of a term that is this phi's value

static const struct kir_inst *definition(const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST ? v->def : NULL;
}

bool check_form_parameter(const struct kir_inst *i, enum kir_type type, uint32_t *at) {
    const struct kir_inst *p = i->op == ISA_OP_LD && i->nres == 1 ? definition(i->ops[0]) : NULL;
    if (!p || i->mods.space != ISA_SPACE_PARAM || i->res[0]->type != type ||
        p->op != ISA_OP_SYMADDR || p->sym->space != ISA_SPACE_PARAM || p->flag)
        return false;
    *at = (uint32_t)((int64_t)p->sym->offset + p->offset + i->offset);
    return true;
}

static int64_t magnitude(int64_t x) {
    return x < 0 ? -x : x;
}

static struct sum constant(int64_t x) {
    return (struct sum){
        .known = x < LIMIT && x > -LIMIT, .more = x, .most = magnitude(x), .scale = 1};
}

static struct sum one(uint32_t number, uint32_t factor) {
    struct sum s = {.known = true, .scale = 1, .n = 1};
    s.term[0] = (struct kd_check_term){.times = 1, .most = 1, .number = number, .factor = {factor}};
    return s;
}

static struct sum of_itself(void) {
    struct sum s = one(THE_PHI, 0);
    s.scale = INT64_C(1) << 40; // nothing has been computed
    return s;
}

static bool alike(const struct kd_check_term *a, const struct kd_check_term *b) {
    return a->number == b->number && !memcmp(a->factor, b->factor, sizeof a->factor);
}

static bool is_loop(const struct kd_check_term *t) {
    return t->number == KD_CHECK_LOOP || t->number == KD_CHECK_LOOP_OF_32;
}

// Both sums' limits; of different ones none is known.
static void join_limits(struct sum *x, const struct sum *y) {
    if (!x->limit.times)
        x->limit = y->limit;
    else if (y->limit.times && memcmp(&x->limit, &y->limit, sizeof x->limit))
        x->limit = (struct kd_check_limit){0};
}

static void add(struct sum *s, struct kd_check_term t) {
    uint32_t k = 0;
    // Loops are not added up: each has its own count.
    while (k < s->n && !(is_loop(&t) ? !memcmp(&s->term[k], &t, sizeof t) : alike(&s->term[k], &t)))
        k++;
    if (k == KD_CHECK_TERMS) {
        s->known = false;
        return;
    }
    if (k == s->n) {
        s->term[s->n++] = t;
        return;
    }
    if (is_loop(&t))
        return;
    s->term[k].times += t.times;
    s->term[k].most += t.most;
    s->known &= s->term[k].most < LIMIT;
}

static struct sum plus(struct sum x, struct sum y, int64_t sign) {
    x.known &= y.known && !(x.pointer && y.pointer) && !(y.pointer && sign < 0);
    x.pointer |= y.pointer;
    x.more += sign * y.more;
    x.most += y.most;
    x.known &= x.most < LIMIT;
    // Constants alone are in no way of what is computed.
    x.scale = !x.n && !x.more     ? y.scale
              : !y.n && !y.more   ? x.scale
              : x.scale < y.scale ? x.scale
                                  : y.scale;
    for (uint32_t k = 0; k < y.n && x.known; k++) {
        y.term[k].times *= sign;
        add(&x, y.term[k]);
    }
    if (sign > 0)
        join_limits(&x, &y);
    else
        x.limit = (struct kd_check_limit){0};
    return x;
}

// Factors in order, so that equal terms look alike. False: there are too many.
static bool join(struct kd_check_term *t, const struct kd_check_term *a,
                 const struct kd_check_term *b) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < 2 * KD_CHECK_FACTORS; k++) {
        uint32_t x = k < KD_CHECK_FACTORS ? a->factor[k] : b->factor[k - KD_CHECK_FACTORS], at = n;
        if (!x)
            continue;
        if (n == KD_CHECK_FACTORS)
            return false;
        for (; at && t->factor[at - 1] > x; at--)
            t->factor[at] = t->factor[at - 1];
        t->factor[at] = x;
        n++;
    }
    t->number = a->number | b->number;
    return !(a->number && b->number);
}

static struct sum product(struct sum x, struct sum y) {
    struct sum r = {.known = x.known && y.known && !x.pointer && !y.pointer, .scale = 1};
    struct kd_check_term fixed[2] = {{.times = x.more, .most = x.most},
                                     {.times = y.more, .most = y.most}};
    if (x.most >= 1 << 15 || y.most >= 1 << 15)
        r.known = false;
    for (uint32_t a = 0; a <= x.n && r.known; a++)
        for (uint32_t b = 0; b <= y.n && r.known; b++) {
            const struct kd_check_term *p = a < x.n ? &x.term[a] : &fixed[0];
            const struct kd_check_term *q = b < y.n ? &y.term[b] : &fixed[1];
            struct kd_check_term t = {.times = p->times * q->times, .most = p->most * q->most};
            r.known &= p->most < 1 << 15 && q->most < 1 << 15 && join(&t, p, q);
            if (a == x.n && b == y.n) {
                r.more = t.times;
                r.most = t.most;
            } else if (t.most && r.known) {
                add(&r, t);
            }
        }
    bool by = !x.n || !y.n;
    int64_t c = !x.n ? x.more : y.more, scale = !x.n ? y.scale : x.scale;
    r.scale = by && c > 0 ? scale * c : 1;
    if (by && c > 0) {
        r.limit = x.n ? x.limit : y.limit;
        r.limit.times *= c;
        r.limit.of *= c;
    }
    return r;
}

// What a sum of 32 bits is as one of 64: the same where it does not wrap, which its bound tells.
static struct sum widened(struct sum s, enum isa_type from) {
    s.known &= !s.pointer;
    for (uint32_t k = 0; k < s.n; k++) {
        s.known &= s.term[k].number != THE_PHI;
        s.known &= from == ISA_S32 || s.term[k].times >= 0;
    }
    s.known &= from == ISA_S32 || s.more >= 0;
    s.scale = 1;
    return s;
}

static struct sum sum_of(const struct kir_value *v, struct walk w);

static struct sum of_sreg(const struct kir_inst *i) {
    struct sum none = {0};
    uint32_t s = i->sreg;
    if (s >= ISA_SREG_TID_X && s <= ISA_SREG_TID_Z)
        return one(KD_CHECK_TID + s - ISA_SREG_TID_X, 0);
    if (s >= ISA_SREG_CTAID_X && s <= ISA_SREG_CTAID_Z)
        return one(KD_CHECK_CTAID + s - ISA_SREG_CTAID_X, 0);
    if (s >= ISA_SREG_NTID_X && s <= ISA_SREG_NTID_Z)
        return one(0, KD_CHECK_NTID + s - ISA_SREG_NTID_X);
    if (s >= ISA_SREG_NCTAID_X && s <= ISA_SREG_NCTAID_Z)
        return one(0, KD_CHECK_NCTAID + s - ISA_SREG_NCTAID_X);
    return none;
}

static struct sum of_conversion(const struct kir_inst *i, struct walk w) {
    struct sum none = {0};
    enum isa_type to = (enum isa_type)i->ty, from = (enum isa_type)i->ty2;
    if (isa_type_is_float(from) || isa_type_bits(from) < 32 ||
        isa_type_bits(to) < isa_type_bits(from))
        return none;
    struct sum x = sum_of(i->ops[0], w);
    return isa_type_bits(from) == 32 && isa_type_bits(to) > 32 ? widened(x, from) : x;
}

// What a loop adds to a phi each time: a sum of what all threads have in common. False: something
// else becomes of it.
static bool is_step(struct sum *next, uint32_t number, struct sum *steps) {
    uint32_t found = 0;
    *steps = (struct sum){.known = next->known && !next->pointer, .scale = next->scale};
    for (uint32_t k = 0; k < next->n && steps->known; k++) {
        struct kd_check_term t = next->term[k];
        bool phi = t.number == THE_PHI && t.times == 1 && t.most == 1 && !t.factor[0];
        found += phi;
        if (t.number && !phi)
            return false;
        t.number = number;
        if (!phi)
            add(steps, t);
    }
    if (next->more)
        add(steps, (struct kd_check_term){
                       .times = next->more, .most = magnitude(next->more), .number = number});
    return steps->known && found == 1;
}

// The block that a loop's phi comes from when the loop is entered.
static const struct kir_block *entry_of(const struct kir_inst *phi, uint32_t back) {
    return phi->block->preds.data[!back];
}

static bool is_less(const struct kir_inst *i, bool is, const struct kir_value *a,
                    const struct kir_value *b) {
    bool less = i->mods.cmp == ISA_CMP_LT || i->mods.cmp == ISA_CMP_LO;
    bool not_less = i->mods.cmp == ISA_CMP_GE || i->mods.cmp == ISA_CMP_HS;
    return i->op == ISA_OP_SETP && i->nops == 2 && i->nres == 1 &&
           isa_type_bits((enum isa_type)i->ty) == 32 && !isa_type_is_float((enum isa_type)i->ty) &&
           (is ? less : not_less) && i->ops[0] == a && (i->ops[1] == b || !b);
}

// Is a < bound on the way from a block to another one? Only ways of one predecessor each are looked
// at.
static bool is_guarded(const struct kir_block *from, const struct kir_block *to,
                       const struct kir_value *a, const struct kir_value *bound) {
    enum { FAR = 16 };
    for (uint32_t k = 0; k < FAR; k++) {
        const struct kir_inst *last = from->last;
        const struct kir_inst *i = last->op == ISA_OP_CBR ? definition(last->ops[0]) : NULL;
        if (i && last->targets[0] != last->targets[1] &&
            is_less(i, last->targets[0] == to, a, bound))
            return true;
        if (from->preds.len != 1)
            return false;
        to = from;
        from = to->preds.data[0];
    }
    return false;
}

// What a phi of 32 bits counts up to: from 0 or one number on, as long as it is below a bound, by
// which both the loop's entry and its end ask. False: nobody knows.
static bool find_limit(const struct kir_inst *i, uint32_t back, int depth,
                       struct kd_check_limit *out, struct kd_check_term *step) {
    enum { DEEP = 3 };
    struct walk w = {depth < DEEP ? depth : DEEP, NULL};
    const struct kir_value *next = i->ops[back], *bound;
    const struct kir_inst *last = i->block->preds.data[back]->last, *add, *less;
    less = last->op == ISA_OP_CBR ? definition(last->ops[0]) : NULL;
    add = definition(next);
    if (!less || !add || i->res[0]->type != KIR_B32 || last->targets[0] == last->targets[1] ||
        !is_less(less, last->targets[0] == i->block, next, NULL) || add->op != ISA_OP_ADD ||
        add->ops[0] != i->res[0])
        return false;
    bound = less->ops[1];
    struct sum from = sum_of(i->ops[!back], w), to = sum_of(bound, w), by = sum_of(add->ops[1], w);
    bool one_bound = to.known && !to.pointer && ((to.n == 1 && !to.more) || !to.n);
    bool one_step = by.known && !by.pointer && ((by.n == 1 && !by.more) || (!by.n && by.more > 0));
    bool one_from = from.known && !from.pointer && !from.more && from.n <= 1;
    if (!one_bound || !one_step || !one_from || (to.n && to.term[0].number) ||
        (by.n && (by.term[0].number || by.term[0].times <= 0)) ||
        (from.n && (!from.term[0].number || from.term[0].number >= KD_CHECK_NUMBERS ||
                    from.term[0].factor[0] || from.term[0].times <= 0)))
        return false;
    if (!is_guarded(entry_of(i, back), i->block, i->ops[!back], bound) &&
        !(!from.n && !to.n && to.more > 0))
        return false;
    *out = (struct kd_check_limit){.times = 1,
                                   .of = from.n ? from.term[0].times : 0,
                                   .bound = to.n ? to.term[0].times : to.more,
                                   .number = from.n ? from.term[0].number : 0};
    *step = by.n ? by.term[0] : (struct kd_check_term){.times = by.more};
    if (to.n)
        memcpy(out->factor, to.term[0].factor, sizeof out->factor);
    return true;
}

// The limit of a phi whose loop adds `step`, by that of a phi of the same loop that counts.
static struct kd_check_limit limit_of(const struct kir_inst *i, uint32_t back, int depth,
                                      const struct sum *steps, const struct sum *begin) {
    struct kd_check_limit limit, none = {0};
    struct kd_check_term step;
    for (const struct kir_inst *q = i->block->first; q && q->op == ISA_OP_PHI; q = q->next) {
        if (q->nops != 2 || q->nres != 1 || !find_limit(q, back, depth, &limit, &step))
            continue;
        const struct kd_check_term *t = &steps->term[0];
        int64_t by = steps->n == 1 ? t->times / step.times : 0, own = limit.number ? 0 : 1;
        if (by <= 0 || by * step.times != t->times ||
            memcmp(t->factor, step.factor, sizeof step.factor))
            continue;
        limit.times *= by;
        limit.of *= by;
        for (uint32_t k = 0; k < begin->n; k++)
            if (limit.number && begin->term[k].number == limit.number)
                own += begin->term[k].times == limit.of && !begin->term[k].factor[0] ? 1 : 2;
        if (own == 1)
            return limit;
    }
    return none;
}

// A phi of two values, of which one is itself plus what its loop adds: the other one plus any
// number of times that.
static struct sum of_phi(const struct kir_inst *i, struct walk w) {
    enum { DEEP = 6 }; // what loops add is simple, and phis lead to phis
    struct sum none = {0}, steps;
    uint32_t type = i->res[0]->type;
    int deep = w.depth < DEEP ? w.depth : DEEP;
    if (i->nops != 2 || (type != KIR_B32 && type != KIR_B64))
        return none;
    for (uint32_t back = 0; back < 2; back++) {
        struct sum next = sum_of(i->ops[back], (struct walk){deep, i});
        if (!is_step(&next, type == KIR_B64 ? KD_CHECK_LOOP : KD_CHECK_LOOP_OF_32, &steps))
            continue;
        struct sum begin = sum_of(i->ops[!back], w);
        steps.limit = limit_of(i, back, w.depth, &steps, &begin);
        begin.limit = (struct kd_check_limit){0};
        return plus(begin, steps, 1);
    }
    return none;
}

static struct sum of_inst(const struct kir_inst *i, struct walk w) {
    struct sum none = {0}, x, y;
    uint32_t at;
    enum isa_type ty = (enum isa_type)i->ty;
    if (check_form_parameter(i, KIR_B64, &at))
        return (struct sum){.known = true, .pointer = true, .scale = 1};
    if (check_form_parameter(i, KIR_B32, &at))
        return isa_type_is_float(ty) ? none : one(0, KD_CHECK_PARAMETER + at);
    if (i->op == ISA_OP_SREG)
        return of_sreg(i);
    if (isa_type_is_float(ty) || isa_type_bits(ty) < 32)
        return none;
    switch (i->op) {
    case ISA_OP_PHI:
        return of_phi(i, w);
    case ISA_OP_MOV:
    case ISA_OP_CVTA:
        return sum_of(i->ops[0], w);
    case ISA_OP_CVT:
        return of_conversion(i, w);
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        return i->nops != 2
                   ? none
                   : plus(sum_of(i->ops[0], w), sum_of(i->ops[1], w), i->op == ISA_OP_SUB ? -1 : 1);
    case ISA_OP_SHL:
        x = sum_of(i->ops[1], w);
        if (!x.known || x.pointer || x.n || x.more < 0 || x.more > 10)
            return none;
        return product(sum_of(i->ops[0], w), constant(INT64_C(1) << x.more));
    case ISA_OP_MUL:
    case ISA_OP_MAD:
        if (i->mods.half == ISA_HI)
            return none;
        x = sum_of(i->ops[0], w);
        y = sum_of(i->ops[1], w);
        if (i->mods.half == ISA_WIDE) {
            x = widened(x, ty);
            y = widened(y, ty);
        }
        x = product(x, y);
        return i->op == ISA_OP_MUL ? x : plus(x, sum_of(i->ops[2], w), 1);
    default:
        return none;
    }
}

static struct sum sum_of(const struct kir_value *v, struct walk w) {
    struct sum none = {0};
    if (v->kind == KIR_VALUE_CONST)
        return constant(v->type == KIR_B64 ? (int64_t)v->bits.u64[0] : (int32_t)v->bits.u32[0]);
    const struct kir_inst *i = definition(v);
    if (i && i == w.phi)
        return of_itself();
    struct sum s = i && w.depth > 0 ? of_inst(i, (struct walk){w.depth - 1, w.phi}) : none;
    return s.known ? s : none;
}

static bool contains(const struct kd_check_form *f, const struct kd_check_term *t) {
    for (uint32_t k = 0; k < f->terms; k++)
        if (alike(&f->term[k], t) && f->term[k].times == t->times)
            return true;
    return false;
}

static bool is_number(const struct kd_check_term *t) {
    return t->number && !is_loop(t);
}

// Puts terms without numbers into a part, others into the list. False: there are too many.
static bool sort_terms(const struct sum *s, struct kd_check_part *p, struct kd_check_term *list,
                       uint32_t *n) {
    for (uint32_t k = 0; k < s->n; k++) {
        if (s->term[k].number == THE_PHI || (!s->term[k].number && p->terms == KD_CHECK_FIXED))
            return false;
        if (s->term[k].number)
            list[(*n)++] = s->term[k];
        else
            p->term[p->terms++] = s->term[k];
    }
    return true;
}

static bool are_alike(const struct kd_check_part *a, const struct kd_check_part *b) {
    uint64_t found = 0;
    for (uint64_t k = 0; k < a->terms; k++)
        for (uint64_t m = 0; m < b->terms; m++)
            found += alike(&a->term[k], &b->term[m]) && a->term[k].times == b->term[m].times;
    return a->terms == b->terms && found == a->terms;
}

static void add_part(struct kd_check_form *f, const struct kd_check_part *p, bool *known) {
    struct kd_check_part *like = NULL;
    for (uint32_t k = 0; k < f->parts; k++) {
        struct kd_check_part *old = &f->part[k];
        if (!are_alike(old, p))
            continue;
        like = old;
        for (uint64_t a = 0; a < p->terms; a++)
            for (uint64_t b = 0; b < p->terms; b++)
                if (alike(&old->term[a], &p->term[b]) && p->term[b].most > old->term[a].most)
                    old->term[a].most = p->term[b].most;
        if (p->from <= old->to && p->to >= old->from)
            break;
    }
    bool touches = like && p->from <= like->to && p->to >= like->from;
    if (f->parts < KD_CHECK_PARTS && !touches) {
        f->part[f->parts++] = *p;
    } else if (like) {
        like->from = p->from < like->from ? p->from : like->from;
        like->to = p->to > like->to ? p->to : like->to;
    } else {
        *known = false;
    }
}

// Is the limit that of the sum's only loop, and of all terms of its number?
static bool has_limit(const struct sum *s) {
    uint32_t loops = 0, others = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const struct kd_check_term *t = &s->term[k];
        loops += is_loop(t);
        others += s->limit.number && t->number == s->limit.number &&
                  (t->times != s->limit.of || t->factor[0]);
    }
    return s->limit.times && loops == 1 && !others;
}

bool check_form_add(struct kd_check_form *f, const struct check_use *u,
                    const struct check_pins *p) {
    enum { DEEP = 12 };
    struct sum s = sum_of(u->address, (struct walk){DEEP, NULL});
    struct kd_check_part part = {.from = s.more + u->offset, .to = s.more + u->offset + u->bytes};
    struct kd_check_term list[KD_CHECK_TERMS];
    uint32_t n = 0, numbers = 0, had = 0;
    if (!s.known || !s.pointer || (!s.n && !p->known) || !u->bytes || s.scale <= 0 ||
        !sort_terms(&s, &part, list, &n))
        return false;
    bool first = !f->parts, known = true;
    f->scale = first || s.scale < f->scale ? s.scale : f->scale;
    add_part(f, &part, &known);
    for (uint32_t m = 0; m < f->terms; m++)
        had += is_number(&f->term[m]);
    for (uint32_t k = 0; k < n && known; k++) {
        numbers += is_number(&list[k]);
        for (uint32_t m = 0; m < f->terms; m++)
            if (alike(&f->term[m], &list[k]) && list[k].most > f->term[m].most)
                f->term[m].most = list[k].most;
        if (contains(f, &list[k]))
            continue;
        // Loops may be those of some of the accesses.
        known = (first || is_loop(&list[k])) && f->terms < KD_CHECK_TERMS;
        if (known)
            f->term[f->terms++] = list[k];
    }
    f->alone = p->known;
    if (!has_limit(&s) || (!first && memcmp(&f->limit, &s.limit, sizeof s.limit)))
        f->limit = (struct kd_check_limit){0};
    else
        f->limit = s.limit;
    return known && (numbers || p->known) && (first || numbers == had);
}
