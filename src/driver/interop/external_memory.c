// Memory of other APIs on this machine (guide 6.2.16): POSIX file descriptors of files that can be
// mapped, as those that cuMemExportToShareableHandle gives and as CPU implementations of graphics
// APIs export.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/interop/mesa_memory.h"
#include "driver/memory/array.h"

struct external_memory {
    struct drv_object object;
    int fd;
    uint64_t begin, size; // in the file
};

static void release(struct drv_object *o) {
    struct external_memory *m = (struct external_memory *)o;
    close(m->fd);
    free(m);
}

static CUresult find(CUexternalMemory handle, struct external_memory **out) {
    *out = drv_object_find(handle, DRV_EXTERNAL_MEMORY);
    REQUIRE(*out, CUDA_ERROR_INVALID_HANDLE, "%p is no external memory, or was destroyed",
            (void *)handle);
    return CUDA_SUCCESS;
}

// The descriptor becomes the driver's.
CUresult cuImportExternalMemory(CUexternalMemory *extMem_out,
                                const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(extMem_out);
    REQUIRE_POINTER(memHandleDesc);
    REQUIRE(memHandleDesc->type >= CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD &&
                memHandleDesc->type <= CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF,
            CUDA_ERROR_INVALID_VALUE, "%d is no type of external memory", (int)memHandleDesc->type);
    REQUIRE(memHandleDesc->type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            CUDA_ERROR_NOT_SUPPORTED,
            "external memory is imported from POSIX file descriptors alone");
    REQUIRE(!(memHandleDesc->flags & ~(unsigned)CUDA_EXTERNAL_MEMORY_DEDICATED),
            CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of external memory",
            memHandleDesc->flags);
    struct stat st;
    int fd = memHandleDesc->handle.fd;
    REQUIRE(fstat(fd, &st) == 0 && S_ISREG(st.st_mode), CUDA_ERROR_INVALID_HANDLE,
            "descriptor %d is no memory that can be mapped", fd);
    uint64_t begin = drv_mesa_memory_begin(fd, (uint64_t)st.st_size);
    uint64_t size = (uint64_t)st.st_size - begin;
    REQUIRE(memHandleDesc->size && memHandleDesc->size <= size, CUDA_ERROR_INVALID_VALUE,
            "the memory has %llu bytes, not %llu", (unsigned long long)size, memHandleDesc->size);
    struct external_memory *m = calloc(1, sizeof *m);
    REQUIRE(m, CUDA_ERROR_OUT_OF_MEMORY, "no memory for the record of external memory");
    m->fd = fd;
    m->begin = begin;
    m->size = memHandleDesc->size;
    if (!drv_object_add(&m->object, DRV_EXTERNAL_MEMORY, ctx, release)) {
        free(m);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for external memory");
    }
    *extMem_out = m->object.handle;
    return CUDA_SUCCESS;
}

// cuMemFree ends the mapping.
CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(devPtr);
    REQUIRE_POINTER(bufferDesc);
    struct external_memory *m;
    TRY(find(extMem, &m));
    REQUIRE(bufferDesc->flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    REQUIRE(bufferDesc->size && bufferDesc->size <= m->size &&
                bufferDesc->offset <= m->size - bufferDesc->size,
            CUDA_ERROR_INVALID_VALUE, "%llu bytes from %llu on are more than the memory's %llu",
            bufferDesc->size, bufferDesc->offset, (unsigned long long)m->size);
    uint64_t ptr;
    TRY(drv_status(kd_memory_map_file(kd_context_device(ctx->c), ctx->c, m->fd,
                                      m->begin + bufferDesc->offset, bufferDesc->size,
                                      DRV_MEMORY_EXTERNAL, &ptr),
                   ctx));
    *devPtr = ptr;
    return CUDA_SUCCESS;
}

// Images in memory of Mesa lie as it lays them out, others as kudzu's own arrays do, and linear
// images of other APIs without padding. That an API draws on them makes no difference.
CUresult cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *mipmap, CUexternalMemory extMem,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(mipmap);
    REQUIRE_POINTER(mipmapDesc);
    struct external_memory *m;
    TRY(find(extMem, &m));
    CUDA_ARRAY3D_DESCRIPTOR d = mipmapDesc->arrayDesc;
    d.Flags &= ~(unsigned)CUDA_ARRAY3D_COLOR_ATTACHMENT;
    REQUIRE(mipmapDesc->offset <= m->size, CUDA_ERROR_INVALID_VALUE,
            "images from %llu on lie behind the memory's %llu bytes", mipmapDesc->offset,
            (unsigned long long)m->size);
    const struct drv_layout *layout = m->begin ? &drv_layout_mesa : &drv_layout_own;
    return drv_mipmap_map(ctx, m->fd, m->begin + mipmapDesc->offset, m->begin + m->size, layout, &d,
                          mipmapDesc->numLevels, mipmap);
}

// What is mapped stays mapped.
CUresult cuDestroyExternalMemory(CUexternalMemory extMem) {
    ENTER_CONTEXT(ctx);
    struct external_memory *m;
    TRY(find(extMem, &m));
    REQUIRE(drv_object_destroy(&m->object), CUDA_ERROR_INVALID_HANDLE,
            "%p was destroyed by another thread", (void *)extMem);
    return CUDA_SUCCESS;
}
