// What version 13.0 brought to the driver, by cuGetProcAddress: the headers are those of 12.9.
#include "check.h"

#include <cudaTypedefs.h>
#include <stdint.h>

#define FIND(name)                                                                                 \
    PFN_##name##_v13000 name##_13 = (PFN_##name##_v13000)find(#name, 13000);                       \
    CHECK(name##_13 != NULL)

static void *find(const char *name, int version) {
    void *p = NULL;
    CUdriverProcAddressQueryResult status;
    OK(cuGetProcAddress(name, &p, version, 0, &status));
    return p;
}

static void contexts(CUcontext ctx) {
    FIND(cuCtxGetDevice);
    FIND(cuCtxSynchronize);
    CUcontext other;
    CUdevice device = 7;
    OK(cuCtxGetDevice_13(&device, ctx));
    CHECK(device == 0);
    OK(cuCtxCreate(&other, 0, 0));
    device = 7;
    OK(cuCtxGetDevice_13(&device, NULL));
    CHECK(device == 0);
    // Another context's work, though that is not current.
    CUdeviceptr p;
    CUstream s;
    CUevent e;
    OK(cuMemAlloc(&p, 1 << 20));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    OK(cuMemsetD8Async(p, 1, 1 << 20, s));
    OK(cuEventRecord(e, s));
    OK(cuCtxSetCurrent(ctx));
    OK(cuCtxSynchronize_13(other));
    OK(cuEventQuery(e));
    OK(cuCtxSynchronize_13(NULL));
    OK(cuCtxDestroy(other));
    EXPECT(cuCtxSynchronize_13(other), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxGetDevice_13(&device, other), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(cuCtxGetDevice_13(NULL, ctx), CUDA_ERROR_INVALID_VALUE);
}

static void atomics(void) {
    FIND(cuDeviceGetHostAtomicCapabilities);
    FIND(cuDeviceGetP2PAtomicCapabilities);
    CUatomicOperation operations[] = {CU_ATOMIC_OPERATION_INTEGER_ADD,
                                      CU_ATOMIC_OPERATION_INTEGER_INCREMENT,
                                      CU_ATOMIC_OPERATION_CAS, CU_ATOMIC_OPERATION_FLOAT_ADD};
    unsigned capabilities[4] = {0};
    OK(cuDeviceGetHostAtomicCapabilities_13(capabilities, operations, 4, 0));
    CHECK(capabilities[0] == (CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED |
                              CU_ATOMIC_CAPABILITY_REDUCTION | CU_ATOMIC_CAPABILITY_SCALAR_32 |
                              CU_ATOMIC_CAPABILITY_SCALAR_64));
    CHECK(!(capabilities[1] & CU_ATOMIC_CAPABILITY_SCALAR_64));
    CHECK(capabilities[2] & CU_ATOMIC_CAPABILITY_SCALAR_128);
    CHECK(capabilities[3] & CU_ATOMIC_CAPABILITY_VECTOR_32x4);
    operations[2] = CU_ATOMIC_OPERATION_MAX;
    EXPECT(cuDeviceGetHostAtomicCapabilities_13(capabilities, operations, 4, 0),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetHostAtomicCapabilities_13(capabilities, operations, 0, 0),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetHostAtomicCapabilities_13(NULL, operations, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetHostAtomicCapabilities_13(capabilities, operations, 1, 9),
           CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuDeviceGetP2PAtomicCapabilities_13(capabilities, operations, 1, 0, 0),
           CUDA_ERROR_INVALID_DEVICE);
}

static void managed_batches(void) {
    FIND(cuMemPrefetchBatchAsync);
    FIND(cuMemDiscardBatchAsync);
    FIND(cuMemDiscardAndPrefetchBatchAsync);
    enum { N = 3, BYTES = 1 << 16 };
    CUdeviceptr p[N], device;
    size_t sizes[N] = {BYTES, BYTES, BYTES}, first[2] = {0, 2};
    CUmemLocation at[2] = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, {CU_MEM_LOCATION_TYPE_HOST, 0}};
    CUstream s;
    OK(cuStreamCreate(&s, 0));
    for (int i = 0; i < N; i++)
        OK(cuMemAllocManaged(&p[i], BYTES, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemPrefetchBatchAsync_13(p, sizes, N, at, first, 2, 0, s));
    int where[N];
    for (int i = 0; i < N; i++)
        OK(cuMemRangeGetAttribute(&where[i], 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p[i],
                                  BYTES));
    CHECK(where[0] == 0 && where[1] == 0 && where[2] == CU_DEVICE_CPU);
    OK(cuMemDiscardAndPrefetchBatchAsync_13(p, sizes, 1, &at[1], first, 1, 0, s));
    OK(cuMemRangeGetAttribute(where, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p[0],
                              BYTES));
    CHECK(where[0] == CU_DEVICE_CPU);
    OK(cuMemDiscardBatchAsync_13(p, sizes, N, 0, s));
    // Nothing is done when one is wrong.
    at[0].id = 9;
    EXPECT(cuMemPrefetchBatchAsync_13(p, sizes, N, at, first, 2, 0, s), CUDA_ERROR_INVALID_DEVICE);
    at[0].id = 0;
    OK(cuMemAlloc(&device, BYTES));
    p[1] = device;
    EXPECT(cuMemPrefetchBatchAsync_13(p, sizes, N, at, first, 2, 0, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemDiscardBatchAsync_13(p, sizes, N, 0, s), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRangeGetAttribute(where, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p[0],
                              BYTES));
    CHECK(where[0] == CU_DEVICE_CPU);
    EXPECT(cuMemDiscardBatchAsync_13(p, sizes, 1, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemDiscardBatchAsync_13(p, sizes, 1, 1, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemDiscardBatchAsync_13(p, sizes, 0, 0, s), CUDA_ERROR_INVALID_VALUE);
    first[0] = 1;
    EXPECT(cuMemPrefetchBatchAsync_13(p, sizes, 1, at, first, 1, 0, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPrefetchBatchAsync_13(p, sizes, 1, at, NULL, 1, 0, s), CUDA_ERROR_INVALID_VALUE);
}

static void pools(void) {
    FIND(cuMemGetDefaultMemPool);
    FIND(cuMemGetMemPool);
    FIND(cuMemSetMemPool);
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0},
                  node = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
    CUmemAllocationType pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
    CUmemoryPool a, b, own;
    OK(cuMemGetDefaultMemPool_13(&a, &device, pinned));
    OK(cuDeviceGetDefaultMemPool(&b, 0));
    CHECK(a == b);
    OK(cuMemGetDefaultMemPool_13(&a, &host, pinned));
    OK(cuMemGetDefaultMemPool_13(&b, &host, pinned));
    CHECK(a == b);
    EXPECT(cuMemPoolDestroy(a), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemGetMemPool_13(&b, &host, pinned));
    CHECK(a == b);
    // What comes from it is the host's.
    CUdeviceptr p;
    CUstream s;
    CUmemorytype type;
    OK(cuStreamCreate(&s, 0));
    OK(cuMemAllocFromPoolAsync(&p, 100, a, s));
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    CHECK(type == CU_MEMORYTYPE_HOST);
    *(char *)(uintptr_t)p = 1;
    OK(cuMemFreeAsync(p, s));
    OK(cuStreamSynchronize(s));
    // One of the program's own, until it is destroyed.
    CUmemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = pinned;
    props.location = node;
    OK(cuMemPoolCreate(&own, &props));
    EXPECT(cuMemSetMemPool_13(&host, pinned, own), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemSetMemPool_13(&node, pinned, own));
    OK(cuMemGetMemPool_13(&b, &node, pinned));
    CHECK(b == own);
    OK(cuMemPoolDestroy(own));
    OK(cuMemGetMemPool_13(&b, &node, pinned));
    OK(cuMemGetDefaultMemPool_13(&a, &node, pinned));
    CHECK(a == b && a != own);
    EXPECT(cuMemGetMemPool_13(&b, &device, CU_MEM_ALLOCATION_TYPE_MANAGED),
           CUDA_ERROR_NOT_SUPPORTED);
    EXPECT(cuMemGetMemPool_13(&b, &device, CU_MEM_ALLOCATION_TYPE_INVALID),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemGetMemPool_13(&b, NULL, pinned), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemGetMemPool_13(NULL, &device, pinned), CUDA_ERROR_INVALID_VALUE);
    device.id = 5;
    EXPECT(cuMemGetMemPool_13(&b, &device, pinned), CUDA_ERROR_INVALID_DEVICE);
}

static void copies(void) {
    FIND(cuMemcpyBatchAsync);
    FIND(cuMemcpy3DBatchAsync);
    CHECK(find("cuMemcpyBatchAsync", 12080) != (void *)cuMemcpyBatchAsync_13);
    char from[64], to[64] = {0};
    memset(from, 5, sizeof from);
    CUdeviceptr p, src = (CUdeviceptr)(uintptr_t)from;
    size_t size = sizeof from, first = 0;
    CUmemcpyAttributes attributes;
    CUstream s;
    memset(&attributes, 0, sizeof attributes);
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    OK(cuStreamCreate(&s, 0));
    OK(cuMemAlloc(&p, sizeof from));
    OK(cuMemcpyBatchAsync_13(&p, &src, &size, 1, &attributes, &first, 1, s));
    CUDA_MEMCPY3D_BATCH_OP op;
    memset(&op, 0, sizeof op);
    op.src.type = op.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    op.src.op.ptr.ptr = p;
    op.dst.op.ptr.ptr = (CUdeviceptr)(uintptr_t)to;
    op.extent = (CUextent3D){8, 4, 2};
    op.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    OK(cuMemcpy3DBatchAsync_13(1, &op, 0, s));
    OK(cuStreamSynchronize(s));
    CHECK(!memcmp(from, to, sizeof to));
    EXPECT(cuMemcpy3DBatchAsync_13(1, &op, 1, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyBatchAsync_13(&p, &src, &size, 0, &attributes, &first, 1, s),
           CUDA_ERROR_INVALID_VALUE);
}

static void words(void) {
    int value = -1;
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED, 0));
    CHECK(value == 1);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED,
                            0));
    CHECK(value == 0);
    const char *name;
    OK(cuGetErrorName(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, &name));
    CHECK(!strcmp(name, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"));
    CUdevResource resource;
    OK(cuDeviceGetDevResource(0, &resource, CU_DEV_RESOURCE_TYPE_SM));
    CHECK(resource.sm.minSmPartitionSize == 1 && resource.sm.smCoscheduledAlignment == 1);
}

int main(void) {
    CUcontext ctx = check_context();
    contexts(ctx);
    atomics();
    managed_batches();
    pools();
    copies();
    words();
    return check_result();
}
