// Allocation: linear, pitched, page-locked, managed, stream-ordered (guide 6.2.2, 6.2.6, 15, 24).
//
// A size of 0 gives NULL and no error, and NULL may be freed.
#include <stdbool.h>
#include <string.h>

#include "runtime/runtime.h"

cudaError_t cudaMalloc(void **devPtr, size_t size) {
    CUdeviceptr address = 0;
    RT_REQUIRE(devPtr, cudaErrorInvalidValue, "devPtr must not be NULL");
    *devPtr = NULL;
    RT_ENTER();
    if (size == 0)
        return cudaSuccess;
    RT_TRY(rt_result(RT_CALL(cuMemAlloc, &address, size)));
    *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaFree(void *devPtr) {
    RT_ENTER();
    if (!devPtr)
        return cudaSuccess;
    return rt_result(RT_CALL(cuMemFree, (CUdeviceptr)devPtr));
}

// Rows are aligned for accesses of up to 16 bytes a thread.
enum { PITCH_ELEMENT = 16 };

static cudaError_t malloc_pitch(void **pointer, size_t *pitch, size_t width, size_t rows) {
    CUdeviceptr address = 0;
    *pointer = NULL;
    *pitch = 0;
    RT_ENTER();
    if (width == 0 || rows == 0)
        return cudaSuccess;
    RT_TRY(rt_result(RT_CALL(cuMemAllocPitch, &address, pitch, width, rows, PITCH_ELEMENT)));
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height) {
    RT_REQUIRE(devPtr && pitch, cudaErrorInvalidValue, "devPtr and pitch must not be NULL");
    return malloc_pitch(devPtr, pitch, width, height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent) {
    size_t rows;
    RT_REQUIRE(pitchedDevPtr, cudaErrorInvalidValue, "pitchedDevPtr must not be NULL");
    RT_REQUIRE(!__builtin_mul_overflow(extent.height, extent.depth, &rows),
               cudaErrorMemoryAllocation, "the extent has more rows than memory can hold");
    pitchedDevPtr->xsize = extent.width;
    pitchedDevPtr->ysize = extent.height;
    return malloc_pitch(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows);
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
    size_t ignored;
    RT_ENTER();
    return rt_result(RT_CALL(cuMemGetInfo, free ? free : &ignored, total ? total : &ignored));
}

// ---- Page-locked host memory ----------------------------------------------------------------

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags) {
    const unsigned int known =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    RT_REQUIRE(pHost, cudaErrorInvalidValue, "pHost must not be NULL");
    RT_REQUIRE((flags & ~known) == 0, cudaErrorInvalidValue, "flags has unknown bits: 0x%x", flags);
    *pHost = NULL;
    RT_ENTER();
    if (size == 0)
        return cudaSuccess;
    return rt_result(RT_CALL(cuMemHostAlloc, pHost, size, flags));
}

cudaError_t cudaMallocHost(void **ptr, size_t size) {
    RT_REQUIRE(ptr, cudaErrorInvalidValue, "ptr must not be NULL");
    return cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *ptr) {
    RT_ENTER();
    if (!ptr)
        return cudaSuccess;
    return rt_result(RT_CALL(cuMemFreeHost, ptr));
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags) {
    const unsigned int known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                               cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    RT_REQUIRE(ptr && size, cudaErrorInvalidValue, "ptr must not be NULL and size not 0");
    RT_REQUIRE((flags & ~known) == 0, cudaErrorInvalidValue, "flags has unknown bits: 0x%x", flags);
    RT_ENTER();
    return rt_result(RT_CALL(cuMemHostRegister, ptr, size, flags));
}

cudaError_t cudaHostUnregister(void *ptr) {
    RT_REQUIRE(ptr, cudaErrorInvalidValue, "ptr must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemHostUnregister, ptr));
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags) {
    CUdeviceptr address = 0;
    RT_REQUIRE(pDevice && pHost, cudaErrorInvalidValue, "pDevice and pHost must not be NULL");
    RT_REQUIRE(flags == 0, cudaErrorInvalidValue, "flags is reserved and must be 0");
    *pDevice = NULL;
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuMemHostGetDevicePointer, &address, pHost, flags)));
    *pDevice = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost) {
    RT_REQUIRE(pFlags && pHost, cudaErrorInvalidValue, "pFlags and pHost must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemHostGetFlags, pFlags, pHost));
}

// ---- Managed memory -------------------------------------------------------------------------

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags) {
    CUdeviceptr address = 0;
    RT_REQUIRE(devPtr, cudaErrorInvalidValue, "devPtr must not be NULL");
    RT_REQUIRE(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost, cudaErrorInvalidValue,
               "flags must be cudaMemAttachGlobal or cudaMemAttachHost");
    RT_REQUIRE(size != 0, cudaErrorInvalidValue, "size must not be 0");
    *devPtr = NULL;
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuMemAllocManaged, &address, size, flags)));
    *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, int dstDevice,
                                 cudaStream_t stream) {
    RT_ENTER();
    return rt_result(RT_CALL(cuMemPrefetchAsync, (CUdeviceptr)devPtr, count, dstDevice, stream));
}

cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                          int device) {
    RT_ENTER();
    return rt_result(
        RT_CALL(cuMemAdvise, (CUdeviceptr)devPtr, count, (CUmem_advise)advice, device));
}

// The form of the first version, which older drivers have, knows devices and the host. Nodes of the
// host need the second.
static bool names_node(struct cudaMemLocation location) {
    return location.type == cudaMemLocationTypeHostNuma ||
           location.type == cudaMemLocationTypeHostNumaCurrent;
}

static CUmemLocation of_driver(struct cudaMemLocation location) {
    return (CUmemLocation){(CUmemLocationType)location.type, location.id};
}

static cudaError_t device_of_location(const char *function, struct cudaMemLocation location,
                                      int *device) {
    switch (location.type) {
    case cudaMemLocationTypeDevice:
        *device = location.id;
        return rt_check_device(function, location.id);
    case cudaMemLocationTypeHost:
        *device = cudaCpuDeviceId;
        return cudaSuccess;
    default:
        return rt_fail(function, cudaErrorInvalidValue, "%d is no type of location",
                       (int)location.type);
    }
}

cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count,
                                    struct cudaMemLocation location, unsigned int flags,
                                    cudaStream_t stream) {
    int device = cudaInvalidDeviceId;
    RT_REQUIRE(flags == 0, cudaErrorInvalidValue, "flags is reserved and must be 0");
    if (names_node(location)) {
        RT_ENTER();
        return rt_result(RT_CALL(cuMemPrefetchAsync_v2, (CUdeviceptr)devPtr, count,
                                 of_driver(location), flags, stream));
    }
    RT_TRY(device_of_location(__func__, location, &device));
    return cudaMemPrefetchAsync(devPtr, count, device, stream);
}

cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location) {
    int device = cudaCpuDeviceId;
    // Advice that is not about a place ignores the location.
    if (advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
        advice == cudaMemAdviseUnsetAccessedBy) {
        if (names_node(location)) {
            RT_ENTER();
            return rt_result(RT_CALL(cuMemAdvise_v2, (CUdeviceptr)devPtr, count,
                                     (CUmem_advise)advice, of_driver(location)));
        }
        RT_TRY(device_of_location(__func__, location, &device));
    }
    return cudaMemAdvise(devPtr, count, advice, device);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize,
                                     enum cudaMemRangeAttribute attribute, const void *devPtr,
                                     size_t count) {
    RT_REQUIRE(data, cudaErrorInvalidValue, "data must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemRangeGetAttribute, data, dataSize,
                             (CUmem_range_attribute)attribute, (CUdeviceptr)devPtr, count));
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                      enum cudaMemRangeAttribute *attributes, size_t numAttributes,
                                      const void *devPtr, size_t count) {
    RT_REQUIRE(data && dataSizes && attributes && numAttributes, cudaErrorInvalidValue,
               "data, dataSizes and attributes must not be NULL, numAttributes not 0");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemRangeGetAttributes, data, dataSizes,
                             (CUmem_range_attribute *)attributes, numAttributes,
                             (CUdeviceptr)devPtr, count));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length,
                                     unsigned int flags) {
    RT_ENTER();
    return rt_result(RT_CALL(cuStreamAttachMemAsync, stream, (CUdeviceptr)devPtr, length, flags));
}
