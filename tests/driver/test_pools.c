// Stream-ordered allocation.
#include "check.h"

static unsigned long long used(CUmemoryPool pool) {
    unsigned long long n = 99;
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &n));
    return n;
}

int main(void) {
    CUcontext ctx = check_context();
    CUstream s;
    CUdeviceptr p, q;
    CUmemoryPool pool, same, of_pointer;
    unsigned char back[100];
    NEED(cuStreamCreate(&s, 0));
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuDeviceGetMemPool(&same, 0));
    CHECK(pool == same);
    OK(cuMemAllocAsync(&p, 100, s));
    OK(cuMemsetD8Async(p, 6, 100, s));
    OK(cuMemcpyDtoHAsync(back, p, 100, s));
    OK(cuStreamSynchronize(s));
    CHECK(back[0] == 6 && back[99] == 6);
    CHECK(used(pool) == 100);
    OK(cuPointerGetAttribute(&of_pointer, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
    CHECK(of_pointer == pool);
    OK(cuMemFreeAsync(p, s));
    OK(cuStreamSynchronize(s));
    CHECK(used(pool) == 0);
    EXPECT(cuMemFreeAsync(p, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemFreeAsync(0, s), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAllocFromPoolAsync(&p, 50, pool, s));
    OK(cuMemFree(p)); // the other way of freeing
    CHECK(used(pool) == 0);
    OK(cuMemAlloc(&q, 64));
    OK(cuMemFreeAsync(q, s));
    OK(cuStreamSynchronize(s));
    EXPECT(cuMemFree(q), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAllocAsync(NULL, 100, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAllocAsync(&p, 0, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAllocAsync(&p, 100, (CUstream)0x4321), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuMemAllocFromPoolAsync(&p, 100, NULL, s), CUDA_ERROR_INVALID_VALUE);
    unsigned long long threshold = 1 << 20, read = 0, high = 0;
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &read));
    CHECK(read == threshold);
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
    CHECK(high == 100);
    EXPECT(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high),
           CUDA_ERROR_INVALID_VALUE);
    high = 0;
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
    EXPECT(cuMemPoolGetAttribute(NULL, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &read),
           CUDA_ERROR_INVALID_VALUE);
    OK(cuMemPoolTrimTo(pool, 0));
    OK(cuDeviceSetMemPool(0, pool));
    EXPECT(cuDeviceSetMemPool(0, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
