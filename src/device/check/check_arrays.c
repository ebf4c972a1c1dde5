// Arrays of a launch in which its threads cannot race: none of the arrays that the kernel writes to
// is in the same allocation, or each thread has elements of its own there (passes/check). Where
// other streams or the host may access them meanwhile, all are followed.
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

// The stride of each number in bytes. False: it is not known, or sums may have wrapped.
static bool strides_of(const struct kd_block *b, const struct kd_check_form *f, double *stride) {
    double most = 0;
    for (uint64_t k = 0; k < f->terms; k++) {
        const struct kd_check_term *t = &f->term[k];
        int64_t x = factor_of(b, t->factor[0]), y = factor_of(b, t->factor[1]);
        if (x < 0 || y < 0)
            return false;
        double by = (double)x * (double)y;
        most += by * (double)t->most * (t->number ? (double)count_of(b, t->number) : 1);
        stride[t->number] += by * (double)t->times;
    }
    return f->terms && most / (double)f->scale < (double)MOST_SUM;
}

// Has each thread of the launch elements of its own there? The numbers are as digits then: the
// stride of each one is no less than all that those with lesser strides reach.
static bool are_own(const struct kd_block *b, const struct kd_check_form *f) {
    double stride[KD_CHECK_NUMBERS] = {0}, reach = (double)(f->to - f->from);
    bool taken[KD_CHECK_NUMBERS] = {0};
    if (!strides_of(b, f, stride))
        return false;
    for (;;) {
        uint32_t least = KD_CHECK_NO_NUMBER;
        for (uint32_t n = KD_CHECK_TID; n < KD_CHECK_NUMBERS; n++)
            if (!taken[n] && count_of(b, n) > 1 &&
                (least == KD_CHECK_NO_NUMBER || stride[n] < stride[least]))
                least = n;
        if (least == KD_CHECK_NO_NUMBER)
            return true;
        if (stride[least] < reach)
            return false;
        reach += stride[least] * (double)(count_of(b, least) - 1);
        taken[least] = true;
    }
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
        bool own = alone && list[k].flags & KD_CHECK_ARRAY_OWN && are_own(b, &form[k]);
        // Whose atomic operation was the last one is asked for where schedules differ.
        bool only_atomic = !weak && !check_schedule_is_set();
        apart |= (uint64_t)(number[k] && (!written || only_atomic || own)) << k;
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
