// Memory, events, pools and semaphores that other processes and interfaces use, and batches of
// copies: what the runtime makes of the driver's functions. (Two processes: the driver's tests.)
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "check.h"

static void ipc(void) {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t handle;
    cudaEvent_t event, plain, opened;
    void *p, *q = &p;
    CHECK_OK(cudaMalloc(&p, 100));
    CHECK_ERROR(cudaErrorInvalidValue, cudaIpcGetMemHandle(NULL, p));
    CHECK_ERROR(cudaErrorInvalidValue, cudaIpcGetMemHandle(&memory, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaIpcGetMemHandle(&memory, &p));
    CHECK_OK(cudaIpcGetMemHandle(&memory, p));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaIpcOpenMemHandle(NULL, memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK_ERROR(cudaErrorDeviceUninitialized,
                cudaIpcOpenMemHandle(&q, memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK(q == NULL);
    memset(&memory, 1, sizeof memory);
    CHECK_ERROR(on_kudzu() ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue,
                cudaIpcOpenMemHandle(&q, memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK_ERROR(cudaErrorInvalidValue, cudaIpcCloseMemHandle(p));
    CHECK_ERROR(cudaErrorInvalidValue, cudaIpcCloseMemHandle(NULL));
    CHECK_OK(cudaFree(p));
    CHECK_ERROR(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, cudaEventInterprocess));
    CHECK_OK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK_OK(cudaEventCreate(&plain));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&handle, plain));
    CHECK_ERROR(cudaErrorInvalidValue, cudaIpcGetEventHandle(NULL, event));
    CHECK_OK(cudaIpcGetEventHandle(&handle, event));
    CHECK_ERROR(cudaErrorDeviceUninitialized, cudaIpcOpenEventHandle(&opened, handle));
    CHECK_ERROR(cudaErrorInvalidValue, cudaIpcOpenEventHandle(NULL, handle));
    CHECK_OK(cudaEventRecord(event, 0));
    CHECK_OK(cudaEventSynchronize(event));
    CHECK_OK(cudaEventDestroy(event));
    CHECK_OK(cudaEventDestroy(plain));
}

// A pool that is exported and imported in one process: two addresses of the same memory.
static void pools(void) {
    struct cudaMemPoolProps props;
    struct cudaMemPoolPtrExportData data;
    cudaMemPool_t pool, imported;
    void *p, *q = NULL;
    int fd = -1;
    char text[16] = "";
    memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    props.location.type = cudaMemLocationTypeDevice;
    NEED(cudaMemPoolCreate(&pool, &props));
    NEED(cudaMallocFromPoolAsync(&p, 16, pool, 0));
    CHECK_OK(cudaMemcpy(p, "in the pool", 12, cudaMemcpyDefault));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemPoolExportToShareableHandle(
                                           NULL, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    NEED(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data, NULL));
    NEED(cudaMemPoolExportPointer(&data, p));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
                                                     cudaMemHandleTypeNone, 0));
    NEED(cudaMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
                                              cudaMemHandleTypePosixFileDescriptor, 0));
    close(fd);
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemPoolImportPointer(NULL, imported, &data));
    NEED(cudaMemPoolImportPointer(&q, imported, &data));
    CHECK(q != p);
    CHECK_OK(cudaMemcpy(text, q, 12, cudaMemcpyDefault));
    CHECK(strcmp(text, "in the pool") == 0);
    CHECK_OK(cudaFreeAsync(q, 0));
    CHECK_OK(cudaFreeAsync(p, 0));
    // Who may use a pool; which one cudaMallocAsync takes.
    struct cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0},
                                       cudaMemAccessFlagsProtReadWrite};
    enum cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    cudaMemPool_t used = NULL, first = NULL;
    CHECK_OK(cudaMemPoolSetAccess(pool, &access, 1));
    CHECK_OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
    CHECK(flags == cudaMemAccessFlagsProtReadWrite);
    access.flags = cudaMemAccessFlagsProtNone; // its own device always may
    CHECK_ERROR(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &access, 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemPoolSetAccess(pool, NULL, 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemPoolGetAccess(NULL, pool, &access.location));
    CHECK_OK(cudaDeviceGetMemPool(&first, 0));
    CHECK_OK(cudaDeviceSetMemPool(0, pool));
    CHECK_OK(cudaDeviceGetMemPool(&used, 0));
    CHECK(used == pool && used != first);
    CHECK_OK(cudaMallocAsync(&p, 16, 0));
    struct cudaPointerAttributes attributes;
    CHECK_OK(cudaPointerGetAttributes(&attributes, p));
    CHECK(attributes.type == cudaMemoryTypeDevice);
    CHECK_OK(cudaFreeAsync(p, 0));
    CHECK_OK(cudaDeviceSetMemPool(0, first));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceSetMemPool(99, pool));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, NULL));
    CHECK_OK(cudaMemPoolDestroy(imported));
    CHECK_OK(cudaMemPoolDestroy(pool));
}

static void external(void) {
    struct cudaExternalMemoryHandleDesc desc;
    struct cudaExternalMemoryBufferDesc part = {.offset = 64, .size = 100};
    struct cudaMemPoolProps props;
    cudaExternalMemory_t memory;
    cudaMemPool_t pool;
    void *p, *q;
    int fd = -1;
    memset(&desc, 0, sizeof desc);
    memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    props.location.type = cudaMemLocationTypeDevice;
    NEED(cudaMemPoolCreate(&pool, &props));
    NEED(cudaMallocFromPoolAsync(&p, 4096, pool, 0)); // at the start of the pool's memory
    NEED(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
    desc.handle.fd = fd;
    desc.size = 4096;
    CHECK_ERROR(cudaErrorInvalidValue, cudaImportExternalMemory(NULL, &desc));
    desc.type = cudaExternalMemoryHandleTypeNvSciBuf;
    CHECK_ERROR(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &desc));
    desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
    NEED(cudaImportExternalMemory(&memory, &desc));
    NEED(cudaExternalMemoryGetMappedBuffer(&q, memory, &part));
    CHECK_OK(cudaMemset(p, 0, 4096));
    CHECK_OK(cudaMemset(q, 7, 100));
    unsigned char back[200];
    CHECK_OK(cudaMemcpy(back, p, sizeof back, cudaMemcpyDefault));
    CHECK(back[63] == 0 && back[64] == 7 && back[163] == 7 && back[164] == 0);
    part.size = 5000;
    CHECK_ERROR(cudaErrorInvalidValue, cudaExternalMemoryGetMappedBuffer(&q, memory, &part));
    struct cudaExternalMemoryMipmappedArrayDesc images;
    cudaMipmappedArray_t mipmap;
    cudaArray_t level;
    memset(&images, 0, sizeof images);
    CHECK_ERROR(cudaErrorInvalidChannelDescriptor,
                cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &images));
    images.formatDesc = (struct cudaChannelFormatDesc){8, 0, 0, 0, cudaChannelFormatKindUnsigned};
    images.extent = (struct cudaExtent){100, 2, 0};
    images.flags = cudaArrayColorAttachment;
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &images));
    images.numLevels = 2;
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaExternalMemoryGetMappedMipmappedArray(NULL, memory, &images));
    NEED(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &images));
    NEED(cudaGetMipmappedArrayLevel(&level, mipmap, 0));
    CHECK_OK(cudaMemcpy2DFromArray(back, 100, level, 0, 0, 100, 2, cudaMemcpyDeviceToHost));
    CHECK(back[63] == 0 && back[64] == 7 && back[163] == 7 && back[164] == 0);
    CHECK_OK(cudaFreeMipmappedArray(mipmap));
    CHECK_OK(cudaDestroyExternalMemory(memory));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaDestroyExternalMemory(memory));
    CHECK_OK(cudaFreeAsync(p, 0));
    CHECK_OK(cudaMemPoolDestroy(pool));
}

static void semaphores(void) {
    struct cudaExternalSemaphoreHandleDesc desc;
    struct cudaExternalSemaphoreSignalParams signal;
    struct cudaExternalSemaphoreWaitParams wait;
    cudaExternalSemaphore_t semaphore;
    cudaStream_t s;
    uint64_t count = 0;
    memset(&desc, 0, sizeof desc);
    memset(&signal, 0, sizeof signal);
    memset(&wait, 0, sizeof wait);
    int fd = eventfd(0, 0), copy = dup(fd);
    NEED(cudaStreamCreate(&s));
    desc.type = cudaExternalSemaphoreHandleTypeOpaqueFd;
    desc.handle.fd = fd;
    NEED(cudaImportExternalSemaphore(&semaphore, &desc));
    CHECK_OK(cudaWaitExternalSemaphoresAsync(&semaphore, &wait, 1, s));
    CHECK_ERROR(cudaErrorNotReady, cudaStreamQuery(s));
    count = 1;
    CHECK(write(copy, &count, sizeof count) == sizeof count);
    CHECK_OK(cudaStreamSynchronize(s));
    CHECK_OK(cudaSignalExternalSemaphoresAsync(&semaphore, &signal, 1, s));
    CHECK(read(copy, &count, sizeof count) == sizeof count && count == 1);
    CHECK_ERROR(cudaErrorInvalidValue, cudaSignalExternalSemaphoresAsync(NULL, &signal, 1, s));
    CHECK_OK(cudaStreamSynchronize(s));
    CHECK_OK(cudaDestroyExternalSemaphore(semaphore));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaDestroyExternalSemaphore(semaphore));
    close(copy);
    CHECK_OK(cudaStreamDestroy(s));
}

// A graph that waits for a semaphore and signals it.
static void semaphore_nodes(void) {
    struct cudaExternalSemaphoreHandleDesc desc;
    struct cudaExternalSemaphoreSignalParams signal;
    struct cudaExternalSemaphoreWaitParams wait;
    cudaExternalSemaphore_t semaphores[2];
    int copies[2];
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t first, second;
    cudaStream_t s;
    memset(&desc, 0, sizeof desc);
    memset(&signal, 0, sizeof signal);
    memset(&wait, 0, sizeof wait);
    NEED(cudaStreamCreate(&s));
    for (int i = 0; i < 2; i++) {
        desc.type = cudaExternalSemaphoreHandleTypeOpaqueFd;
        desc.handle.fd = eventfd(0, 0);
        copies[i] = dup(desc.handle.fd);
        NEED(cudaImportExternalSemaphore(&semaphores[i], &desc));
    }
    struct cudaExternalSemaphoreWaitNodeParams w = {&semaphores[0], &wait, 1}, waits;
    struct cudaExternalSemaphoreSignalNodeParams n = {&semaphores[0], &signal, 1}, signals;
    NEED(cudaGraphCreate(&g, 0));
    CHECK_OK(cudaGraphAddExternalSemaphoresWaitNode(&first, g, NULL, 0, &w));
    CHECK_OK(cudaGraphAddExternalSemaphoresSignalNode(&second, g, &first, 1, &n));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaGraphAddExternalSemaphoresSignalNode(&second, g, NULL, 0, NULL));
    n.extSemArray = &semaphores[1];
    CHECK_OK(cudaGraphExternalSemaphoresSignalNodeSetParams(second, &n));
    CHECK_OK(cudaGraphExternalSemaphoresSignalNodeGetParams(second, &signals));
    CHECK(signals.numExtSems == 1 && signals.extSemArray[0] == semaphores[1]);
    w.extSemArray = &semaphores[1];
    CHECK_OK(cudaGraphExternalSemaphoresWaitNodeSetParams(first, &w));
    CHECK_OK(cudaGraphExternalSemaphoresWaitNodeGetParams(first, &waits));
    CHECK(waits.numExtSems == 1 && waits.extSemArray[0] == semaphores[1]);
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaGraphExternalSemaphoresWaitNodeGetParams(second, &waits));
    NEED(cudaGraphInstantiate(&e, g, 0));
    for (int turn = 0; turn < 2; turn++) { // then the executable graph has both the other way round
        uint64_t count = 1;
        CHECK_OK(cudaGraphLaunch(e, s));
        CHECK_ERROR(cudaErrorNotReady, cudaStreamQuery(s));
        CHECK(write(copies[1 - turn], &count, sizeof count) == sizeof count);
        CHECK_OK(cudaStreamSynchronize(s));
        CHECK(read(copies[1 - turn], &count, sizeof count) == sizeof count && count == 1);
        w.extSemArray = n.extSemArray = &semaphores[0];
        CHECK_OK(cudaGraphExecExternalSemaphoresWaitNodeSetParams(e, first, &w));
        CHECK_OK(cudaGraphExecExternalSemaphoresSignalNodeSetParams(e, second, &n));
    }
    CHECK_OK(cudaGraphExecDestroy(e));
    CHECK_OK(cudaGraphDestroy(g));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(cudaDestroyExternalSemaphore(semaphores[i]));
        close(copies[i]);
    }
    CHECK_OK(cudaStreamDestroy(s));
}

static void batches(void) {
    char from[2][8] = {"first", "second"}, back[16] = "";
    char *p;
    cudaStream_t s;
    struct cudaMemcpyAttributes attributes;
    size_t sizes[2] = {8, 8}, index = 0, fail = 99;
    NEED(cudaStreamCreate(&s));
    NEED(cudaMalloc((void **)&p, 16));
    memset(&attributes, 0, sizeof attributes);
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    void *dsts[2] = {p, p + 8}, *srcs[2] = {from[0], from[1]};
    CHECK_OK(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attributes, &index, 1, &fail, s));
    CHECK_OK(cudaStreamSynchronize(s));
    CHECK_OK(cudaMemcpy(back, p, 16, cudaMemcpyDefault));
    CHECK(strcmp(back, "first") == 0 && strcmp(back + 8, "second") == 0);
    sizes[1] = 9;
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attributes, &index, 1, &fail, s));
    CHECK(fail == 1);
    struct cudaMemcpy3DBatchOp op;
    memset(&op, 0, sizeof op);
    op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = p;
    op.dst.op.ptr.ptr = back;
    op.dst.op.ptr.rowLength = 8;
    op.src.op.ptr.rowLength = 8;
    op.extent.width = 3;
    op.extent.height = 2;
    op.extent.depth = 1;
    op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    memset(back, 'x', sizeof back);
    CHECK_OK(cudaMemcpy3DBatchAsync(1, &op, &fail, 0, s));
    CHECK_OK(cudaStreamSynchronize(s));
    CHECK(memcmp(back, "firxxxxxsecxxxxx", 16) == 0);
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(1, &op, &fail, 1, s));
    CHECK_OK(cudaFree(p));
    CHECK_OK(cudaStreamDestroy(s));
}

int main(void) {
    ipc();
    pools();
    if (on_kudzu()) { // files of memory pools and events of the system are not for NVIDIA's driver
        external();
        semaphores();
        semaphore_nodes();
    }
    batches();
    return finish();
}
