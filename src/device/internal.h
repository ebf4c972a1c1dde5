// Devices and contexts from the inside. Who owns what: docs/design/device.md.
#ifndef KUDZU_DEVICE_INTERNAL_H
#define KUDZU_DEVICE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/device.h"
#include "device/helpers/print_buffer.h"
#include "device/memory/heap.h"
#include "device/memory/memory.h"
#include "device/sched/queue.h"
#include "device/sched/scheduler.h"

struct kd_device {
    int index;
    struct kd_properties properties;
    struct device_memory memory;
    struct scheduler scheduler;
};

struct kd_context {
    struct kd_device *device;
    struct queue_set queues;
    uint64_t limits[KD_LIMIT_COUNT];
    struct print_buffer print;
    struct heap heap;
    // Launches by kernels that have not begun, and events that kernels have made.
    _Atomic uint64_t pending_launches, nested_events;
    pthread_mutex_t modules_lock;
    struct kd_module *modules;
    atomic_int faulted; // 0, 1: a thread is writing `fault`, 2: it is written
    struct kd_fault_record fault;
};

static inline bool context_faulted(struct kd_context *c) {
    return atomic_load_explicit(&c->faulted, memory_order_acquire) != 0;
}
// The first fault of a context cancels everything in it, and is recorded: the one that gets true
// from context_begin_fault says what it was (printed under KUDZU_DEBUG=fault).
bool context_begin_fault(struct kd_context *c);
void context_end_fault(struct kd_context *c, const struct kd_fault_record *r);
// Stops all kernels of a context that ends, as a fault does, but nobody is told of one.
void context_cancel(struct kd_context *c, const char *why);

#endif
