// External memory and semaphores through file descriptors.
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static void copy_level(CUmipmappedArray mipmap, unsigned level, float *host, bool out, size_t width,
                       size_t height) {
    CUarray a;
    OK(cuMipmappedArrayGetLevel(&a, mipmap, level));
    CUDA_MEMCPY2D c = {.WidthInBytes = width * sizeof *host, .Height = height};
    CUmemorytype array = CU_MEMORYTYPE_ARRAY, memory = CU_MEMORYTYPE_HOST;
    c.srcMemoryType = out ? array : memory;
    c.dstMemoryType = out ? memory : array;
    c.srcArray = c.dstArray = a;
    c.srcHost = c.dstHost = host;
    c.srcPitch = c.dstPitch = c.WidthInBytes;
    OK(cuMemcpy2D(&c));
}

// Mipmapped arrays over external memory: what is in the memory is in the array, and the reverse.
static void images(CUexternalMemory m, unsigned char *here) {
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC desc = {
        .offset = 8192,
        .arrayDesc = {.Width = 8,
                      .Height = 4,
                      .Format = CU_AD_FORMAT_FLOAT,
                      .NumChannels = 1,
                      .Flags = CUDA_ARRAY3D_COLOR_ATTACHMENT},
        .numLevels = 3};
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC bad;
    CUmipmappedArray mipmap;
    float out[8], *first = (float *)(here + 8192), *second = (float *)(here + 8192 + 512);
    EXPECT(cuExternalMemoryGetMappedMipmappedArray(NULL, m, &desc), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuExternalMemoryGetMappedMipmappedArray(&mipmap, m, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuExternalMemoryGetMappedMipmappedArray(&mipmap, NULL, &desc),
           CUDA_ERROR_INVALID_HANDLE);
    bad = desc, bad.numLevels = 0;
    EXPECT(cuExternalMemoryGetMappedMipmappedArray(&mipmap, m, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = desc, bad.numLevels = 5; // 8, 4, 2, 1
    EXPECT(cuExternalMemoryGetMappedMipmappedArray(&mipmap, m, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = desc, bad.offset = 4 * MIB - 512;
    EXPECT(cuExternalMemoryGetMappedMipmappedArray(&mipmap, m, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = desc, bad.offset = ~0ull - 3;
    EXPECT(cuExternalMemoryGetMappedMipmappedArray(&mipmap, m, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = desc, bad.offset = 3;
    EXPECT(cuExternalMemoryGetMappedMipmappedArray(&mipmap, m, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = desc, bad.arrayDesc.NumChannels = 3;
    EXPECT(cuExternalMemoryGetMappedMipmappedArray(&mipmap, m, &bad), CUDA_ERROR_INVALID_VALUE);
    NEED(cuExternalMemoryGetMappedMipmappedArray(&mipmap, m, &desc));
    for (int i = 0; i < 8; i++)
        second[i] = (float)i;
    copy_level(mipmap, 1, out, true, 4, 2);
    CHECK(!memcmp(out, second, sizeof out));
    copy_level(mipmap, 0, out, false, 8, 1);
    CHECK(!memcmp(out, first, sizeof out) && first[8] == 0);
    OK(cuMipmappedArrayDestroy(mipmap));
    EXPECT(cuMipmappedArrayDestroy(mipmap), CUDA_ERROR_INVALID_HANDLE);
    CHECK(second[7] == 7);
}

static void memory(void) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                                             .size = 4 * MIB};
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part = {.offset = 1000, .size = 5000};
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemGenericAllocationHandle h;
    CUexternalMemory m, none;
    CUdeviceptr p, base;
    size_t size;
    NEED(cuMemCreate(&h, 4 * MIB, &prop, 0));
    int fd = -1;
    NEED(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    unsigned char *here = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    desc.handle.fd = 9999;
    EXPECT(cuImportExternalMemory(&m, &desc), CUDA_ERROR_INVALID_HANDLE);
    desc.handle.fd = fd;
    desc.size = 5 * MIB;
    EXPECT(cuImportExternalMemory(&m, &desc), CUDA_ERROR_INVALID_VALUE);
    desc.size = 4 * MIB;
    desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP;
    EXPECT(cuImportExternalMemory(&m, &desc), CUDA_ERROR_NOT_SUPPORTED);
    desc.type = (CUexternalMemoryHandleType)77;
    EXPECT(cuImportExternalMemory(&m, &desc), CUDA_ERROR_INVALID_VALUE);
    desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    desc.flags = 8;
    EXPECT(cuImportExternalMemory(&m, &desc), CUDA_ERROR_INVALID_VALUE);
    desc.flags = 0;
    EXPECT(cuImportExternalMemory(NULL, &desc), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuImportExternalMemory(&m, NULL), CUDA_ERROR_INVALID_VALUE);
    NEED(cuImportExternalMemory(&m, &desc));
    EXPECT(cuExternalMemoryGetMappedBuffer(NULL, m, &part), CUDA_ERROR_INVALID_VALUE);
    part.size = 4 * MIB;
    EXPECT(cuExternalMemoryGetMappedBuffer(&p, m, &part), CUDA_ERROR_INVALID_VALUE);
    part.size = 5000;
    NEED(cuExternalMemoryGetMappedBuffer(&p, m, &part));
    OK(cuMemGetAddressRange(&base, &size, p + 4999));
    CHECK(base == p && size == 5000);
    OK(cuMemsetD8(p, 9, 5000));
    OK(cuCtxSynchronize());
    CHECK(here[999] == 0 && here[1000] == 9 && here[5999] == 9 && here[6000] == 0);
    images(m, here);
    OK(cuMemFree(p));
    EXPECT(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    OK(cuDestroyExternalMemory(m));
    CHECK(fcntl(fd, F_GETFD) < 0); // it was the driver's
    EXPECT(cuDestroyExternalMemory(m), CUDA_ERROR_INVALID_HANDLE);
    none = NULL;
    EXPECT(cuExternalMemoryGetMappedBuffer(&p, none, &part), CUDA_ERROR_INVALID_HANDLE);
    munmap(here, 4 * MIB);
    OK(cuMemRelease(h));
}

static void busy(CUstream s) {
    for (int i = 0; i < 50; i++) {
        EXPECT(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
}

static void timeline(CUstream s) {
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {
        .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD};
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {.params.fence.value = 7};
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {.params.fence.value = 5};
    CUexternalSemaphore sem;
    int fd = memfd_create("timeline", MFD_ALLOW_SEALING);
    CHECK(ftruncate(fd, 4096) == 0);
    desc.handle.fd = fd;
    EXPECT(cuImportExternalSemaphore(&sem, &desc), CUDA_ERROR_INVALID_HANDLE); // could shrink
    CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    _Atomic uint64_t *value = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    NEED(cuImportExternalSemaphore(&sem, &desc));
    OK(cuWaitExternalSemaphoresAsync(&sem, &wait, 1, s));
    OK(cuSignalExternalSemaphoresAsync(&sem, &signal, 1, s));
    busy(s);
    CHECK(*value == 0);
    *value = 5;
    OK(cuStreamSynchronize(s));
    CHECK(*value == 7);
    OK(cuWaitExternalSemaphoresAsync(&sem, &wait, 1, s)); // passed already
    OK(cuStreamSynchronize(s));
    EXPECT(cuWaitExternalSemaphoresAsync(&sem, NULL, 1, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuSignalExternalSemaphoresAsync(NULL, &signal, 1, s), CUDA_ERROR_INVALID_VALUE);
    OK(cuDestroyExternalSemaphore(sem));
    EXPECT(cuDestroyExternalSemaphore(sem), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuWaitExternalSemaphoresAsync(&sem, &wait, 1, s), CUDA_ERROR_INVALID_HANDLE);
    munmap((void *)value, 4096);
}

static void binary(CUstream s, CUstream t) {
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {.type =
                                                    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD};
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {.flags = 0};
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {.flags = 0};
    CUexternalSemaphore sem;
    uint64_t one = 1;
    int fds[2], plain = eventfd(0, EFD_SEMAPHORE), copy = dup(plain);
    CHECK(pipe(fds) == 0);
    desc.handle.fd = fds[0];
    EXPECT(cuImportExternalSemaphore(&sem, &desc), CUDA_ERROR_INVALID_HANDLE);
    desc.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE;
    EXPECT(cuImportExternalSemaphore(&sem, &desc), CUDA_ERROR_NOT_SUPPORTED);
    desc.type = (CUexternalSemaphoreHandleType)0;
    EXPECT(cuImportExternalSemaphore(&sem, &desc), CUDA_ERROR_INVALID_VALUE);
    desc.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
    desc.handle.fd = plain;
    EXPECT(cuImportExternalSemaphore(NULL, &desc), CUDA_ERROR_INVALID_VALUE);
    NEED(cuImportExternalSemaphore(&sem, &desc));
    // One count goes to one of two streams that wait.
    OK(cuWaitExternalSemaphoresAsync(&sem, &wait, 1, s));
    OK(cuWaitExternalSemaphoresAsync(&sem, &wait, 1, t));
    busy(s);
    busy(t);
    CHECK(write(copy, &one, 8) == 8);
    int free_streams = 0;
    for (int i = 0; i < 5000 && free_streams == 0; i++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        free_streams = (cuStreamQuery(s) == CUDA_SUCCESS) + (cuStreamQuery(t) == CUDA_SUCCESS);
    }
    CHECK(free_streams == 1);
    OK(cuSignalExternalSemaphoresAsync(&sem, &signal, 1, NULL));
    OK(cuCtxSynchronize());
    // A stream signals, the program reads the count.
    OK(cuSignalExternalSemaphoresAsync(&sem, &signal, 1, s));
    CHECK(read(copy, &one, 8) == 8 && one == 1);
    OK(cuDestroyExternalSemaphore(sem));
    close(copy);
    close(fds[0]);
    close(fds[1]);
}

// Semaphore nodes of both kinds in one graph, by hand and by capture; the handles may be destroyed
// while executable graphs with them live.
struct semaphores {
    CUexternalSemaphore sem[2]; // a timeline, a binary one
    _Atomic uint64_t *value;
    int counter;
};

static struct semaphores both_kinds(void) {
    struct semaphores x;
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {
        .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD};
    int fd = memfd_create("timeline", MFD_ALLOW_SEALING);
    CHECK(ftruncate(fd, 4096) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    x.value = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    desc.handle.fd = fd;
    NEED(cuImportExternalSemaphore(&x.sem[0], &desc));
    desc.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
    desc.handle.fd = eventfd(0, EFD_SEMAPHORE);
    x.counter = dup(desc.handle.fd);
    NEED(cuImportExternalSemaphore(&x.sem[1], &desc));
    return x;
}

static void run_graph(CUgraph g, CUstream s, const struct semaphores *x, uint64_t done) {
    CUgraphExec e;
    uint64_t one = 1;
    NEED(cuGraphInstantiate(&e, g, 0));
    for (int turn = 0; turn < 2; turn++) {
        *x->value = 0;
        OK(cuGraphLaunch(e, s));
        busy(s);
        *x->value = 3;
        busy(s); // the other semaphore is still waited for
        CHECK(write(x->counter, &one, 8) == 8);
        OK(cuStreamSynchronize(s));
        CHECK(*x->value == done);
        CHECK(read(x->counter, &one, 8) == 8 && one == 1);
    }
    OK(cuGraphExecDestroy(e));
}

static void graphs(CUstream s) {
    struct semaphores x = both_kinds();
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal[2] = {{.params.fence.value = 9}};
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait[2] = {{.params.fence.value = 3}};
    CUDA_EXT_SEM_WAIT_NODE_PARAMS w = {x.sem, wait, 2};
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS n = {x.sem, signal, 2}, got;
    CUgraphNode first, second;
    CUgraph g;
    CUgraphExec e;
    NEED(cuGraphCreate(&g, 0));
    OK(cuGraphAddExternalSemaphoresWaitNode(&first, g, NULL, 0, &w));
    OK(cuGraphAddExternalSemaphoresSignalNode(&second, g, &first, 1, &n));
    OK(cuGraphExternalSemaphoresSignalNodeGetParams(second, &got));
    CHECK(got.numExtSems == 2 && got.extSemArray[1] == x.sem[1] &&
          got.paramsArray[0].params.fence.value == 9);
    run_graph(g, s, &x, 9);
    // The graph's nodes get other parameters, and have them back.
    CUDA_EXT_SEM_WAIT_NODE_PARAMS waits;
    signal[0].params.fence.value = 13;
    OK(cuGraphExternalSemaphoresSignalNodeSetParams(second, &n));
    OK(cuGraphExternalSemaphoresWaitNodeGetParams(first, &waits));
    CHECK(waits.numExtSems == 2 && waits.extSemArray[0] == x.sem[0] &&
          waits.paramsArray[0].params.fence.value == 3);
    wait[0].params.fence.value = 2;
    OK(cuGraphExternalSemaphoresWaitNodeSetParams(first, &w));
    OK(cuGraphExternalSemaphoresWaitNodeGetParams(first, &waits));
    CHECK(waits.paramsArray[0].params.fence.value == 2);
    EXPECT(cuGraphExternalSemaphoresWaitNodeSetParams(second, &w), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphExternalSemaphoresSignalNodeSetParams(second, NULL), CUDA_ERROR_INVALID_VALUE);
    run_graph(g, s, &x, 13);
    // An executable graph waits for another value than the graph that it was made of.
    NEED(cuGraphInstantiate(&e, g, 0));
    wait[0].params.fence.value = 3;
    OK(cuGraphExecExternalSemaphoresWaitNodeSetParams(e, first, &w));
    EXPECT(cuGraphExecExternalSemaphoresWaitNodeSetParams(e, second, &w), CUDA_ERROR_INVALID_VALUE);
    *x.value = 2;
    OK(cuGraphLaunch(e, s));
    busy(s);
    *x.value = 3;
    uint64_t counted = 1;
    CHECK(write(x.counter, &counted, 8) == 8);
    OK(cuStreamSynchronize(s));
    CHECK(*x.value == 13 && read(x.counter, &counted, 8) == 8);
    OK(cuGraphExecDestroy(e));
    // Other parameters for the executable graph alone, after which the handles go.
    NEED(cuGraphInstantiate(&e, g, 0));
    signal[0].params.fence.value = 21;
    OK(cuGraphExecExternalSemaphoresSignalNodeSetParams(e, second, &n));
    n.numExtSems = 1;
    EXPECT(cuGraphExecExternalSemaphoresSignalNodeSetParams(e, second, &n),
           CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(g));
    NEED(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuWaitExternalSemaphoresAsync(x.sem, wait, 2, s));
    OK(cuSignalExternalSemaphoresAsync(x.sem, signal, 2, s));
    NEED(cuStreamEndCapture(s, &g));
    size_t nodes = 0;
    OK(cuGraphGetNodes(g, NULL, &nodes));
    CHECK(nodes == 2);
    run_graph(g, s, &x, 21);
    OK(cuGraphDestroy(g));
    for (int i = 0; i < 2; i++)
        OK(cuDestroyExternalSemaphore(x.sem[i]));
    uint64_t one = 1;
    *x.value = 3;
    CHECK(write(x.counter, &one, 8) == 8);
    OK(cuGraphLaunch(e, s));
    OK(cuStreamSynchronize(s));
    CHECK(*x.value == 21 && read(x.counter, &one, 8) == 8);
    OK(cuGraphExecDestroy(e));
    close(x.counter);
    munmap((void *)x.value, 4096);
}

int main(void) {
    CUcontext ctx = check_context();
    CUstream s, t;
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    memory();
    timeline(s);
    binary(s, t);
    graphs(s);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
