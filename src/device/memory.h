// Inside view of memory (memory.c): what device.h's memory functions stand on.
#ifndef KUDZU_DEVICE_MEMORY_H
#define KUDZU_DEVICE_MEMORY_H

#include <stdatomic.h>

#include "device/address_space.h"
#include "device/device.h"

enum { SLAB_CLASSES = 8 }; // slots of 256 bytes to 32 KiB
struct slab;

// A device's part.
struct device_memory {
    struct address_space space;
    uint64_t total;
    _Atomic uint64_t used;              // device, managed and variable bytes
    struct slab *partial[SLAB_CLASSES]; // slabs with a free slot
};
bool device_memory_open(struct device_memory *m, uint64_t total);

// As kd_memory_alloc. `locked`: kd_memory_free refuses it (module variables, the heap).
enum kd_status memory_alloc(struct kd_context *c, enum kd_memory_kind kind, uint64_t size,
                            uint64_t align, uint32_t flags, bool locked, uint64_t *out);
void memory_free_locked(uint64_t ptr);
// Everything that belongs to a context, registrations too.
void memory_free_context(struct kd_context *c);

#endif
