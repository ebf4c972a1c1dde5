// Arrays of a launch in which its threads cannot race: none of the arrays that the kernel writes to
// is in the same allocation, or each thread has elements of its own there (passes/check). Where
// other streams or the host may access them meanwhile, all are followed.
#include <math.h>
#include <string.h>

#include "abi/check_form.h"
#include "device/check/check.h"
#include "device/check/check_steps.h"
#include "device/check/check_streams.h"
#include "device/check/schedule/check_schedule.h"
#include "device/code/kernel.h"
#include "device/code/module.h"
#include "device/exec/block.h"

static const uint64_t LOOKED = UINT64_C(1) << 63;   // in check_apart
static const uint64_t MOST_SUM = UINT64_C(1) << 30; // that does not wrap in 32 bits

static uint64_t address_of(const struct kd_block *b, const struct kd_check_array *a) {
    uint64_t address;
    if (a->flags & KD_CHECK_OF_VARIABLE)
        return (uint64_t)(uintptr_t)b->vars[a->at];
    memcpy(&address, b->params + a->at, sizeof address);
    return address;
}

// The value of a factor; negative: it is none that forms are for.
static int64_t factor_of(const struct kd_block *b, uint32_t factor) {
    int32_t parameter;
    if (!factor)
        return 1;
    if (factor < KD_CHECK_NCTAID)
        return b->ntid[factor - KD_CHECK_NTID];
    if (factor < KD_CHECK_PARAMETER)
        return b->nctaid[factor - KD_CHECK_NCTAID];
    memcpy(&parameter, b->params + (factor - KD_CHECK_PARAMETER), sizeof parameter);
    return parameter;
}

// How many values a number has.
static uint64_t count_of(const struct kd_block *b, uint32_t number) {
    return number < KD_CHECK_CTAID ? b->ntid[number - KD_CHECK_TID]
                                   : b->nctaid[number - KD_CHECK_CTAID];
}

// Its factors' product; negative: it is none that forms are for.
static double product_of(const struct kd_block *b, const struct kd_check_term *t) {
    double by = 1;
    for (uint32_t k = 0; k < KD_CHECK_FACTORS; k++) {
        int64_t x = factor_of(b, t->factor[k]);
        if (x < 0)
            return -1;
        by *= (double)x;
    }
    return by;
}

// What a term adds at most, but for loops.
static double most_of(const struct kd_block *b, const struct kd_check_term *t) {
    bool counted = t->number && t->number < KD_CHECK_NUMBERS;
    return product_of(b, t) * (double)t->most * (counted ? (double)count_of(b, t->number) : 1);
}

// Numbers, parts and loops are as digits: each has a stride in bytes and so many values.
struct digit {
    double stride, count;
};
enum { DIGITS = KD_CHECK_NUMBERS + KD_CHECK_PARTS };
struct digits {
    struct digit digit[DIGITS];
    uint32_t n;
    double loop;  // the greatest number that what loops add is multiples of; 0: they add nothing
    double bytes; // of an element
    // What loops add and the digit with this stride (0: none) reach together, if that is known.
    double limit, limited;
};
static const double MOST_EXACT = 9007199254740992.0; // of integers in a double

static double common_divisor(double a, double b) {
    while (b > 0) {
        uint64_t rest = (uint64_t)a % (uint64_t)b;
        a = b;
        b = (double)rest;
    }
    return a;
}

static bool is_power_of_two(double x) {
    uint64_t n = (uint64_t)x;
    return n && !(n & (n - 1));
}

// False: a stride is not known, or sums may have wrapped.
static bool find_strides(const struct kd_block *b, const struct kd_check_form *f,
                         struct digits *d) {
    double most = 0, parts = 0, stride[KD_CHECK_NUMBERS] = {0};
    for (uint32_t k = 0; k < f->terms; k++) {
        const struct kd_check_term *t = &f->term[k];
        double by = product_of(b, t), x = by * (double)(t->times < 0 ? -t->times : t->times);
        if (by < 0 || x > MOST_EXACT || most_of(b, t) / (double)f->scale >= (double)MOST_SUM)
            return false;
        if (t->number < KD_CHECK_NUMBERS) {
            stride[t->number] += by * (double)t->times;
            most += most_of(b, t);
            continue;
        }
        // A sum that wraps in 32 bits stays a multiple of powers of two alone.
        if (t->number == KD_CHECK_LOOP_OF_32 && x > 0 && !is_power_of_two(x))
            return false;
        d->loop = common_divisor(d->loop, x);
    }
    for (uint32_t k = 0; k < f->parts; k++) {
        double sum = 0;
        for (uint64_t n = 0; n < f->part[k].terms; n++)
            sum += most_of(b, &f->part[k].term[n]);
        parts = sum > parts ? sum : parts;
    }
    for (uint32_t n = KD_CHECK_TID; n < KD_CHECK_NUMBERS; n++)
        if (count_of(b, n) > 1 && !(f->alone >> (n - KD_CHECK_TID) & 1))
            d->digit[d->n++] = (struct digit){stride[n], (double)count_of(b, n)};
    return (most + parts) / (double)f->scale < (double)MOST_SUM;
}

// Where the parts begin, in order, each once. False: nobody knows.
static bool find_parts(const struct kd_block *b, const struct kd_check_form *f, double *at,
                       uint32_t *n, struct digits *d) {
    *n = 0;
    for (uint32_t k = 0; k < f->parts; k++) {
        const struct kd_check_part *p = &f->part[k];
        double from = (double)p->from, bytes = (double)(p->to - p->from);
        for (uint64_t m = 0; m < p->terms; m++) {
            double by = product_of(b, &p->term[m]);
            if (by < 0)
                return false;
            from += by * (double)p->term[m].times;
        }
        d->bytes = bytes > d->bytes ? bytes : d->bytes;
        if (d->loop > 0) // as many times that as there may be
            from -= d->loop * floor(from / d->loop);
        uint32_t place = 0;
        while (place < *n && at[place] < from)
            place++;
        if (place < *n && at[place] == from)
            continue;
        memmove(at + place + 1, at + place, (*n - place) * sizeof *at);
        at[place] = from;
        ++*n;
    }
    return true;
}

// Parts at equal distances, of which there may be several lots at equal distances, are as digits.
// False: they are not.
static bool split_parts(double *at, uint32_t n, struct digits *d) {
    while (n > 1) {
        double stride = at[1] - at[0];
        uint32_t run = 2, lots = 0;
        while (run < n && at[run] - at[run - 1] == stride)
            run++;
        if (n % run)
            return false;
        for (uint32_t lot = 0; lot < n; lot += run) {
            for (uint32_t k = 1; k < run; k++)
                if (at[lot + k] - at[lot] != stride * k)
                    return false;
            at[lots++] = at[lot];
        }
        d->digit[d->n++] = (struct digit){stride, run};
        n = lots;
    }
    return true;
}

// What a loop and its number reach. False: nobody knows, or its counter may have wrapped.
static bool find_limit(const struct kd_block *b, const struct kd_check_form *f, struct digits *d) {
    const struct kd_check_limit *l = &f->limit;
    struct kd_check_term bound = {.times = l->bound};
    uint32_t loops = 0;
    memcpy(bound.factor, l->factor, sizeof bound.factor);
    for (uint32_t k = 0; k < f->terms; k++)
        loops += f->term[k].number >= KD_CHECK_LOOP;
    double count = product_of(b, &bound) * (double)l->bound, times = (double)l->times;
    double most = (count - 1) * times;
    if (l->times <= 0 || loops != 1 || f->parts != 1 || count <= 0 ||
        most / (double)f->scale >= (double)MOST_SUM || d->loop <= 0 ||
        count + d->loop / times >= (double)MOST_SUM)
        return false;
    d->limit = most;
    d->limited = l->number && count_of(b, l->number) > 1 ? (double)l->of : 0;
    return true;
}

// Is each stride no less than all that those with lesser strides reach? Then no two lots of digits
// lead to one element. What loops add is beyond all of them, but for those that are beyond what the
// loop reaches.
static bool are_apart(struct digits d) {
    double reach = d.bytes, others = d.bytes;
    bool looped = d.loop == 0;
    while (d.n) {
        uint32_t least = 0;
        for (uint32_t k = 1; k < d.n; k++)
            if (d.digit[k].stride < d.digit[least].stride)
                least = k;
        if (!looped && d.limit > 0 && d.digit[least].stride >= d.loop && d.limited == 0) {
            if (d.loop < reach)
                return false;
            reach = others + d.limit;
            looped = true;
        }
        if (d.digit[least].stride < reach)
            return false;
        double by = d.digit[least].stride * (d.digit[least].count - 1);
        reach += by;
        if (d.digit[least].stride == d.limited)
            d.limited = 0; // at most one has the stride
        else
            others += by;
        d.digit[least] = d.digit[--d.n];
    }
    return looped || d.loop >= reach;
}

// Has each thread of the launch elements of its own there?
static bool are_own(const struct kd_block *b, const struct kd_check_form *f) {
    struct digits d = {.n = 0};
    double at[KD_CHECK_PARTS];
    uint32_t n;
    if (!find_strides(b, f, &d) || !find_parts(b, f, at, &n, &d) || !n)
        return false;
    if (!find_limit(b, f, &d))
        d.limit = d.limited = 0;
    struct digits whole = d, split = d;
    whole.bytes += at[n - 1] - at[0];
    return are_apart(whole) || (split_parts(at, n, &split) && are_apart(split));
}

// The bits of check_apart.
static uint64_t find(const struct kd_block *b, const struct kd_check_array *list) {
    uint32_t number[256], n = list->count;
    const struct kd_check_form *form = (const void *)(list + list->count);
    uint64_t apart = 0, shared = 0;
    for (uint32_t k = 0; k < n; k++)
        if (list[k].flags & KD_CHECK_OF_SHARED)
            shared |=
                (uint64_t)check_steps_apart(b, (const void *)((const uint8_t *)list + list[k].at))
                << k;
    while (n && list[n - 1].flags & KD_CHECK_OF_SHARED)
        n--;
    const struct kd_module *m = b->launch->kernel->module;
    if (check_streams_follow() || m->launches || m->submits)
        return shared;
    for (uint32_t k = 0; k < n; k++) {
        uint64_t address = address_of(b, &list[k]);
        number[k] = check_find(b, address);
        if (!number[k] && address && list[k].flags & KD_CHECK_ARRAY_WRITTEN)
            return shared;
    }
    for (uint32_t k = 0; k < n; k++) {
        bool written = false, weak = false, alone = true;
        for (uint32_t other = 0; other < n; other++) {
            if (number[other] != number[k])
                continue;
            written |= list[other].flags & KD_CHECK_ARRAY_WRITTEN;
            weak |= list[other].flags & KD_CHECK_ARRAY_WEAK;
            alone &= other == k || !(list[other].flags & KD_CHECK_ARRAY_USED);
        }
        // Who wrote last is asked for where schedules differ.
        bool asked = written && check_schedule_is_set();
        bool own = alone && list[k].flags & KD_CHECK_ARRAY_OWN && are_own(b, &form[k]);
        apart |= (uint64_t)(number[k] && !asked && (!written || !weak || own)) << k;
    }
    return apart | shared;
}

// The same for all blocks of a launch, unless streams are followed from now on.
static uint64_t find_again(const struct kd_block *b, const struct kd_check_array *list) {
    static _Thread_local struct {
        uint64_t grid, apart; // grid: one more than its number
        const struct kd_check_array *list;
        bool follow;
    } last;
    bool follow = check_streams_follow();
    if (last.grid != b->gridid + 1 || last.list != list || last.follow != follow) {
        last.grid = b->gridid + 1;
        last.list = list;
        last.follow = follow;
        last.apart = find(b, list);
    }
    return last.apart;
}

bool check_is_apart(struct kd_block *b, const struct kd_check_site *site) {
    if (!site->array)
        return false;
    const struct kd_check_array *a = (const void *)((const uint8_t *)site + site->array);
    if (!(b->check_apart & LOOKED))
        b->check_apart = find_again(b, a - a->index) | LOOKED;
    return b->check_apart >> a->index & 1;
}
