// Stream-ordered allocation: pools, their attributes, what is reused when, and pools between
// processes.
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "processes.h"

enum { MIB = 1 << 20 };

static unsigned long long attribute(CUmemoryPool pool, CUmemPool_attribute which) {
    unsigned long long n = 99;
    OK(cuMemPoolGetAttribute(pool, which, &n));
    return n;
}

static unsigned long long used(CUmemoryPool pool) {
    return attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
}

static unsigned long long reserved(CUmemoryPool pool) {
    return attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
}

static void set_reuse(CUmemoryPool pool, int events, int opportunistic, int internal) {
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &events));
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &opportunistic));
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &internal));
}

static CUmemPoolProps device_pool(void) {
    CUmemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return props;
}

// A host function that holds its stream up until `go`.
static atomic_int go, running;

static void CUDA_CB hold(void *arg) {
    (void)arg;
    running = 1;
    while (!go)
        nanosleep(&(struct timespec){0, 100000}, NULL);
}

static void block(CUstream s) {
    go = running = 0;
    OK(cuLaunchHostFunc(s, hold, NULL));
    while (!running)
        nanosleep(&(struct timespec){0, 100000}, NULL);
}

static void default_pool(CUstream s) {
    CUdeviceptr p, q;
    CUmemoryPool pool, same, of_pointer;
    unsigned char back[100];
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuDeviceGetMemPool(&same, 0));
    CHECK(pool == same);
    OK(cuMemAllocAsync(&p, 100, s));
    CHECK(p % 256 == 0);
    OK(cuMemsetD8Async(p, 6, 100, s));
    OK(cuMemcpyDtoHAsync(back, p, 100, s));
    OK(cuStreamSynchronize(s));
    CHECK(back[0] == 6 && back[99] == 6);
    CHECK(used(pool) == 100 && reserved(pool) >= 100);
    OK(cuPointerGetAttribute(&of_pointer, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p + 50));
    CHECK(of_pointer == pool);
    CUdeviceptr base;
    size_t size;
    OK(cuMemGetAddressRange(&base, &size, p + 99));
    CHECK(base == p && size == 100);
    OK(cuMemFreeAsync(p, s));
    OK(cuStreamSynchronize(s));
    CHECK(used(pool) == 0 && reserved(pool) == 0); // the threshold is 0
    EXPECT(cuMemFreeAsync(p, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemFreeAsync(0, s), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAllocFromPoolAsync(&p, 50, pool, s));
    EXPECT(cuMemFreeAsync(p + 1, s), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(p)); // the other way of freeing
    EXPECT(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    CHECK(used(pool) == 0);
    OK(cuMemAlloc(&q, 64));
    OK(cuMemFreeAsync(q, s));
    OK(cuStreamSynchronize(s));
    EXPECT(cuMemFree(q), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAllocAsync(NULL, 100, s), CUDA_ERROR_INVALID_VALUE);
    p = 1;
    OK(cuMemAllocAsync(&p, 0, s));
    CHECK(!p);
    CUgraph g;
    size_t nodes = 99;
    p = 1;
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemAllocAsync(&p, 0, s));
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphGetNodes(g, NULL, &nodes));
    CHECK(!p && nodes == 0);
    OK(cuGraphDestroy(g));
    EXPECT(cuMemAllocAsync(&p, (size_t)1 << 60, s), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT(cuMemAllocAsync(&p, 100, (CUstream)0x4321), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuMemAllocFromPoolAsync(&p, 100, NULL, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceSetMemPool(0, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceSetMemPool(99, pool), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuDeviceGetMemPool(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetDefaultMemPool(&pool, 99), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuMemPoolTrimTo(NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

static void attributes(CUstream s) {
    CUmemPoolProps props = device_pool();
    CUmemoryPool pool;
    CUdeviceptr a, b;
    unsigned long long n = 64 * MIB;
    int flag = 9;
    NEED(cuMemPoolCreate(&pool, &props));
    for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;
         i <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES; i++) {
        OK(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)i, &flag));
        CHECK(flag == 1);
        flag = 0;
        OK(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)i, &flag));
        flag = 9;
        OK(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)i, &flag));
        CHECK(flag == 0);
    }
    CHECK(attribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) == 0);
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &n));
    CHECK(attribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) == n);
    OK(cuMemAllocFromPoolAsync(&a, 6 * MIB, pool, s));
    OK(cuMemAllocFromPoolAsync(&b, 3 * MIB, pool, s));
    CHECK(used(pool) == 9 * MIB && reserved(pool) == 10 * MIB);
    OK(cuMemFreeAsync(a, s));
    OK(cuMemFreeAsync(b, s));
    OK(cuStreamSynchronize(s));
    CHECK(used(pool) == 0 && reserved(pool) == 10 * MIB); // below the threshold: kept
    CHECK(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 9 * MIB);
    CHECK(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) == 10 * MIB);
    OK(cuMemPoolTrimTo(pool, 5 * MIB)); // at least 5 MiB stay
    CHECK(reserved(pool) == 6 * MIB);
    EXPECT(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &n),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &n),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)77, &n), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)77, &n), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, NULL),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolGetAttribute(NULL, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &n),
           CUDA_ERROR_INVALID_VALUE);
    n = 0;
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &n));
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &n));
    CHECK(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 0);
    CHECK(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) == 6 * MIB);
    OK(cuMemPoolTrimTo(pool, 0));
    CHECK(reserved(pool) == 0);
    OK(cuMemPoolDestroy(pool));
    EXPECT(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAllocFromPoolAsync(&a, 16, pool, s), CUDA_ERROR_INVALID_VALUE);
}

static void creation(CUstream s) {
    CUmemPoolProps props = device_pool();
    CUmemoryPool pool, current;
    CUdeviceptr p, q;
    EXPECT(cuMemPoolCreate(NULL, &props), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolCreate(&pool, NULL), CUDA_ERROR_INVALID_VALUE);
    props.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
    EXPECT(cuMemPoolCreate(&pool, &props), CUDA_ERROR_INVALID_VALUE);
    props = device_pool();
    props.location.id = 99;
    EXPECT(cuMemPoolCreate(&pool, &props), CUDA_ERROR_INVALID_DEVICE);
    props = device_pool();
    props.handleTypes = CU_MEM_HANDLE_TYPE_WIN32;
    EXPECT(cuMemPoolCreate(&pool, &props), CUDA_ERROR_NOT_SUPPORTED);
    props = device_pool();
    props.maxSize = 4 * MIB;
    NEED(cuMemPoolCreate(&pool, &props));
    OK(cuMemAllocFromPoolAsync(&p, 3 * MIB, pool, s));
    EXPECT(cuMemAllocFromPoolAsync(&q, 3 * MIB, pool, s), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemFreeAsync(p, s));
    OK(cuMemAllocFromPoolAsync(&q, 3 * MIB, pool, s));
    CHECK(p == q);
    // It is the device's pool until it is destroyed; its memory lives until it is freed.
    OK(cuDeviceSetMemPool(0, pool));
    OK(cuDeviceGetMemPool(&current, 0));
    CHECK(current == pool);
    OK(cuMemPoolDestroy(pool));
    OK(cuDeviceGetMemPool(&current, 0));
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    CHECK(current == pool);
    OK(cuMemsetD8Async(q, 1, 3 * MIB, s));
    OK(cuMemFreeAsync(q, s));
    OK(cuStreamSynchronize(s));
    EXPECT(cuMemsetD8(q, 1, 16), CUDA_ERROR_INVALID_VALUE);
    // On a node of the host.
    props = device_pool();
    props.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
    NEED(cuMemPoolCreate(&pool, &props));
    OK(cuMemAllocFromPoolAsync(&p, 1000, pool, s));
    OK(cuStreamSynchronize(s));
    memset((void *)p, 5, 1000);
    OK(cuMemFreeAsync(p, s));
    OK(cuDeviceSetMemPool(0, pool)); // as in 26.2.2.2
    OK(cuDeviceGetMemPool(&current, 0));
    CHECK(current == pool);
    OK(cuMemAllocAsync(&p, 1000, s));
    OK(cuStreamSynchronize(s));
    memset((void *)p, 6, 1000);
    OK(cuMemFreeAsync(p, s));
    OK(cuMemPoolDestroy(pool));
    OK(cuDeviceGetMemPool(&current, 0));
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    CHECK(current == pool);
    props.location.id = 4711;
    EXPECT(cuMemPoolCreate(&pool, &props), CUDA_ERROR_INVALID_VALUE);
}

// Which memory an allocation gets while the stream of its freeing is held up.
static void reuse(CUstream a, CUstream b) {
    CUmemPoolProps props = device_pool();
    CUmemoryPool pool;
    CUdeviceptr p, q, r;
    CUevent e;
    unsigned long long all = ~0ull;
    props.maxSize = 4 * MIB;
    NEED(cuMemPoolCreate(&pool, &props));
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
    NEED(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));

    // The same stream has it at once, another one not.
    set_reuse(pool, 0, 0, 0);
    OK(cuMemAllocFromPoolAsync(&p, 2 * MIB, pool, a));
    block(a);
    OK(cuMemFreeAsync(p, a));
    OK(cuMemAllocFromPoolAsync(&q, 2 * MIB, pool, b));
    CHECK(q != p);
    OK(cuMemAllocFromPoolAsync(&r, 2 * MIB, pool, a));
    CHECK(r == p);
    EXPECT(cuMemAllocFromPoolAsync(&p, 2 * MIB, pool, b), CUDA_ERROR_OUT_OF_MEMORY);
    go = 1;
    OK(cuMemFree(q));
    OK(cuMemFree(r));

    // That the stream had nothing to do when it freed does not count, a wait of the host does.
    OK(cuStreamSynchronize(a));
    OK(cuStreamSynchronize(b));
    OK(cuMemAllocFromPoolAsync(&p, 2 * MIB, pool, a));
    OK(cuStreamSynchronize(a));
    OK(cuMemFreeAsync(p, a));
    OK(cuMemAllocFromPoolAsync(&q, 2 * MIB, pool, b));
    CHECK(q != p);
    OK(cuStreamSynchronize(a));
    OK(cuMemAllocFromPoolAsync(&r, 2 * MIB, pool, b));
    CHECK(r == p);
    OK(cuMemFree(q));
    OK(cuMemFree(r));

    // Another stream that has waited for an event behind the freeing.
    set_reuse(pool, 1, 0, 0);
    OK(cuMemAllocFromPoolAsync(&p, 3 * MIB, pool, a));
    block(a);
    OK(cuEventRecord(e, a)); // before it: of no use
    OK(cuStreamWaitEvent(b, e, 0));
    OK(cuMemFreeAsync(p, a));
    EXPECT(cuMemAllocFromPoolAsync(&q, 3 * MIB, pool, b), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuEventRecord(e, a));
    OK(cuStreamWaitEvent(b, e, 0));
    OK(cuMemAllocFromPoolAsync(&q, 3 * MIB, pool, b));
    CHECK(p == q);
    go = 1;
    OK(cuMemFree(q));

    // Opportunistic: when the stream happens to have come there.
    set_reuse(pool, 0, 1, 0);
    OK(cuMemAllocFromPoolAsync(&p, 3 * MIB, pool, a));
    block(a);
    OK(cuMemFreeAsync(p, a));
    EXPECT(cuMemAllocFromPoolAsync(&q, 3 * MIB, pool, b), CUDA_ERROR_OUT_OF_MEMORY);
    go = 1;
    while (cuStreamQuery(a) == CUDA_ERROR_NOT_READY)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    OK(cuMemAllocFromPoolAsync(&q, 3 * MIB, pool, b));
    CHECK(p == q);
    OK(cuMemFree(q));

    // With a dependency that the allocation adds.
    set_reuse(pool, 0, 0, 1);
    OK(cuMemAllocFromPoolAsync(&p, 3 * MIB, pool, a));
    block(a);
    OK(cuMemFreeAsync(p, a));
    OK(cuMemAllocFromPoolAsync(&q, 3 * MIB, pool, b));
    CHECK(p == q);
    EXPECT(cuStreamQuery(b), CUDA_ERROR_NOT_READY);
    go = 1;
    OK(cuStreamSynchronize(b));
    OK(cuMemFreeAsync(q, b));
    OK(cuStreamSynchronize(b));
    OK(cuMemPoolDestroy(pool));
    OK(cuEventDestroy(e));
}

// Memory that is freed in a held-up stream is not given to anybody, nor given back.
static void frees_wait(CUstream a) {
    CUmemPoolProps props = device_pool();
    CUmemoryPool pool;
    CUdeviceptr p;
    static unsigned char back[MIB];
    NEED(cuMemPoolCreate(&pool, &props));
    OK(cuMemAllocFromPoolAsync(&p, MIB, pool, a));
    block(a);
    OK(cuMemsetD8Async(p, 3, MIB, a));
    OK(cuMemcpyDtoHAsync((void *)p, p, 0, a));
    OK(cuMemFreeAsync(p, a));
    OK(cuMemPoolTrimTo(pool, 0));
    CHECK(reserved(pool) == 2 * MIB);
    OK(cuMemPoolDestroy(pool)); // with a freeing that has not come yet
    go = 1;
    OK(cuStreamSynchronize(a));
    OK(cuCtxSynchronize());
    (void)back;
}

static void access_rights(void) {
    CUmemPoolProps props = device_pool();
    CUmemoryPool pool;
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    CUmemAccessDesc desc = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    NEED(cuMemPoolCreate(&pool, &props));
    OK(cuMemPoolGetAccess(&flags, pool, &here));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(cuMemPoolSetAccess(pool, &desc, 1));
    desc.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    EXPECT(cuMemPoolSetAccess(pool, &desc, 1), CUDA_ERROR_INVALID_DEVICE);
    desc.flags = CU_MEM_ACCESS_FLAGS_PROT_READ; // these as an H200
    EXPECT(cuMemPoolSetAccess(pool, &desc, 1), CUDA_ERROR_NOT_SUPPORTED);
    CUmemAccessDesc of_host = {host, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    EXPECT(cuMemPoolSetAccess(pool, &of_host, 1), CUDA_ERROR_NOT_SUPPORTED);
    desc.location.id = 77;
    EXPECT(cuMemPoolSetAccess(pool, &desc, 1), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuMemPoolSetAccess(pool, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemPoolGetAccess(&flags, pool, &host));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    host.type = CU_MEM_LOCATION_TYPE_INVALID;
    EXPECT(cuMemPoolGetAccess(&flags, pool, &host), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolGetAccess(&flags, pool, &desc.location), CUDA_ERROR_INVALID_VALUE); // device 77
    EXPECT(cuMemPoolGetAccess(NULL, pool, &here), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemPoolDestroy(pool));
    EXPECT(cuMemPoolGetAccess(&flags, pool, &here), CUDA_ERROR_INVALID_VALUE);
}

// ---- Many blocks, many threads --------------------------------------------------------------

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// Each block is filled with its own number when it is allocated and must hold it when it is freed.
static void *churn(void *arg) {
    enum { SLOTS = 32, ROUNDS = 4000 };
    uint32_t random = (uint32_t)(size_t)arg, values[SLOTS];
    CUdeviceptr held[SLOTS] = {0};
    size_t words[SLOTS];
    CUcontext ctx;
    CUstream s;
    OK(cuDevicePrimaryCtxRetain(&ctx, 0));
    OK(cuCtxSetCurrent(ctx));
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < ROUNDS; i++) {
        unsigned k = next_random(&random) % SLOTS;
        if (!held[k]) {
            words[k] = 1 + next_random(&random) % (next_random(&random) % 8 ? 3000 : 300000);
            values[k] = next_random(&random);
            OK(cuMemAllocAsync(&held[k], words[k] * 4, s));
            OK(cuMemsetD32Async(held[k], values[k], words[k], s));
            continue;
        }
        uint32_t first = 0, last = 0;
        OK(cuMemcpyDtoHAsync(&first, held[k], 4, s));
        OK(cuMemcpyDtoHAsync(&last, held[k] + (words[k] - 1) * 4, 4, s));
        OK(cuMemFreeAsync(held[k], s));
        held[k] = 0;
        if (i % 16 == 0)
            OK(cuStreamSynchronize(s));
        CHECK(first == values[k] && last == values[k]);
    }
    for (int k = 0; k < SLOTS; k++)
        if (held[k])
            OK(cuMemFreeAsync(held[k], s));
    OK(cuStreamSynchronize(s));
    OK(cuStreamDestroy(s));
    OK(cuDevicePrimaryCtxRelease(0));
    return NULL;
}

static void threads(void) {
    pthread_t t[3];
    CUmemoryPool pool;
    for (size_t i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, churn, (void *)(i + 1)))
            exit(1);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    CHECK(used(pool) == 0);
    OK(cuMemPoolTrimTo(pool, 0));
    CHECK(reserved(pool) == 0);
}

// ---- Two processes --------------------------------------------------------------------------

// What one process tells the other.
struct told {
    CUmemPoolPtrExportData data;
    CUmemFabricHandle fabric;
};

// The same pool by its handle: what one import reads the other has written.
static void import_by_handle(const struct told *t, CUdeviceptr p) {
    CUmemFabricHandle bad;
    CUmemPoolPtrExportData data = t->data;
    CUmemoryPool pool, none;
    CUdeviceptr q;
    unsigned char c = 0;
    EXPECT(cuMemPoolImportFromShareableHandle(&none, NULL, CU_MEM_HANDLE_TYPE_FABRIC, 0),
           CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < 48; i++) {
        bad = t->fabric;
        bad.data[i] ^= 0x11;
        EXPECT(cuMemPoolImportFromShareableHandle(&none, &bad, CU_MEM_HANDLE_TYPE_FABRIC, 0),
               CUDA_ERROR_INVALID_VALUE);
    }
    CUmemGenericAllocationHandle memory; // a pool is no allocation
    bad = t->fabric;
    EXPECT(cuMemImportFromShareableHandle(&memory, &bad, CU_MEM_HANDLE_TYPE_FABRIC),
           CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemPoolImportFromShareableHandle(&pool, &bad, CU_MEM_HANDLE_TYPE_FABRIC, 0));
    NEED(cuMemPoolImportPointer(&q, pool, &data));
    OK(cuMemsetD8(p + 100, 9, 1));
    OK(cuMemcpyDtoH(&c, q + 100, 1));
    CHECK(c == 9 && p != q);
    OK(cuMemFree(q));
    OK(cuMemPoolDestroy(pool));
}

static int importer(int from) {
    struct told told;
    CUmemPoolPtrExportData data, bad;
    CUmemoryPool pool, none;
    CUdeviceptr p, q;
    unsigned char back[5000];
    CUcontext ctx = check_context();
    int fd = receive_message(from, &told, sizeof told);
    data = told.data;
    EXPECT(cuMemPoolImportFromShareableHandle(&pool, (void *)(size_t)from,
                                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(
        cuMemPoolImportFromShareableHandle(&pool, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_WIN32, 0),
        CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemPoolImportFromShareableHandle(&pool, (void *)(size_t)fd,
                                            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    int other = foreign_file(1 << 21);
    EXPECT(cuMemPoolImportFromShareableHandle(&none, (void *)(size_t)other,
                                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
           CUDA_ERROR_INVALID_VALUE);
    CUmemGenericAllocationHandle memory; // a pool is no allocation
    EXPECT(cuMemImportFromShareableHandle(&memory, (void *)(size_t)fd,
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
           CUDA_ERROR_INVALID_VALUE);
    close(other);
    close(fd);
    for (size_t i = 0; i < 40; i++) { // another place, size, pool
        bad = data;
        bad.reserved[i] ^= 0x40;
        EXPECT(cuMemPoolImportPointer(&p, pool, &bad), CUDA_ERROR_INVALID_VALUE);
    }
    // Without a context, as on an H200: the memory is the pool's.
    CUcontext current = ctx;
    NEED(cuCtxSetCurrent(NULL));
    NEED(cuMemPoolImportPointer(&p, pool, &data));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == NULL);
    OK(cuPointerGetAttribute(&current, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    CHECK(current == NULL);
    EXPECT(cuMemFreeAsync(p, 0), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuMemFree(p));
    EXPECT(cuMemFree(p), CUDA_ERROR_INVALID_CONTEXT); // nothing is known of it any more
    OK(cuCtxSetCurrent(ctx));
    EXPECT(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemPoolImportPointer(&p, pool, &data));
    OK(cuMemcpyDtoH(back, p, sizeof back));
    CHECK(back[0] == 7 && back[4999] == 7);
    import_by_handle(&told, p);
    OK(cuMemsetD8(p, 8, 5000));
    EXPECT(cuMemAllocFromPoolAsync(&q, 100, pool, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceSetMemPool(0, pool), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
           CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFreeAsync(p, 0));
    OK(cuStreamSynchronize(0));
    EXPECT(cuMemsetD8(p, 8, 5000), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemPoolDestroy(pool));
    OK(cuCtxDestroy(ctx));
    tell(from);
    return check_result();
}

static void exporter(int to, pid_t importer_pid) {
    CUmemPoolProps props = device_pool();
    CUmemPoolPtrExportData data;
    struct told told;
    CUmemoryPool pool, plain;
    CUdeviceptr before, p, in_plain;
    unsigned char back[5000];
    int fd = -1;
    NEED(cuMemPoolCreate(&plain, &props));
    props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC;
    NEED(cuMemPoolCreate(&pool, &props));
    OK(cuMemAllocFromPoolAsync(&in_plain, 100, plain, 0));
    OK(cuMemAllocFromPoolAsync(&before, 100, pool, 0));
    OK(cuMemAllocFromPoolAsync(&p, 5000, pool, 0));
    OK(cuMemsetD8(p, 7, 5000));
    OK(cuCtxSynchronize());
    EXPECT(
        cuMemPoolExportToShareableHandle(&fd, plain, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_NONE, 0),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolExportPointer(&data, in_plain), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolExportPointer(&data, p + 512), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemPoolExportPointer(NULL, p), CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    NEED(cuMemPoolExportPointer(&data, p));
    EXPECT(cuMemPoolImportPointer(&before, pool, &data), CUDA_ERROR_INVALID_VALUE);
    told.data = data;
    NEED(cuMemPoolExportToShareableHandle(&told.fabric, pool, CU_MEM_HANDLE_TYPE_FABRIC, 0));
    EXPECT(cuMemPoolExportToShareableHandle(&told.fabric, plain, CU_MEM_HANDLE_TYPE_FABRIC, 0),
           CUDA_ERROR_INVALID_VALUE);
    send_message(to, &told, sizeof told, fd);
    close(fd);
    await(to);
    CHECK(end_of_process(importer_pid) == 0);
    OK(cuMemcpyDtoH(back, p, sizeof back));
    CHECK(back[0] == 8 && back[4999] == 8);
    OK(cuMemFreeAsync(p, 0));
    OK(cuMemFreeAsync(before, 0));
    OK(cuMemFreeAsync(in_plain, 0));
    OK(cuMemPoolDestroy(pool));
    OK(cuMemPoolDestroy(plain));
}

// ---- Speed ----------------------------------------------------------------------------------

// Printed, not judged: other programs share the machine.
static void speed(CUstream s) {
    enum { PAIRS = 200000 };
    struct timespec from, to;
    CUdeviceptr p, keep;
    OK(cuMemAllocAsync(&keep, 64, s));
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < PAIRS; i++) {
        cuMemAllocAsync(&p, 4096, s);
        cuMemFreeAsync(p, s);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    double ns =
        ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / PAIRS;
    printf("cuMemAllocAsync and cuMemFreeAsync: %.0f ns a pair\n", ns);
    OK(cuMemFreeAsync(keep, s));
    OK(cuStreamSynchronize(s));
}

int main(void) {
    pid_t pid;
    int to = start_process(importer, &pid);
    CUcontext ctx = check_context();
    CUstream a, b;
    NEED(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    default_pool(a);
    attributes(a);
    creation(a);
    reuse(a, b);
    frees_wait(a);
    access_rights();
    exporter(to, pid);
    speed(a);
    threads();
    OK(cuCtxDestroy(ctx));
    return check_result();
}
