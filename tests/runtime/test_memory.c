// Allocation: linear, pitched, page-locked, registered, managed, stream-ordered; pointer queries.
#include <stdint.h>

#include "check.h"

static void linear(void) {
    void *p, *q, *nothing = &p;
    size_t free_before, free_after, total;
    CHECK_OK(cudaMemGetInfo(&free_before, &total));
    CHECK(free_before <= total && total > 0);
    CHECK_OK(cudaMalloc(&p, 100));
    CHECK_OK(cudaMalloc(&q, 8 << 20));
    CHECK((uintptr_t)p % 256 == 0 && (uintptr_t)q % 256 == 0 && p != q);
    CHECK_OK(cudaMemGetInfo(&free_after, NULL));
    CHECK(free_after < free_before);
    CHECK_OK(cudaMalloc(&nothing, 0));
    CHECK(nothing == NULL);
    CHECK_OK(cudaFree(NULL));
    CHECK_OK(cudaFree(p));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree(p));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree((char *)q + 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree(&p));
    CHECK_OK(cudaFree(q));
    CHECK_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&p, (size_t)1 << 60));
    CHECK(p == NULL);
    CHECK_ERROR(cudaErrorInvalidValue, cudaMalloc(NULL, 1));
    CHECK_OK(cudaMemGetInfo(&free_after, NULL));
    CHECK(free_after == free_before);
}

static void pitched(void) {
    void *p;
    size_t pitch;
    struct cudaPitchedPtr box;
    CHECK_OK(cudaMallocPitch(&p, &pitch, 100, 7));
    CHECK(p && pitch >= 100 && pitch % 32 == 0);
    CHECK_OK(cudaFree(p));
    CHECK_OK(cudaMallocPitch(&p, &pitch, 0, 7));
    CHECK(p == NULL);
    CHECK_OK(cudaMalloc3D(&box, (struct cudaExtent){100, 5, 3}));
    CHECK(box.ptr && box.pitch >= 100 && box.xsize == 100 && box.ysize == 5);
    CHECK_OK(cudaFree(box.ptr));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMallocPitch(NULL, &pitch, 4, 4));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMalloc3D(NULL, (struct cudaExtent){1, 1, 1}));
    CHECK_ERROR(cudaErrorMemoryAllocation,
                cudaMalloc3D(&box, (struct cudaExtent){8, (size_t)1 << 40, (size_t)1 << 40}));
}

static void host(void) {
    void *p, *device, *registered = aligned_alloc(4096, 8192);
    unsigned int flags;
    struct cudaPointerAttributes a;
    CHECK_OK(cudaHostAlloc(&p, 1000, cudaHostAllocMapped | cudaHostAllocWriteCombined));
    memset(p, 1, 1000);
    CHECK_OK(cudaHostGetDevicePointer(&device, p, 0));
    CHECK(device == p);
    CHECK_OK(cudaHostGetFlags(&flags, p));
    CHECK((flags & cudaHostAllocMapped) != 0);
    CHECK_OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == p && a.devicePointer == p);
    CHECK_OK(cudaFreeHost(p));
    CHECK_OK(cudaFreeHost(NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaHostAlloc(&p, 10, 0x40));
    CHECK_ERROR(cudaErrorInvalidValue, cudaHostAlloc(NULL, 10, 0));
    CHECK_OK(cudaMallocHost(&p, 0));
    CHECK(p == NULL);
    CHECK_OK(cudaMallocHost(&p, 64));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree(p));
    CHECK_OK(cudaFreeHost(p));
    CHECK_ERROR(cudaErrorInvalidValue, cudaHostGetDevicePointer(&device, p, 1));

    CHECK_OK(cudaHostRegister(registered, 8192, cudaHostRegisterDefault));
    CHECK_ERROR(cudaErrorHostMemoryAlreadyRegistered,
                cudaHostRegister(registered, 8192, cudaHostRegisterDefault));
    CHECK_OK(cudaPointerGetAttributes(&a, (char *)registered + 5000));
    CHECK(a.type == cudaMemoryTypeHost);
    CHECK_OK(cudaHostUnregister(registered));
    CHECK_ERROR(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(registered));
    CHECK_ERROR(cudaErrorInvalidValue, cudaHostRegister(NULL, 10, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaHostRegister(registered, 10, 0x100));
    free(registered);
}

static void managed(void) {
    int *p, mostly = 0;
    struct cudaPointerAttributes a;
    CHECK_OK(cudaMallocManaged((void **)&p, 4096, cudaMemAttachGlobal));
    p[3] = 4;
    CHECK_OK(cudaMemAdvise(p, 4096, cudaMemAdviseSetReadMostly, 0));
    CHECK_OK(cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, p, 4096));
    CHECK(mostly == 1);
    int accessed[2] = {77, 77};
    void *data[2] = {&mostly, accessed};
    size_t sizes[2] = {sizeof mostly, sizeof accessed};
    enum cudaMemRangeAttribute asked[2] = {cudaMemRangeAttributeReadMostly,
                                           cudaMemRangeAttributeAccessedBy};
    mostly = 0;
    CHECK_OK(cudaMemAdvise(p, 4096, cudaMemAdviseSetAccessedBy, 0));
    CHECK_OK(cudaMemRangeGetAttributes(data, sizes, asked, 2, p, 4096));
    CHECK(mostly == 1 && accessed[0] == 0 && accessed[1] == cudaInvalidDeviceId);
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemRangeGetAttributes(data, sizes, asked, 0, p, 4096));
    sizes[0] = 3;
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemRangeGetAttributes(data, sizes, asked, 2, p, 4096));
    CHECK_OK(cudaMemPrefetchAsync(p, 4096, 0, 0));
    CHECK_OK(cudaMemPrefetchAsync_v2(p, 4096, (struct cudaMemLocation){cudaMemLocationTypeHost, 0},
                                     0, 0));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemPrefetchAsync_v2(p, 4096, (struct cudaMemLocation){77, 0}, 0, 0));
    CHECK_OK(cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachHost));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == cudaMemoryTypeManaged && a.hostPointer == p && a.devicePointer == p);
    CHECK(p[3] == 4);
    CHECK_OK(cudaFree(p));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMallocManaged((void **)&p, 0, cudaMemAttachGlobal));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMallocManaged((void **)&p, 16, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMallocManaged(NULL, 16, cudaMemAttachGlobal));
}

static void pointers(void) {
    int local;
    char *p;
    struct cudaPointerAttributes a;
    NEED(cudaMalloc((void **)&p, 1000));
    CHECK_OK(cudaPointerGetAttributes(&a, p + 999));
    CHECK(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == p + 999);
    CHECK_OK(cudaPointerGetAttributes(&a, &local));
    CHECK(a.type == cudaMemoryTypeUnregistered && a.devicePointer == NULL);
    CHECK(a.hostPointer == &local && a.device == cudaInvalidDeviceId);
    CHECK_OK(cudaPointerGetAttributes(&a, NULL));
    CHECK(a.type == cudaMemoryTypeUnregistered);
    CHECK_ERROR(cudaErrorInvalidValue, cudaPointerGetAttributes(NULL, p));
    CHECK_OK(cudaFree(p));
}

static void stream_ordered(void) {
    cudaStream_t stream;
    cudaMemPool_t pool, same;
    unsigned long long threshold = 1 << 20, read = 0;
    int *p, value = 0;
    NEED(cudaStreamCreate(&stream));
    CHECK_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK_OK(cudaDeviceGetMemPool(&same, 0));
    CHECK(pool && pool == same);
    CHECK_OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
    CHECK(read == threshold);
    CHECK_OK(cudaMallocAsync((void **)&p, 4000, stream));
    CHECK_OK(cudaMemsetAsync(p, 0x11, 4000, stream));
    CHECK_OK(cudaMemcpyAsync(&value, p + 999, 4, cudaMemcpyDeviceToHost, stream));
    CHECK_OK(cudaFreeAsync(p, stream));
    CHECK_OK(cudaStreamSynchronize(stream));
    CHECK(value == 0x11111111);
    CHECK_OK(cudaMallocFromPoolAsync((void **)&p, 16, pool, stream));
    CHECK_OK(cudaStreamSynchronize(stream));
    CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &read));
    CHECK(read >= 16);
    CHECK_OK(cudaFree(p)); // also allowed
    CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &read));
    CHECK(read >= 4000);
    CHECK_OK(cudaMemPoolTrimTo(pool, 0));
    CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &read));
    CHECK(read == 0);
    read = 0;
    CHECK_OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &read));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &read));
    CHECK_OK(cudaFreeAsync(NULL, stream));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMallocAsync(NULL, 4, stream));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemPoolGetAttribute(NULL, 1, &read));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceGetMemPool(&pool, 99));
    CHECK_OK(cudaStreamDestroy(stream));
}

int main(void) {
    linear();
    pitched();
    host();
    managed();
    pointers();
    stream_ordered();
    return finish();
}
