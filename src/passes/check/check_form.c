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
};

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
    s.term[0] =
        (struct kd_check_term){.times = 1, .most = 1, .number = number, .factor = {factor, 0}};
    return s;
}

static bool alike(const struct kd_check_term *a, const struct kd_check_term *b) {
    return a->number == b->number && a->factor[0] == b->factor[0] && a->factor[1] == b->factor[1];
}

static void add(struct sum *s, struct kd_check_term t) {
    uint32_t k = 0;
    while (k < s->n && !alike(&s->term[k], &t))
        k++;
    if (k == KD_CHECK_TERMS) {
        s->known = false;
        return;
    }
    if (k == s->n) {
        s->term[s->n++] = t;
        return;
    }
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
    return x;
}

// Factors in order, so that equal terms look alike. False: there are too many.
static bool join(struct kd_check_term *t, const struct kd_check_term *a,
                 const struct kd_check_term *b) {
    uint32_t all[4], n = 0;
    for (int k = 0; k < 2; k++) {
        if (a->factor[k])
            all[n++] = a->factor[k];
        if (b->factor[k])
            all[n++] = b->factor[k];
    }
    if (n > 2 || (a->number && b->number))
        return false;
    t->number = a->number | b->number;
    t->factor[0] = n == 2 && all[1] < all[0] ? all[1] : n ? all[0] : 0;
    t->factor[1] = n < 2 ? 0 : all[1] < all[0] ? all[0] : all[1];
    return true;
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
    return r;
}

// What a sum of 32 bits is as one of 64: the same where it does not wrap, which its bound tells.
static struct sum widened(struct sum s, enum isa_type from) {
    s.known &= !s.pointer;
    for (uint32_t k = 0; k < s.n && from != ISA_S32; k++)
        s.known &= s.term[k].times >= 0;
    s.known &= from == ISA_S32 || s.more >= 0;
    s.scale = 1;
    return s;
}

static struct sum sum_of(const struct kir_value *v, int depth);

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

static struct sum of_conversion(const struct kir_inst *i, int depth) {
    struct sum none = {0};
    enum isa_type to = (enum isa_type)i->ty, from = (enum isa_type)i->ty2;
    if (isa_type_is_float(from) || isa_type_bits(from) < 32 ||
        isa_type_bits(to) < isa_type_bits(from))
        return none;
    struct sum x = sum_of(i->ops[0], depth);
    return isa_type_bits(from) == 32 && isa_type_bits(to) > 32 ? widened(x, from) : x;
}

static struct sum of_inst(const struct kir_inst *i, int depth) {
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
    case ISA_OP_MOV:
    case ISA_OP_CVTA:
        return sum_of(i->ops[0], depth);
    case ISA_OP_CVT:
        return of_conversion(i, depth);
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        return i->nops != 2 ? none
                            : plus(sum_of(i->ops[0], depth), sum_of(i->ops[1], depth),
                                   i->op == ISA_OP_SUB ? -1 : 1);
    case ISA_OP_SHL:
        x = sum_of(i->ops[1], depth);
        if (!x.known || x.pointer || x.n || x.more < 0 || x.more > 10)
            return none;
        return product(sum_of(i->ops[0], depth), constant(INT64_C(1) << x.more));
    case ISA_OP_MUL:
    case ISA_OP_MAD:
        if (i->mods.half == ISA_HI)
            return none;
        x = sum_of(i->ops[0], depth);
        y = sum_of(i->ops[1], depth);
        if (i->mods.half == ISA_WIDE) {
            x = widened(x, ty);
            y = widened(y, ty);
        }
        x = product(x, y);
        return i->op == ISA_OP_MUL ? x : plus(x, sum_of(i->ops[2], depth), 1);
    default:
        return none;
    }
}

static struct sum sum_of(const struct kir_value *v, int depth) {
    struct sum none = {0};
    if (v->kind == KIR_VALUE_CONST)
        return constant(v->type == KIR_B64 ? (int64_t)v->bits.u64[0] : (int32_t)v->bits.u32[0]);
    struct sum s = v->kind == KIR_VALUE_INST && depth > 0 ? of_inst(v->def, depth - 1) : none;
    return s.known ? s : none;
}

static bool contains(const struct kd_check_form *f, const struct kd_check_term *t) {
    for (uint32_t k = 0; k < f->terms; k++)
        if (alike(&f->term[k], t) && f->term[k].times == t->times)
            return true;
    return false;
}

bool check_form_add(struct kd_check_form *f, const struct check_use *u) {
    enum { DEEP = 12 };
    struct sum s = sum_of(u->address, DEEP);
    int64_t from = s.more + u->offset, to = from + u->bytes;
    if (!s.known || !s.pointer || !s.n || !u->bytes || s.scale <= 0)
        return false;
    if (!f->terms) {
        *f = (struct kd_check_form){from, to, s.scale, s.n, {{0}}};
        memcpy(f->term, s.term, sizeof s.term);
        return true;
    }
    bool same = f->terms == s.n;
    for (uint32_t k = 0; k < s.n && same; k++) {
        same = contains(f, &s.term[k]);
        for (uint32_t m = 0; m < f->terms; m++)
            if (alike(&f->term[m], &s.term[k]) && s.term[k].most > f->term[m].most)
                f->term[m].most = s.term[k].most;
    }
    f->from = from < f->from ? from : f->from;
    f->to = to > f->to ? to : f->to;
    f->scale = s.scale < f->scale ? s.scale : f->scale;
    return same;
}
