// Resources of graphics interfaces (guide 6.2.15): the driver's, with the runtime's types.
#include "runtime/runtime.h"

cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphicsUnregisterResource, (CUgraphicsResource)resource));
}

cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned int flags) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphicsResourceSetMapFlags, (CUgraphicsResource)resource, flags));
}

cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t *resources,
                                     cudaStream_t stream) {
    RT_REQUIRE(count > 0 && resources, cudaErrorInvalidValue, "there are no resources");
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphicsMapResources, (unsigned int)count,
                             (CUgraphicsResource *)resources, stream));
}

cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *resources,
                                       cudaStream_t stream) {
    RT_REQUIRE(count > 0 && resources, cudaErrorInvalidValue, "there are no resources");
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphicsUnmapResources, (unsigned int)count,
                             (CUgraphicsResource *)resources, stream));
}

cudaError_t cudaGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
                                                 cudaGraphicsResource_t resource) {
    CUdeviceptr address = 0;
    RT_ENTER();
    RT_TRY(rt_result(
        RT_CALL(cuGraphicsResourceGetMappedPointer, &address, size, (CUgraphicsResource)resource)));
    if (devPtr)
        *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
                                                  cudaGraphicsResource_t resource,
                                                  unsigned int arrayIndex, unsigned int mipLevel) {
    RT_REQUIRE(array, cudaErrorInvalidValue, "array must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphicsSubResourceGetMappedArray, (CUarray *)array,
                             (CUgraphicsResource)resource, arrayIndex, mipLevel));
}

cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                                        cudaGraphicsResource_t resource) {
    RT_REQUIRE(mipmappedArray, cudaErrorInvalidValue, "mipmappedArray must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuGraphicsResourceGetMappedMipmappedArray,
                             (CUmipmappedArray *)mipmappedArray, (CUgraphicsResource)resource));
}
