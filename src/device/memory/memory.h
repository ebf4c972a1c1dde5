// Inside view of memory (memory.c): what device.h's memory functions stand on.
#ifndef KUDZU_DEVICE_MEMORY_H
#define KUDZU_DEVICE_MEMORY_H

#include <stdatomic.h>

#include "device/device.h"
#include "device/memory/address_space.h"

enum { SLAB_CLASSES = 8 }; // slots of 256 bytes to 32 KiB
struct slab;
struct segment;

struct allocation {
    uint64_t size;              // as asked for; 0: a slot or block that is free
    struct kd_context *context; // NULL: of no context; then the area names the device
    uint64_t id;
    uint32_t flags;
    uint8_t kind;
    bool locked;
    bool retired; // no lookup finds it any more
    bool foreign; // queues of other contexts have used it
};

// A node of the lookup: one large allocation, one registration, memory that lies elsewhere, a slab
// with many slots, or a segment of a pool with many blocks.
struct area {
    struct range range; // first: the tree's nodes are areas
    struct pages pages;
    struct device_memory *memory; // NULL: not of the device's address space
    struct kd_device *device;     // for allocations of no context
    struct slab *slab;
    struct segment *segment;
    struct allocation one;        // when it is neither
    struct kd_pool *pool;         // of another process, whose memory it is; else NULL
    struct area *previous, *next; // of that pool
    struct area_file *file;       // what it was moved into to be shared (ipc.c); NULL: nothing
    bool foreign; // a mapping of other processes' memory: `pages` are unmapped at the end
};

// A device's part.
struct device_memory {
    struct address_space space;
    uint64_t total;
    uint64_t most;                      // bytes of an allocation that total does not count
    _Atomic uint64_t used;              // device, managed and variable bytes
    struct slab *partial[SLAB_CLASSES]; // slabs with a free slot
    unsigned colour;                    // of the next large allocation
    struct device_memory *next;         // of all devices
};
bool device_memory_open(struct device_memory *m, uint64_t total);

// As kd_memory_alloc. `locked`: kd_memory_free refuses it (module variables, the heap).
enum kd_status memory_alloc(struct kd_context *c, enum kd_memory_kind kind, uint64_t size,
                            uint64_t align, uint32_t flags, bool locked, uint64_t *out);
void memory_free_locked(uint64_t ptr);
// As kd_memory_retire, for what is locked.
void memory_retire_locked(uint64_t ptr);

// For what keeps allocations of its own (pools): one lock over all areas. What follows is called
// with it.
void memory_lock(void);
void memory_unlock(void);
void memory_add_area(struct area *area);
void memory_remove_area(struct area *area);
struct allocation memory_describe(struct kd_context *c, enum kd_memory_kind kind, uint64_t size,
                                  uint32_t flags, bool locked);
// The allocation that contains ptr, where it begins and its area; NULL: none.
struct allocation *memory_find_locked(uint64_t ptr, struct area **area, uint64_t *base);

// What contains ptr and no lookup finds any more, since it is being freed, but what was submitted
// before may still use. False: nothing.
bool memory_find_leaving(uint64_t ptr, struct kd_memory *out);

// An allocation contains ptr, retired or not: what was submitted before it was retired may use it.
bool memory_there(uint64_t ptr);

// Where the allocation that contains ptr begins and how many bytes it takes, both multiples of 16;
// false: there is none, or others may be mapped beside it to be used as one.
bool memory_extent(uint64_t ptr, uint64_t *base, uint64_t *size);

// Which slot of its area begins at base (0 when the area is one allocation), and how many there
// are.
uint64_t memory_slot(const struct area *area, uint64_t base, uint64_t *slots);

// Makes [base, base + size) known: memory that the device's address space does not own. `pages`
// (may be NULL) are unmapped when it is released. `c` may be NULL.
enum kd_status memory_adopt(struct kd_device *d, struct kd_context *c, enum kd_memory_kind kind,
                            uint64_t base, uint64_t size, uint32_t flags, bool locked,
                            const struct pages *pages);
// Releases what begins at ptr and is locked; false: there is no such thing.
bool memory_forget(uint64_t ptr);
// Everything that belongs to a context, registrations too.
void memory_free_context(struct kd_context *c);

#endif
