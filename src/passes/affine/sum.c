#include "passes/affine/sum.h"

struct affine_sum affine_constant(int64_t x) {
    return (struct affine_sum){.constant = x};
}

struct affine_sum affine_value(const struct kir_value *v) {
    struct affine_sum s = {.n = 1};
    s.term[0] = (struct affine_term){.times = 1, .factor = {v, NULL}};
    return s;
}

struct affine_sum affine_extended(const struct kir_value *v, bool is_signed) {
    struct affine_sum s = affine_value(v);
    s.term[0].by_zeros[0] = !is_signed;
    return s;
}

struct affine_sum affine_sum_of(const struct affine_form *x) {
    struct affine_sum s = {.constant = x->constant, .n = x->n, .window = x->window};
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

static bool alike(const struct affine_term *x, const struct affine_term *y) {
    for (unsigned m = 0; m < AFFINE_FACTORS; m++)
        if (x->factor[m] != y->factor[m] || x->by_zeros[m] != y->by_zeros[m])
            return false;
    return true;
}

static bool add_term(struct affine_sum *s, const struct affine_term *t, int64_t by) {
    int64_t n = times(t->times, by);
    unsigned k = 0;
    while (k < s->n && !alike(&s->term[k], t))
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
    uint32_t id[] = {x->factor[0]->id, y->factor[0]->id};
    bool in_order = id[0] == id[1] ? x->by_zeros[0] <= y->by_zeros[0] : id[0] < id[1];
    const struct affine_term *first = in_order ? x : y, *second = in_order ? y : x;
    *t = (struct affine_term){.times = times(x->times, y->times),
                              .factor = {first->factor[0], second->factor[0]},
                              .by_zeros = {first->by_zeros[0], second->by_zeros[0]}};
    return true;
}

bool affine_multiply(struct affine_sum *s, const struct affine_sum *x) {
    struct affine_sum r = affine_constant(times(s->constant, x->constant));
    struct affine_term t;
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

bool affine_open(struct affine_sum *s, unsigned term, unsigned factor,
                 const struct affine_form *x) {
    struct affine_term t = s->term[term];
    struct affine_sum in = affine_sum_of(x), with = affine_constant(1), r = *s;
    if (t.factor[1]) {
        with = affine_value(t.factor[1 - factor]);
        with.term[0].by_zeros[0] = t.by_zeros[1 - factor];
    }
    r.n--;
    for (unsigned k = term; k < r.n; k++)
        r.term[k] = r.term[k + 1];
    if (!affine_multiply(&in, &with) || !affine_add(&r, &in, t.times))
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
