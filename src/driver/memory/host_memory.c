// Page-locked host memory, and the host's own memory made known to the driver. All of it is
// mapped: its device address is its host address.
#include <sys/mman.h>
#include <unistd.h>

#include "driver/graph/capture.h"
#include "driver/memory/copy.h"

static CUresult allocate(struct drv_context *ctx, void **pp, size_t bytesize, unsigned flags) {
    REQUIRE_POINTER(pp);
    uint64_t ptr;
    TRY(drv_memory_allocate(ctx, KD_MEMORY_PINNED, bytesize, flags, &ptr));
    *pp = (void *)(uintptr_t)ptr;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void **pp, size_t bytesize) {
    ENTER_CONTEXT(ctx);
    return allocate(ctx, pp, bytesize, CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    REQUIRE(!(Flags & ~7u), CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of host memory",
            Flags);
    return allocate(ctx, pp, bytesize, Flags);
}

// Waits for the context that the memory belongs to.
CUresult cuMemFreeHost(void *p) {
    ENTER_CONTEXT(current);
    struct kd_memory m;
    REQUIRE(p && kd_memory_find((uintptr_t)p, &m) && m.base == (uintptr_t)p &&
                m.kind == KD_MEMORY_PINNED,
            CUDA_ERROR_INVALID_VALUE, "%p is not what an allocation of host memory returned", p);
    TRY(drv_capture_unsafe());
    return drv_memory_end(&m);
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pdptr);
    REQUIRE(Flags == 0, CUDA_ERROR_INVALID_VALUE, "Flags must be 0");
    struct kd_memory m;
    REQUIRE(p && kd_memory_find((uintptr_t)p, &m) &&
                (m.kind == KD_MEMORY_PINNED || m.kind == KD_MEMORY_REGISTERED),
            CUDA_ERROR_INVALID_VALUE, "%p is neither allocated nor registered host memory", p);
    *pdptr = (uintptr_t)p;
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pFlags);
    struct kd_memory m;
    REQUIRE(p && kd_memory_find((uintptr_t)p, &m) &&
                (m.kind == KD_MEMORY_PINNED || m.kind == KD_MEMORY_REGISTERED),
            CUDA_ERROR_INVALID_VALUE, "%p is neither allocated nor registered host memory", p);
    *pFlags = m.flags;
    return CUDA_SUCCESS;
}

bool drv_host_mapped(uint64_t ptr, uint64_t bytes) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = ptr & ~(page - 1);
    uint64_t size = ptr - begin + bytes;
    // msync without a wait does nothing else than to look.
    return size >= bytes && begin + size > begin && !msync((void *)begin, size, MS_ASYNC);
}

CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(p);
    REQUIRE(bytesize > 0, CUDA_ERROR_INVALID_VALUE, "a size of 0 cannot be registered");
    REQUIRE(!(Flags & ~15u), CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of host memory",
            Flags);
    REQUIRE(!(Flags & CU_MEMHOSTREGISTER_IOMEMORY), CUDA_ERROR_NOT_SUPPORTED,
            "memory of other devices cannot be registered");
    REQUIRE(drv_host_mapped((uintptr_t)p, bytesize), CUDA_ERROR_INVALID_VALUE,
            "there is no memory in all of the %zu bytes at %p", bytesize, p);
    TRY(drv_capture_unsafe());
    return drv_status(kd_memory_register(ctx->c, p, bytesize, Flags), ctx);
}

// No context need be current.
CUresult cuMemHostUnregister(void *p) {
    ENTER();
    REQUIRE_POINTER(p);
    TRY(drv_capture_unsafe());
    struct kd_memory m;
    bool inside = kd_memory_find((uintptr_t)p, &m) && m.kind == KD_MEMORY_REGISTERED;
    REQUIRE(!inside || m.base == (uintptr_t)p, CUDA_ERROR_INVALID_VALUE,
            "%p lies inside a registered range, which begins at %#llx", p,
            (unsigned long long)m.base);
    if (inside)
        return drv_memory_end(&m);
    return drv_status(kd_memory_unregister(p), NULL); // says what is wrong
}
