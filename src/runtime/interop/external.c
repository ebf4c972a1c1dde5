// Memory and semaphores of other interfaces (guide 6.2.16).
#include <string.h>

#include "runtime/memory/array.h"

_Static_assert(sizeof(struct cudaExternalSemaphoreSignalParams) ==
                   sizeof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS),
               "same layout");
_Static_assert(sizeof(struct cudaExternalSemaphoreWaitParams) ==
                   sizeof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS),
               "same layout");

cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
                                     const struct cudaExternalMemoryHandleDesc *memHandleDesc) {
    RT_REQUIRE(extMem_out && memHandleDesc, cudaErrorInvalidValue,
               "extMem_out and memHandleDesc must not be NULL");
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {
        .type = (CUexternalMemoryHandleType)memHandleDesc->type,
        .size = memHandleDesc->size,
        .flags = memHandleDesc->flags,
    };
    memcpy(&desc.handle, &memHandleDesc->handle, sizeof desc.handle);
    RT_ENTER();
    return rt_result(RT_CALL(cuImportExternalMemory, (CUexternalMemory *)extMem_out, &desc));
}

cudaError_t
cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t extMem,
                                  const struct cudaExternalMemoryBufferDesc *bufferDesc) {
    CUdeviceptr address = 0;
    RT_REQUIRE(devPtr && bufferDesc, cudaErrorInvalidValue,
               "devPtr and bufferDesc must not be NULL");
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc = {
        .offset = bufferDesc->offset, .size = bufferDesc->size, .flags = bufferDesc->flags};
    *devPtr = NULL;
    RT_ENTER();
    RT_TRY(rt_result(
        RT_CALL(cuExternalMemoryGetMappedBuffer, &address, (CUexternalMemory)extMem, &desc)));
    *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaExternalMemoryGetMappedMipmappedArray(
    cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryMipmappedArrayDesc *mipmapDesc) {
    RT_REQUIRE(mipmap && mipmapDesc, cudaErrorInvalidValue,
               "mipmap and mipmapDesc must not be NULL");
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC desc = {.offset = mipmapDesc->offset,
                                                      .numLevels = mipmapDesc->numLevels};
    RT_TRY(rt_array_descriptor(__func__, &mipmapDesc->formatDesc, mipmapDesc->extent,
                               mipmapDesc->flags, &desc.arrayDesc));
    RT_ENTER();
    return rt_result(RT_CALL(cuExternalMemoryGetMappedMipmappedArray, (CUmipmappedArray *)mipmap,
                             (CUexternalMemory)extMem, &desc));
}

cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t extMem) {
    RT_ENTER();
    return rt_result(RT_CALL(cuDestroyExternalMemory, (CUexternalMemory)extMem));
}

cudaError_t
cudaImportExternalSemaphore(cudaExternalSemaphore_t *extSem_out,
                            const struct cudaExternalSemaphoreHandleDesc *semHandleDesc) {
    RT_REQUIRE(extSem_out && semHandleDesc, cudaErrorInvalidValue,
               "extSem_out and semHandleDesc must not be NULL");
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {
        .type = (CUexternalSemaphoreHandleType)semHandleDesc->type, .flags = semHandleDesc->flags};
    memcpy(&desc.handle, &semHandleDesc->handle, sizeof desc.handle);
    RT_ENTER();
    return rt_result(RT_CALL(cuImportExternalSemaphore, (CUexternalSemaphore *)extSem_out, &desc));
}

cudaError_t
cudaSignalExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *extSemArray,
                                     const struct cudaExternalSemaphoreSignalParams *paramsArray,
                                     unsigned int numExtSems, cudaStream_t stream) {
    RT_ENTER();
    return rt_result(
        RT_CALL(cuSignalExternalSemaphoresAsync, (const CUexternalSemaphore *)extSemArray,
                (const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *)paramsArray, numExtSems, stream));
}

cudaError_t
cudaWaitExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *extSemArray,
                                   const struct cudaExternalSemaphoreWaitParams *paramsArray,
                                   unsigned int numExtSems, cudaStream_t stream) {
    RT_ENTER();
    return rt_result(
        RT_CALL(cuWaitExternalSemaphoresAsync, (const CUexternalSemaphore *)extSemArray,
                (const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *)paramsArray, numExtSems, stream));
}

cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem) {
    RT_ENTER();
    return rt_result(RT_CALL(cuDestroyExternalSemaphore, (CUexternalSemaphore)extSem));
}
