#include "passes/affine/sum.h"

struct affine_sum affine_constant(int64_t x) {
    return (struct affine_sum){.constant = x, .exact = true};
}

struct affine_sum affine_value(const struct kir_value *v) {
    struct affine_sum s = {.n = 1, .exact = true};
    s.term[0] = (struct affine_term){.times = 1, .factor = {v, NULL}};
    return s;
}

struct affine_sum affine_sum_of(const struct affine_form *x) {
    struct affine_sum s = {
        .constant = x->constant, .n = x->n, .exact = x->exact, .window = x->window};
    for (unsigned k = 0; k < x->n; k++)
        s.term[k] = x->term[k];
    return s;
}

static int64_t times(int64_t x, int64_t y) {
    return (int64_t)((uint64_t)x * (uint64_t)y);
}

static int64_t plus(int64_t x, int64_t y) {
    return (int64_t)((uint64_t)x + (uint64_t)y);
}

static bool add_term(struct affine_sum *s, const struct affine_term *t, int64_t by) {
    int64_t n = times(t->times, by);
    unsigned k = 0;
    while (k < s->n &&
           (s->term[k].factor[0] != t->factor[0] || s->term[k].factor[1] != t->factor[1]))
        k++;
    if (k == AFFINE_TERMS)
        return false;
    if (k == s->n) {
        s->term[s->n++] = *t;
        s->term[k].times = 0;
    }
    s->term[k].times = plus(s->term[k].times, n);
    if (s->term[k].times)
        return true;
    s->n--;
    for (; k < s->n; k++)
        s->term[k] = s->term[k + 1];
    return true;
}

bool affine_add(struct affine_sum *s, const struct affine_sum *x, int64_t by) {
    struct affine_sum r = *s;
    r.constant = plus(s->constant, times(x->constant, by));
    r.exact &= x->exact;
    r.window |= x->window;
    for (unsigned k = 0; k < x->n; k++)
        if (!add_term(&r, &x->term[k], by))
            return false;
    *s = r;
    return true;
}

// The factors of both, in the order of their ids.
static bool join(const struct affine_term *x, const struct affine_term *y, struct affine_term *t) {
    if (x->factor[1] || y->factor[1])
        return false;
    bool in_order = x->factor[0]->id <= y->factor[0]->id;
    *t = (struct affine_term){
        .times = times(x->times, y->times),
        .factor = {in_order ? x->factor[0] : y->factor[0], in_order ? y->factor[0] : x->factor[0]}};
    return true;
}

bool affine_multiply(struct affine_sum *s, const struct affine_sum *x) {
    struct affine_sum r = affine_constant(times(s->constant, x->constant));
    struct affine_term t;
    r.exact = s->exact && x->exact;
    r.window = s->window || x->window;
    if ((s->window && x->n) || (x->window && s->n))
        return false;
    for (unsigned k = 0; k < s->n; k++) {
        if (x->constant && !add_term(&r, &s->term[k], x->constant))
            return false;
        for (unsigned m = 0; m < x->n; m++)
            if (!join(&s->term[k], &x->term[m], &t) || !add_term(&r, &t, 1))
                return false;
    }
    for (unsigned m = 0; m < x->n && s->constant; m++)
        if (!add_term(&r, &x->term[m], s->constant))
            return false;
    *s = r;
    return true;
}

void affine_reduce(struct affine_sum *s, unsigned bits) {
    unsigned n = 0;
    if (bits == 32) {
        s->constant = (int32_t)(uint32_t)s->constant;
        for (unsigned k = 0; k < s->n; k++) {
            s->term[n] = s->term[k];
            s->term[n].times = (int32_t)(uint32_t)s->term[n].times;
            n += s->term[n].times != 0;
        }
        s->n = (uint8_t)n;
    }
}
