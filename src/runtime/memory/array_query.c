// Questions about sparse arrays, arrays whose memory comes later, and planes of video formats.
#include "runtime/runtime.h"

_Static_assert(sizeof(struct cudaArraySparseProperties) == sizeof(CUDA_ARRAY_SPARSE_PROPERTIES),
               "same layout");
_Static_assert(sizeof(struct cudaArrayMemoryRequirements) == sizeof(CUDA_ARRAY_MEMORY_REQUIREMENTS),
               "same layout");

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                         cudaArray_t array) {
    RT_REQUIRE(sparseProperties, cudaErrorInvalidValue, "sparseProperties must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuArrayGetSparseProperties,
                             (CUDA_ARRAY_SPARSE_PROPERTIES *)sparseProperties, (CUarray)array));
}

cudaError_t
cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                      cudaMipmappedArray_t mipmap) {
    RT_REQUIRE(sparseProperties, cudaErrorInvalidValue, "sparseProperties must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMipmappedArrayGetSparseProperties,
                             (CUDA_ARRAY_SPARSE_PROPERTIES *)sparseProperties,
                             (CUmipmappedArray)mipmap));
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                           cudaArray_t array, int device) {
    RT_REQUIRE(memoryRequirements, cudaErrorInvalidValue, "memoryRequirements must not be NULL");
    RT_ENTER();
    RT_TRY(rt_check_device(__func__, device));
    return rt_result(RT_CALL(cuArrayGetMemoryRequirements,
                             (CUDA_ARRAY_MEMORY_REQUIREMENTS *)memoryRequirements, (CUarray)array,
                             device));
}

cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                        cudaMipmappedArray_t mipmap, int device) {
    RT_REQUIRE(memoryRequirements, cudaErrorInvalidValue, "memoryRequirements must not be NULL");
    RT_ENTER();
    RT_TRY(rt_check_device(__func__, device));
    return rt_result(RT_CALL(cuMipmappedArrayGetMemoryRequirements,
                             (CUDA_ARRAY_MEMORY_REQUIREMENTS *)memoryRequirements,
                             (CUmipmappedArray)mipmap, device));
}

cudaError_t cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray, unsigned int planeIdx) {
    RT_REQUIRE(pPlaneArray, cudaErrorInvalidValue, "pPlaneArray must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuArrayGetPlane, (CUarray *)pPlaneArray, (CUarray)hArray, planeIdx));
}
