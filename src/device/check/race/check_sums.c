// Sums of products of warpgroups, which stay in registers (passes/check/check_sums.c): as threads
// count groups, has the one that reads a sum waited for its group?
#include "abi/check_shadow.h"
#include "device/check/race/check_race_report.h"

void check_sums_ended(struct check_threads *t, uint32_t thread) {
    t->groups[thread]++;
}

void check_sums_waited(struct check_threads *t, uint32_t thread, uint64_t left) {
    uint32_t ended = t->groups[thread];
    if (ended > left && ended - (uint32_t)left > t->over[thread])
        t->over[thread] = ended - (uint32_t)left;
}

void check_sums_number(struct kd_block *b, uint32_t thread, uint32_t mask, uint64_t *numbers) {
    const struct check_threads *t = mask ? check_threads_of(b) : NULL;
    for (uint32_t m = t ? mask : 0; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (thread + l < MAX_UNITS)
            numbers[l] = (uint64_t)(t->groups[thread + l] + 1) << KD_CHECK_GROUP_SHIFT;
    }
}

// Numbers of groups are cut to 16 bits: those that are in flight are few.
static bool is_over(const struct check_threads *t, uint32_t thread, uint64_t number) {
    return (int16_t)(uint16_t)(t->over[thread] - (number >> KD_CHECK_GROUP_SHIFT)) >= 0;
}

void check_sums_read(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                     const struct kd_check_site *site, const uint64_t *more) {
    const uint64_t address = (UINT64_C(1) << KD_CHECK_GROUP_SHIFT) - 1;
    const struct check_threads *t = mask ? check_threads_of(b) : NULL;
    for (uint32_t m = t ? mask : 0; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t number = more[code & KD_CHECK_SAME_MORE ? 0 : l];
        if (!number || thread + l >= MAX_UNITS || is_over(t, thread + l, number))
            continue;
        check_race_report_sum(b, thread + l, site,
                              (const struct kd_check_site *)(uintptr_t)(number & address));
        return;
    }
}
