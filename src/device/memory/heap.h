// The heap that kernels allocate from (guide 10.36): a fixed size, taken from device memory with
// the first allocation.
#ifndef KUDZU_DEVICE_HEAP_H
#define KUDZU_DEVICE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "device/sync.h"

struct kd_context;

enum { HEAP_CLASSES = 22 };

struct heap_page; // a page's description
struct heap {
    atomic_int opened; // 0, 1: being opened, 2: there, 3: could not be
    uint64_t base;
    uint32_t npages;
    struct heap_page *pages;
    struct kd_spinlock pages_lock;
    uint32_t search; // where the next search for free pages begins
    struct heap_class {
        _Alignas(KD_CACHE_LINE) struct kd_spinlock lock;
        uint32_t partial; // first page of the first run with a free slot, + 1; 0: none
    } classes[HEAP_CLASSES];
};

// 0 when there is no room. Aligned to 16.
uint64_t heap_take(struct kd_context *c, uint64_t size);
// The same at a multiple of `align`; 0, too, when that is no power of two.
uint64_t heap_take_aligned(struct kd_context *c, uint64_t size, uint64_t align);
// False: not an allocation of the heap. 0 is ignored.
bool heap_give(struct kd_context *c, uint64_t ptr);
bool heap_used(struct heap *h); // has been opened: its size is fixed
void heap_close(struct heap *h);

#endif
