// Workers and the list of what is ready to run.
//
// A launch is in the ready list until its last chunk of blocks is handed out; workers take the
// first operation of the highest priority and then chunk after chunk of it, from one of its ends,
// through an atomic counter. Few are called for little work. A thread that waits for a queue helps
// to run that queue. At most
// `slots` threads run blocks at one time, one a core, so that helpers and workers do not compete.
// While better code is compiled that thread has a core, too, when there is none to spare: quick
// code loses less by that than by being replaced later.
#ifndef KUDZU_DEVICE_SCHEDULER_H
#define KUDZU_DEVICE_SCHEDULER_H

#include <stdbool.h>

#include "device/sched/idle.h"
#include "device/sync.h"

struct op;
struct kd_device;
struct runner;

enum { PRIORITIES = 6 };

struct op_list {
    struct op *first, *last;
};

struct scheduler {
    int slots; // workers
    int lends; // 1 when there is no core beside them
    int max_spinners;
    uint64_t spin_ns;
    atomic_int started;                              // worker threads exist
    _Alignas(KD_CACHE_LINE) struct kd_spinlock lock; // of the lists
    struct op_list ready[PRIORITIES];
    _Alignas(KD_CACHE_LINE) atomic_int ready_by_priority[PRIORITIES]; // changed under the lock
    atomic_int ready_count;
    // Changes when something becomes ready. Threads of the host that wait look at it all the time:
    // alone in its line, so that what others change meanwhile does not wait for them.
    _Alignas(KD_CACHE_LINE) atomic_uint epoch;
    _Alignas(KD_CACHE_LINE) atomic_int spinners, running, lent;
    struct idle idle;
    // Host functions: a thread of their own, started with the first.
    _Alignas(KD_CACHE_LINE) struct kd_spinlock host_lock;
    struct op_list host;
    atomic_uint host_epoch;
    atomic_int host_started;
    // Operations that are not in use.
    struct kd_spinlock pool_lock;
    struct op *pool;
};

// False: no memory.
bool scheduler_open(struct scheduler *s, int workers, int cores);
// Starts the workers if they are not there yet. False: the system refuses threads.
bool scheduler_start(struct kd_device *d);
// A detached thread of the device, on which the program's handlers of signals do not run.
bool scheduler_start_thread(void *(*main)(void *), void *arg);
// Hands over an operation all of whose predecessors have ended.
void scheduler_ready(struct op *op);
// For a block of `op` that r runs: the next units of it, in place of blocks that would begin.
// False: there are none, or r should leave the operation.
bool scheduler_take_more(struct runner *r, struct op *op, uint64_t *first, uint64_t *n);
// From the first to the second a core is somebody else's; the last one is never lent.
void scheduler_lend(struct scheduler *s);
void scheduler_take_back(struct scheduler *s);
// Returns when op has ended. The caller helps with its queue unless `sleep`.
void scheduler_wait(struct op *op, bool sleep);
// Something runs or could run, other than functions of the host.
bool scheduler_is_busy(struct scheduler *s);
// Is something ready beside the launches whose blocks r keeps waiting?
bool scheduler_has_more(struct scheduler *s, const struct runner *r);
// Runs nothing meanwhile. True: op has ended; false: `ns` have passed.
bool scheduler_sleep(struct op *op, uint64_t ns);

#endif
