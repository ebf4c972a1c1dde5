// One side of a copy or set: what memory it is, checked against its allocation.
#ifndef KUDZU_DRIVER_COPY_H
#define KUDZU_DRIVER_COPY_H

#include "driver/driver.h"

enum drv_side_kind {
    DRV_SIDE_DEVICE,  // must be memory that the driver knows
    DRV_SIDE_UNIFIED, // or memory of the system that is there (guide 24.2.2.5)
    DRV_SIDE_HOST,    // ordinary memory unless the driver knows it
};
// All pages of the range are there.
bool drv_host_mapped(uint64_t ptr, uint64_t bytes);
// Whether all of [ptr, ptr + bytes) is the system's memory, which is unified memory that the device
// uses as its own (guide 24.1.1): mapped, of no device and in no reserved range.
bool drv_is_system_memory(uint64_t ptr, uint64_t bytes);
struct drv_side {
    void *ptr;
    bool device;                    // device memory: nothing on the host can see when it is written
    bool pageable;                  // the host's, not known to the driver
    bool mapped;                    // virtual memory: copies of the host's work by the host's right
    uint64_t of_graph;              // the allocation of a graph that it is in; 0: none
    const struct kd_context *owner; // of memory that the driver knows; may be NULL
};
// `bytes` from `ptr` on are going to be touched.
CUresult drv_side(uint64_t ptr, uint64_t bytes, enum drv_side_kind kind, bool write,
                  const char *name, struct drv_side *out);
// Work in a stream may touch it: memory of graphs from the launch that allocates it until it is
// freed. What graphs themselves do is ordered by their edges.
CUresult drv_side_check_live(const struct drv_side *s, const char *name);
// Work of ctx uses it.
static inline void drv_side_used(const struct drv_side *s, const struct drv_context *ctx) {
    drv_memory_used((uintptr_t)s->ptr, s->owner, ctx);
}
// Checks what cuMemcpy3D would copy in ctx (NULL: the current one), at least one byte, and
// describes it for the device.
CUresult drv_copy_plan(const CUDA_MEMCPY3D *p, const struct drv_context *ctx, struct kd_copy *copy,
                       struct drv_side *dst, struct drv_side *src);
// The same for a memory set; `pitch` is in bytes and counts when height is above 1.
CUresult drv_set_plan(CUdeviceptr ptr, uint64_t pitch, uint32_t value, uint32_t element,
                      size_t width, size_t height, const struct drv_context *ctx,
                      struct kd_set *set, struct drv_side *side);

#endif
