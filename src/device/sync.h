// Spin locks and futexes: the two ways of waiting that the device is built on.
#ifndef KUDZU_DEVICE_SYNC_H
#define KUDZU_DEVICE_SYNC_H

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KD_CACHE_LINE 64

static inline void kd_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// For critical sections of a few instructions. A holder that lost its core is waited for with
// sched_yield, so that one core suffices.
struct kd_spinlock {
    atomic_int held;
};

static inline void kd_lock(struct kd_spinlock *l) {
    for (int i = 0; atomic_exchange_explicit(&l->held, 1, memory_order_acquire); i++) {
        while (atomic_load_explicit(&l->held, memory_order_relaxed)) {
            kd_relax();
            if (++i > 200) {
                sched_yield();
                i = 0;
            }
        }
    }
}

static inline void kd_unlock(struct kd_spinlock *l) {
    atomic_store_explicit(&l->held, 0, memory_order_release);
}

// Sleeps while *word is `value`; may wake without cause. True: kd_futex_wake has woken it.
static inline bool kd_futex_wait(atomic_uint *word, uint32_t value) {
    return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0) == 0;
}

// The same for at most `ns`.
static inline bool kd_futex_wait_ns(atomic_uint *word, uint32_t value, uint64_t ns) {
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &t, NULL, 0) == 0;
}

// How many it has woken.
static inline int kd_futex_wake(atomic_uint *word, int count) {
    return (int)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static inline uint64_t kd_now_ns(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
