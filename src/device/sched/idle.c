#include "device/sched/idle.h"

#include <stdlib.h>
#include <string.h>

bool idle_open(struct idle *i, int workers) {
    size_t size = (size_t)workers * sizeof *i->seats;
    memset(i, 0, sizeof *i);
    i->words = ((unsigned)workers + 63) / 64;
    i->seats = aligned_alloc(KD_CACHE_LINE, size);
    if (!i->seats)
        return false;
    memset(i->seats, 0, size);
    return true;
}

void idle_enter(struct idle *i, unsigned worker, enum idle_kind kind) {
    atomic_fetch_or(&i->sets[kind].words[worker / 64], UINT64_C(1) << worker % 64);
}

bool idle_leave(struct idle *i, unsigned worker, enum idle_kind kind) {
    uint64_t bit = UINT64_C(1) << worker % 64;
    return atomic_fetch_and(&i->sets[kind].words[worker / 64], ~bit) & bit;
}

unsigned idle_answer(struct idle *i, unsigned worker) {
    while (!idle_is_called(i, worker))
        kd_relax();
    return atomic_exchange(&i->seats[worker].call, 0) - 1;
}

void idle_sleep(struct idle *i, unsigned worker) {
    while (!idle_is_called(i, worker))
        kd_futex_wait(&i->seats[worker].call, 0);
}

// Takes a worker out of a set, so that nobody else calls it; -1: the set is empty.
static int claim(struct idle_set *set, unsigned words) {
    for (unsigned w = 0; w < words; w++) {
        uint64_t bits = atomic_load(&set->words[w]);
        while (bits) {
            uint64_t bit = bits & -bits;
            bits = atomic_fetch_and(&set->words[w], ~bit);
            if (bits & bit)
                return (int)(w * 64) + __builtin_ctzll(bit);
        }
    }
    return -1;
}

bool idle_call(struct idle *i, enum idle_kind kind, unsigned more) {
    int worker = claim(&i->sets[kind], i->words);
    if (worker < 0)
        return false;
    atomic_uint *call = &i->seats[worker].call;
    atomic_store(call, 1 + more);
    if (kind == IDLE_SLEEPS)
        kd_futex_wake(call, 1);
    return true;
}
