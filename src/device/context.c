#include <stdlib.h>
#include <string.h>

#include "device/check/check.h"
#include "device/code/module.h"
#include "device/exec/runner.h"
#include "device/internal.h"
#include "device/reason.h"

enum {
    STACK_DEFAULT = 1024,
    PRINTF_DEFAULT = 1 << 20,
    HEAP_DEFAULT = 8 << 20,
    PENDING_DEFAULT = 2048
};
static const uint64_t STACK_LIMIT = 512 << 10, PRINTF_LIMIT = 1ull << 31;

enum kd_status kd_context_new(struct kd_device *d, struct kd_context **out) {
    struct kd_context *c = aligned_alloc(KD_CACHE_LINE, sizeof *c);
    if (!c)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a context");
    memset(c, 0, sizeof *c);
    c->device = d;
    c->limits[KD_LIMIT_STACK] = STACK_DEFAULT;
    c->limits[KD_LIMIT_PRINTF_FIFO] = PRINTF_DEFAULT;
    c->limits[KD_LIMIT_MALLOC_HEAP] = HEAP_DEFAULT;
    c->limits[KD_LIMIT_PENDING_LAUNCHES] = PENDING_DEFAULT;
    c->limits[KD_LIMIT_L2_FETCH] = 64;
    pthread_mutex_init(&c->modules_lock, NULL);
    print_buffer_open(&c->print, PRINTF_DEFAULT);
    queue_set_open(c);
    fault_handlers_install();
    *out = c;
    return kd_succeed();
}

void kd_context_tell_heap_leaks(struct kd_context *c) {
    if (!c)
        check_heap_leaks(0, 0);
    else if (heap_used(&c->heap))
        check_heap_leaks(c->heap.base, (uint64_t)c->heap.npages << 12);
}

void kd_context_destroy(struct kd_context *c) {
    if (!c)
        return;
    queue_set_close(c);
    kd_context_flush_printf(c);
    while (c->modules)
        kd_module_free(c->modules);
    heap_close(&c->heap);
    memory_free_context(c);
    print_buffer_close(&c->print);
    pthread_mutex_destroy(&c->modules_lock);
    free(c);
}

struct kd_device *kd_context_device(const struct kd_context *c) {
    return c->device;
}

void kd_context_flush_printf(struct kd_context *c) {
    print_buffer_flush(&c->print, stdout);
}

enum kd_status kd_context_set_limit(struct kd_context *c, enum kd_limit limit, uint64_t value) {
    switch (limit) {
    case KD_LIMIT_STACK:
        if (value > STACK_LIMIT)
            return kd_fail(KD_INVALID_VALUE, "a thread's stack has at most %llu bytes",
                           (unsigned long long)STACK_LIMIT);
        break;
    case KD_LIMIT_PRINTF_FIFO:
        if (value > PRINTF_LIMIT)
            return kd_fail(KD_INVALID_VALUE, "the printf buffer has at most %llu bytes",
                           (unsigned long long)PRINTF_LIMIT);
        if (value != kd_context_get_limit(c, limit) && !print_buffer_resize(&c->print, value))
            return kd_fail(KD_INVALID_VALUE,
                           "a kernel has printed: the size of the buffer cannot change");
        break;
    case KD_LIMIT_MALLOC_HEAP:
        if (heap_used(&c->heap))
            return kd_fail(KD_INVALID_VALUE, "the heap is in use: its size cannot change");
        if (value > c->device->memory.total)
            return kd_fail(KD_OUT_OF_MEMORY, "the heap would be larger than device memory");
        break;
    case KD_LIMIT_PENDING_LAUNCHES:
    case KD_LIMIT_L2_FETCH:
    case KD_LIMIT_PERSISTING_L2:
    case KD_LIMIT_CACHE_CONFIG:
        break;
    default:
        return kd_fail(KD_INVALID_VALUE, "unknown limit %d", (int)limit);
    }
    __atomic_store_n(&c->limits[limit], value, __ATOMIC_RELAXED);
    return kd_succeed();
}

uint64_t kd_context_get_limit(const struct kd_context *c, enum kd_limit limit) {
    return (unsigned)limit < KD_LIMIT_COUNT ? __atomic_load_n(&c->limits[limit], __ATOMIC_RELAXED)
                                            : 0;
}
