// What can be asked about sparse arrays and arrays whose memory comes later. Arrays of these kinds
// are not created (cuArray3DCreate refuses their flags), so that every array that exists gets the
// answer for one that is of another kind.
#include "driver/memory/array.h"

static CUresult refuse(const char *lacks) {
    return drv_fail(CUDA_ERROR_INVALID_VALUE, "the array was not created %s", lacks);
}

static CUresult device_exists(CUdevice device) {
    struct drv_device *d;
    return drv_device_find(device, &d);
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUarray array) {
    ENTER_CONTEXT(ctx);
    struct drv_array *a;
    REQUIRE_POINTER(sparseProperties);
    TRY(drv_array_find(array, &a));
    return refuse("with CUDA_ARRAY3D_SPARSE");
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
                                             CUmipmappedArray mipmap) {
    ENTER_CONTEXT(ctx);
    struct drv_mipmap *m;
    REQUIRE_POINTER(sparseProperties);
    TRY(drv_mipmap_find(mipmap, &m));
    return refuse("with CUDA_ARRAY3D_SPARSE");
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                      CUarray array, CUdevice device) {
    ENTER_CONTEXT(ctx);
    struct drv_array *a;
    REQUIRE_POINTER(memoryRequirements);
    TRY(drv_array_find(array, &a));
    TRY(device_exists(device));
    return refuse("with CUDA_ARRAY3D_DEFERRED_MAPPING");
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                               CUmipmappedArray mipmap, CUdevice device) {
    ENTER_CONTEXT(ctx);
    struct drv_mipmap *m;
    REQUIRE_POINTER(memoryRequirements);
    TRY(drv_mipmap_find(mipmap, &m));
    TRY(device_exists(device));
    return refuse("with CUDA_ARRAY3D_DEFERRED_MAPPING");
}
