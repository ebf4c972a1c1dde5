// What a pointer points to (guide 6.2.10).
#include "runtime/runtime.h"

static enum cudaMemoryType type_of(unsigned int memory_type, unsigned int managed) {
    if (managed)
        return cudaMemoryTypeManaged;
    switch (memory_type) {
    case CU_MEMORYTYPE_HOST:
        return cudaMemoryTypeHost;
    case CU_MEMORYTYPE_DEVICE:
        return cudaMemoryTypeDevice;
    default:
        return cudaMemoryTypeUnregistered;
    }
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr) {
    RT_REQUIRE(attributes, cudaErrorInvalidValue, "attributes must not be NULL");
    RT_ENTER();
    unsigned int memory_type = 0, managed = 0;
    int device = cudaInvalidDeviceId;
    CUdeviceptr device_pointer = 0;
    void *host_pointer = NULL;
    CUpointer_attribute wanted[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        CU_POINTER_ATTRIBUTE_HOST_POINTER,
    };
    void *data[] = {&memory_type, &managed, &device, &device_pointer, &host_pointer};
    if (ptr)
        RT_TRY(rt_result(RT_CALL(cuPointerGetAttributes, sizeof wanted / sizeof *wanted, wanted,
                                 data, (CUdeviceptr)ptr)));
    attributes->type = type_of(memory_type, managed);
    if (attributes->type == cudaMemoryTypeUnregistered) {
        attributes->device = cudaInvalidDeviceId;
        attributes->devicePointer = NULL;
        attributes->hostPointer = (void *)ptr;
        return cudaSuccess;
    }
    attributes->device = device;
    attributes->devicePointer = (void *)(uintptr_t)device_pointer;
    attributes->hostPointer = host_pointer;
    return cudaSuccess;
}
