// Which atomic operations of kernels are atomic for the host, and for other devices. All of them:
// every processor that may look does so through the same caches.
#include "driver/driver.h"

// By operation, what the instructions atom and red have. Minima and maxima of floats are for halves
// alone, which the bits have no word for.
static const unsigned capabilities_of[CU_ATOMIC_OPERATION_MAX] = {
#define BOTH (CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED)
#define WORDS (CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64)
    [CU_ATOMIC_OPERATION_INTEGER_ADD] = BOTH | WORDS | CU_ATOMIC_CAPABILITY_REDUCTION,
    [CU_ATOMIC_OPERATION_INTEGER_MIN] = BOTH | WORDS | CU_ATOMIC_CAPABILITY_REDUCTION,
    [CU_ATOMIC_OPERATION_INTEGER_MAX] = BOTH | WORDS | CU_ATOMIC_CAPABILITY_REDUCTION,
    [CU_ATOMIC_OPERATION_INTEGER_INCREMENT] = CU_ATOMIC_CAPABILITY_UNSIGNED |
                                              CU_ATOMIC_CAPABILITY_SCALAR_32 |
                                              CU_ATOMIC_CAPABILITY_REDUCTION,
    [CU_ATOMIC_OPERATION_INTEGER_DECREMENT] = CU_ATOMIC_CAPABILITY_UNSIGNED |
                                              CU_ATOMIC_CAPABILITY_SCALAR_32 |
                                              CU_ATOMIC_CAPABILITY_REDUCTION,
    [CU_ATOMIC_OPERATION_AND] = BOTH | WORDS | CU_ATOMIC_CAPABILITY_REDUCTION,
    [CU_ATOMIC_OPERATION_OR] = BOTH | WORDS | CU_ATOMIC_CAPABILITY_REDUCTION,
    [CU_ATOMIC_OPERATION_XOR] = BOTH | WORDS | CU_ATOMIC_CAPABILITY_REDUCTION,
    [CU_ATOMIC_OPERATION_EXCHANGE] = BOTH | WORDS | CU_ATOMIC_CAPABILITY_SCALAR_128,
    [CU_ATOMIC_OPERATION_CAS] = BOTH | WORDS | CU_ATOMIC_CAPABILITY_SCALAR_128,
    [CU_ATOMIC_OPERATION_FLOAT_ADD] = CU_ATOMIC_CAPABILITY_SIGNED | WORDS |
                                      CU_ATOMIC_CAPABILITY_VECTOR_32x4 |
                                      CU_ATOMIC_CAPABILITY_REDUCTION,
#undef BOTH
#undef WORDS
};

static CUresult answer(unsigned int *capabilities, const CUatomicOperation *operations,
                       unsigned int count) {
    REQUIRE(capabilities && operations && count, CUDA_ERROR_INVALID_VALUE,
            "capabilities and operations cannot be NULL, nor count 0");
    for (unsigned i = 0; i < count; i++)
        REQUIRE((unsigned)operations[i] < CU_ATOMIC_OPERATION_MAX, CUDA_ERROR_INVALID_VALUE,
                "%d is no atomic operation", (int)operations[i]);
    for (unsigned i = 0; i < count; i++)
        capabilities[i] = capabilities_of[operations[i]];
    return CUDA_SUCCESS;
}

// capabilities[i]: bits CU_ATOMIC_CAPABILITY_* of operations[i].
CUresult cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                           const CUatomicOperation *operations, unsigned int count,
                                           CUdevice dev) {
    ENTER();
    struct drv_device *d;
    TRY(drv_device_find(dev, &d));
    return answer(capabilities, operations, count);
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                          const CUatomicOperation *operations, unsigned int count,
                                          CUdevice srcDevice, CUdevice dstDevice) {
    ENTER();
    struct drv_device *a, *b;
    TRY(drv_device_find(srcDevice, &a));
    TRY(drv_device_find(dstDevice, &b));
    REQUIRE(a != b, CUDA_ERROR_INVALID_DEVICE, "a device is no peer of itself");
    return answer(capabilities, operations, count);
}
