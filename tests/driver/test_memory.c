// Device, host and managed memory, and what is known of pointers.
#include "check.h"

#include <sys/mman.h>

static void device_memory(void) {
    CUdeviceptr p = 0, base;
    size_t size, free1, total;
    OK(cuMemGetInfo(&free1, &total));
    CHECK(free1 > 0 && free1 <= total);
    OK(cuMemAlloc(&p, 1000));
    CHECK(p && p % 256 == 0);
    OK(cuMemGetAddressRange(&base, &size, p + 999));
    CHECK(base == p && size == 1000);
    OK(cuMemGetAddressRange(NULL, &size, p));
    EXPECT(cuMemGetAddressRange(&base, &size, 0x10), CUDA_ERROR_NOT_FOUND);
    EXPECT(cuMemFree(p + 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(p));
    EXPECT(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemGetAddressRange(&base, &size, p), CUDA_ERROR_NOT_FOUND);
    OK(cuMemFree(0));
    int local;
    EXPECT(cuMemFree((CUdeviceptr)(size_t)&local), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAlloc(NULL, 16), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAlloc(&p, (size_t)1 << 60), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT(cuMemAlloc(&p, (size_t)-1), CUDA_ERROR_OUT_OF_MEMORY);
}

static void pitched(void) {
    CUdeviceptr p;
    size_t pitch = 0;
    OK(cuMemAllocPitch(&p, &pitch, 100, 10, 4));
    CHECK(pitch >= 100 && pitch % 16 == 0);
    OK(cuMemFree(p));
    EXPECT(cuMemAllocPitch(&p, &pitch, 100, 10, 3), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAllocPitch(&p, &pitch, 0, 10, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAllocPitch(&p, NULL, 100, 10, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAllocPitch(&p, &pitch, (size_t)-1, 10, 4), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT(cuMemAllocPitch(&p, &pitch, (size_t)1 << 40, (size_t)1 << 40, 4),
           CUDA_ERROR_OUT_OF_MEMORY);
}

static void host_memory(void) {
    char *p = NULL;
    CUdeviceptr d;
    unsigned flags = 99;
    OK(cuMemHostAlloc((void **)&p, 5000, CU_MEMHOSTALLOC_PORTABLE));
    memset(p, 1, 5000);
    OK(cuMemHostGetDevicePointer(&d, p + 8, 0));
    CHECK(d == (CUdeviceptr)(size_t)(p + 8));
    EXPECT(cuMemHostGetDevicePointer(&d, p, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemHostGetFlags(&flags, p));
    CHECK(flags & CU_MEMHOSTALLOC_PORTABLE);
    EXPECT(cuMemHostGetFlags(&flags, &d), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemFree((CUdeviceptr)(size_t)p), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemFreeHost(p + 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFreeHost(p));
    EXPECT(cuMemFreeHost(p), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemFreeHost(NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemHostAlloc((void **)&p, 16, 0x40), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAllocHost((void **)&p, 16));
    OK(cuMemFreeHost(p));
}

static void registered(void) {
    char *p = malloc(10000);
    CUdeviceptr d;
    EXPECT(cuMemHostUnregister(p), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    EXPECT(cuMemHostGetDevicePointer(&d, p, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemHostRegister(p, 10000, CU_MEMHOSTREGISTER_DEVICEMAP));
    EXPECT(cuMemHostRegister(p + 100, 10, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    OK(cuMemHostGetDevicePointer(&d, p, 0));
    CHECK(d == (CUdeviceptr)(size_t)p);
    EXPECT(cuMemFreeHost(p), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemHostUnregister(p + 100), CUDA_ERROR_INVALID_VALUE); // registered, not its start
    OK(cuMemHostUnregister(p));
    EXPECT(cuMemHostUnregister(p), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    EXPECT(cuMemHostRegister(NULL, 10, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemHostRegister(p, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemHostRegister(p, 10, 0x100), CUDA_ERROR_INVALID_VALUE);
    // No memory is there, or not everywhere, or the range ends behind all addresses.
    char *hole = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(hole + 4096, 4096);
    EXPECT(cuMemHostRegister(hole + 4096, 10, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemHostRegister(hole, 3 * 4096, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemHostRegister(hole, ~(size_t)0, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemHostRegister(hole + 10, 4086, 0));
    OK(cuMemHostUnregister(hole + 10));
    munmap(hole, 4096);
    munmap(hole + 2 * 4096, 4096);
    free(p);
}

static int range_int(CUmem_range_attribute a, CUdeviceptr p, size_t n) {
    int v = -99;
    OK(cuMemRangeGetAttribute(&v, sizeof v, a, p, n));
    return v;
}

static void managed(void) {
    CUdeviceptr p, d;
    OK(cuMemAllocManaged(&p, 8192, CU_MEM_ATTACH_GLOBAL));
    int *host = (int *)(size_t)p;
    host[0] = 42;
    EXPECT(cuMemAllocManaged(&d, 16, CU_MEM_ATTACH_SINGLE), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAllocManaged(&d, 16, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK(range_int(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 8192) == 0);
    CHECK(range_int(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 8192) == CU_DEVICE_INVALID);
    OK(cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    CHECK(range_int(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 4096) == 1);
    CHECK(range_int(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 8192) == 0);
    CHECK(range_int(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + 4096, 4096) == 0);
    OK(cuMemAdvise(p, 8192, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
    CHECK(range_int(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 8192) == CU_DEVICE_CPU);
    OK(cuMemAdvise(p, 8192, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
    int by[3];
    OK(cuMemRangeGetAttribute(by, sizeof by, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, 8192));
    CHECK(by[0] == 0 && by[1] == CU_DEVICE_INVALID && by[2] == CU_DEVICE_INVALID);
    OK(cuMemPrefetchAsync(p, 8192, 0, 0));
    CHECK(range_int(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 8192) == 0);
    EXPECT(cuMemPrefetchAsync(p, 8192, 5, 0), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuMemPrefetchAsync(p, 8193, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPrefetchAsync(p, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAdvise(p, 8192, (CUmem_advise)77, 0), CUDA_ERROR_INVALID_VALUE);
    // The second forms name nodes of the host.
    CUmemLocation node = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0},
                  here = {CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0},
                  none = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 4711};
    OK(cuMemAdvise_v2(p, 8192, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, node));
    CHECK(range_int(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, p, 8192) ==
          CU_MEM_LOCATION_TYPE_HOST_NUMA);
    CHECK(range_int(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, p, 8192) == 0);
    OK(cuMemPrefetchAsync_v2(p, 8192, here, 0, 0));
    CHECK(range_int(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, p, 8192) ==
          CU_MEM_LOCATION_TYPE_HOST_NUMA);
    EXPECT(cuMemAdvise_v2(p, 8192, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, none),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPrefetchAsync_v2(p, 8192, none, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPrefetchAsync_v2(p, 8192, node, 1, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK(host[0] == 42);
    OK(cuMemFree(p));
    OK(cuMemAlloc(&d, 64));
    EXPECT(cuMemPrefetchAsync(d, 64, 0, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(d));
}

// What prefetches, advice, queries and attachments say of n bytes at p.
static void hints(CUresult expected, CUdeviceptr p, size_t n) {
    int value, device = -1;
    void *data[] = {&value};
    size_t sizes[] = {sizeof value};
    CUmem_range_attribute which[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    EXPECT(cuMemPrefetchAsync(p, n, 0, 0), expected);
    EXPECT(cuMemPrefetchAsync_v2(p, n, here, 0, 0), expected);
    EXPECT(cuMemAdvise(p, n, CU_MEM_ADVISE_SET_READ_MOSTLY, 0), expected);
    EXPECT(cuMemAdvise_v2(p, n, CU_MEM_ADVISE_SET_ACCESSED_BY, here), expected);
    EXPECT(cuMemRangeGetAttributes(data, sizes, which, 1, p, n), expected);
    EXPECT(cuMemRangeGetAttribute(&device, sizeof device,
                                  CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, n),
           expected);
    CHECK(expected ? device == -1 : device == 0);
}

// Memory of the system that is mapped is unified memory; nothing else is but managed memory.
static void hints_anywhere(void) {
    char *hole = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(hole != MAP_FAILED && munmap(hole + 4096, 4096) == 0);
    CUdeviceptr there = (CUdeviceptr)(size_t)hole, p, reserved;
    void *pinned;
    hints(CUDA_SUCCESS, there + 7, 4089);
    hints(CUDA_ERROR_INVALID_VALUE, there, 4097);
    hints(CUDA_ERROR_INVALID_VALUE, there, 3 * 4096);
    hints(CUDA_ERROR_INVALID_VALUE, there + 4096, 1);
    hints(CUDA_ERROR_INVALID_VALUE, there, ~(size_t)0);
    hints(CUDA_ERROR_INVALID_VALUE, 16, 16);
    OK(cuStreamAttachMemAsync(0, there, 4096, CU_MEM_ATTACH_GLOBAL));
    EXPECT(cuStreamAttachMemAsync(0, there + 4096, 4096, CU_MEM_ATTACH_GLOBAL),
           CUDA_ERROR_INVALID_VALUE);
    CHECK(munmap(hole, 4096) == 0 && munmap(hole + 2 * 4096, 4096) == 0);
    OK(cuMemHostAlloc(&pinned, 4096, 0));
    hints(CUDA_ERROR_INVALID_VALUE, (CUdeviceptr)(size_t)pinned, 4096);
    OK(cuMemFreeHost(pinned));
    OK(cuMemAllocManaged(&p, 1 << 20, CU_MEM_ATTACH_GLOBAL));
    hints(CUDA_SUCCESS, p, 1 << 20);
    OK(cuMemFree(p));
    hints(CUDA_ERROR_INVALID_VALUE, p, 1 << 20); // freed
    OK(cuMemAddressReserve(&reserved, 2 << 20, 0, 0, 0));
    hints(CUDA_ERROR_INVALID_VALUE, reserved, 4096);
    OK(cuMemAddressFree(reserved, 2 << 20));
}

static void pointers(CUcontext ctx) {
    CUdeviceptr d, start;
    void *h;
    CUcontext owner;
    CUmemorytype type;
    unsigned is_managed = 0xAAAAAAAA; // NVIDIA's driver writes all four bytes (H200)
    int ordinal;
    size_t size;
    OK(cuMemAlloc(&d, 512));
    OK(cuMemAllocHost(&h, 512));
    void *pinned = h;
    OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, d));
    CHECK(owner == ctx);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    CHECK(type == CU_MEMORYTYPE_DEVICE);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)h));
    CHECK(type == CU_MEMORYTYPE_HOST);
    OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, d));
    CHECK(is_managed == 0);
    OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, d + 100));
    OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, d + 100));
    CHECK(start == d && size == 512);
    EXPECT(cuPointerGetAttribute(&h, CU_POINTER_ATTRIBUTE_HOST_POINTER, d),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)&type),
        CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuPointerGetAttribute(&type, (CUpointer_attribute)99, d), CUDA_ERROR_INVALID_VALUE);
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_CONTEXT,
                                    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                    CU_POINTER_ATTRIBUTE_HOST_POINTER};
    void *host = (void *)1;
    void *data[] = {&owner, &ordinal, &host};
    OK(cuPointerGetAttributes(3, wanted, data, d));
    CHECK(owner == ctx && ordinal == 0 && host == NULL);
    OK(cuPointerGetAttributes(3, wanted, data, (CUdeviceptr)(size_t)&type));
    CHECK(owner == NULL && ordinal == CU_DEVICE_INVALID && host == NULL);
    EXPECT(cuPointerGetAttributes(0, wanted, data, d), CUDA_ERROR_INVALID_VALUE);
    int yes = 1;
    OK(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
    EXPECT(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_CONTEXT, d), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr managed;
    OK(cuMemAllocManaged(&managed, 16, CU_MEM_ATTACH_GLOBAL));
    unsigned set = 0xAAAAAAAA;
    OK(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, managed));
    OK(cuPointerGetAttribute(&set, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, managed));
    CHECK(set == 1);
    yes = 0;
    OK(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, managed));
    OK(cuPointerGetAttribute(&set, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, managed));
    CHECK(set == 0);
    OK(cuPointerGetAttribute(&set, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
    CHECK(set == 1);
    EXPECT(
        cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)(size_t)pinned),
        CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(managed));
    OK(cuMemFree(d));
    OK(cuMemFreeHost(pinned));
}

int main(void) {
    CUcontext ctx = check_context();
    device_memory();
    pitched();
    host_memory();
    registered();
    managed();
    hints_anywhere();
    pointers(ctx);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
