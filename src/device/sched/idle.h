// Workers that have nothing to do, and how they are told that there is something. Each has a seat,
// a cache line of its own, that it looks at: a thread that is called moves one line, and nobody
// else notices.
#ifndef KUDZU_DEVICE_IDLE_H
#define KUDZU_DEVICE_IDLE_H

#include <stdbool.h>

#include "device/sync.h"

enum { MAX_WORKERS = 1024 };

// In the order in which they are called: with a slot in hand; looking at their seats; asleep.
enum idle_kind { IDLE_LINGERS, IDLE_SPINS, IDLE_SLEEPS, IDLE_KINDS };

struct seat {
    // 0; else one more than the number of threads that the called one is to call.
    _Alignas(KD_CACHE_LINE) atomic_uint call;
};

struct idle {
    struct seat *seats; // by worker
    unsigned words;     // of each set that are in use
    struct idle_set {
        _Alignas(KD_CACHE_LINE) _Atomic uint64_t words[MAX_WORKERS / 64];
    } sets[IDLE_KINDS];
};

// False: no memory.
bool idle_open(struct idle *i, int workers);
void idle_enter(struct idle *i, unsigned worker, enum idle_kind kind);
// False: somebody has called the worker meanwhile, and the call has to be answered.
bool idle_leave(struct idle *i, unsigned worker, enum idle_kind kind);
// Whether the worker has been called.
static inline bool idle_is_called(struct idle *i, unsigned worker) {
    return atomic_load_explicit(&i->seats[worker].call, memory_order_acquire) != 0;
}
// Waits for a call that is on its way; returns how many threads the caller is to call.
unsigned idle_answer(struct idle *i, unsigned worker);
// Sleeps until the worker is called.
void idle_sleep(struct idle *i, unsigned worker);
// Calls an idle worker of this kind, which is to call `more` others. False: there is none.
bool idle_call(struct idle *i, enum idle_kind kind, unsigned more);

#endif
