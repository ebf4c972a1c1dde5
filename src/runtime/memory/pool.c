// The stream-ordered allocator and its pools (guide 15).
#include <string.h>

#include "runtime/runtime.h"

// Structures and enumerations of the two interfaces have the same layout and values.
_Static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps), "same layout");
_Static_assert(sizeof(struct cudaMemAccessDesc) == sizeof(CUmemAccessDesc), "same layout");
_Static_assert(sizeof(struct cudaMemLocation) == sizeof(CUmemLocation), "same layout");

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream) {
    CUdeviceptr address = 0;
    RT_REQUIRE(devPtr, cudaErrorInvalidValue, "devPtr must not be NULL");
    *devPtr = NULL;
    RT_ENTER();
    if (size == 0)
        return cudaSuccess;
    RT_TRY(rt_result(RT_CALL(cuMemAllocAsync, &address, size, hStream)));
    *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                    cudaStream_t stream) {
    CUdeviceptr address = 0;
    RT_REQUIRE(ptr, cudaErrorInvalidValue, "ptr must not be NULL");
    *ptr = NULL;
    RT_ENTER();
    if (size == 0)
        return cudaSuccess;
    RT_TRY(rt_result(RT_CALL(cuMemAllocFromPoolAsync, &address, size, memPool, stream)));
    *ptr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream) {
    RT_ENTER();
    if (!devPtr)
        return cudaSuccess;
    return rt_result(RT_CALL(cuMemFreeAsync, (CUdeviceptr)devPtr, hStream));
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device) {
    RT_REQUIRE(memPool, cudaErrorInvalidValue, "memPool must not be NULL");
    RT_TRY(rt_check_device(__func__, device));
    RT_ENTER();
    return rt_result(RT_CALL(cuDeviceGetDefaultMemPool, memPool, device));
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type) {
    RT_REQUIRE(memPool && location, cudaErrorInvalidValue, "memPool, location must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemGetDefaultMemPool, memPool, (CUmemLocation *)location,
                             (CUmemAllocationType)type));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type) {
    RT_REQUIRE(memPool && location, cudaErrorInvalidValue, "memPool, location must not be NULL");
    RT_ENTER();
    return rt_result(
        RT_CALL(cuMemGetMemPool, memPool, (CUmemLocation *)location, (CUmemAllocationType)type));
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t memPool) {
    RT_REQUIRE(location, cudaErrorInvalidValue, "location must not be NULL");
    RT_ENTER();
    return rt_result(
        RT_CALL(cuMemSetMemPool, (CUmemLocation *)location, (CUmemAllocationType)type, memPool));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device) {
    RT_REQUIRE(memPool, cudaErrorInvalidValue, "memPool must not be NULL");
    RT_TRY(rt_check_device(__func__, device));
    RT_ENTER();
    return rt_result(RT_CALL(cuDeviceGetMemPool, memPool, device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
    RT_TRY(rt_check_device(__func__, device));
    RT_REQUIRE(memPool, cudaErrorInvalidValue, "memPool must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuDeviceSetMemPool, device, memPool));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps) {
    RT_REQUIRE(memPool && poolProps, cudaErrorInvalidValue,
               "memPool and poolProps must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemPoolCreate, memPool, (const CUmemPoolProps *)poolProps));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
    RT_REQUIRE(memPool, cudaErrorInvalidValue, "memPool must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemPoolDestroy, memPool));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
    RT_REQUIRE(memPool, cudaErrorInvalidValue, "memPool must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemPoolTrimTo, memPool, minBytesToKeep));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
    RT_REQUIRE(memPool && value, cudaErrorInvalidValue, "memPool and value must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemPoolSetAttribute, memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
    RT_REQUIRE(memPool && value, cudaErrorInvalidValue, "memPool and value must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemPoolGetAttribute, memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList,
                                 size_t count) {
    RT_REQUIRE(memPool && (descList || count == 0), cudaErrorInvalidValue,
               "memPool and descList must not be NULL");
    RT_ENTER();
    return rt_result(
        RT_CALL(cuMemPoolSetAccess, memPool, (const CUmemAccessDesc *)descList, count));
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                 struct cudaMemLocation *location) {
    CUmemAccess_flags access;
    RT_REQUIRE(flags && memPool && location, cudaErrorInvalidValue,
               "flags, memPool and location must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuMemPoolGetAccess, &access, memPool, (CUmemLocation *)location)));
    *flags = (enum cudaMemAccessFlags)access;
    return cudaSuccess;
}

// ---- Between processes ----------------------------------------------------------------------

_Static_assert(sizeof(struct cudaMemPoolPtrExportData) == sizeof(CUmemPoolPtrExportData),
               "same layout");

cudaError_t cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                               enum cudaMemAllocationHandleType handleType,
                                               unsigned int flags) {
    RT_REQUIRE(shareableHandle && memPool, cudaErrorInvalidValue,
               "shareableHandle and memPool must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemPoolExportToShareableHandle, shareableHandle, memPool,
                             (CUmemAllocationHandleType)handleType, flags));
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *memPool, void *shareableHandle,
                                                 enum cudaMemAllocationHandleType handleType,
                                                 unsigned int flags) {
    RT_REQUIRE(memPool, cudaErrorInvalidValue, "memPool must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMemPoolImportFromShareableHandle, memPool, shareableHandle,
                             (CUmemAllocationHandleType)handleType, flags));
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr) {
    RT_REQUIRE(exportData && ptr, cudaErrorInvalidValue, "exportData and ptr must not be NULL");
    RT_ENTER();
    return rt_result(
        RT_CALL(cuMemPoolExportPointer, (CUmemPoolPtrExportData *)exportData, (CUdeviceptr)ptr));
}

cudaError_t cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                                     struct cudaMemPoolPtrExportData *exportData) {
    CUdeviceptr address = 0;
    RT_REQUIRE(ptr && memPool && exportData, cudaErrorInvalidValue,
               "ptr, memPool and exportData must not be NULL");
    *ptr = NULL;
    RT_ENTER();
    RT_TRY(rt_result(
        RT_CALL(cuMemPoolImportPointer, &address, memPool, (CUmemPoolPtrExportData *)exportData)));
    *ptr = (void *)(uintptr_t)address;
    return cudaSuccess;
}
