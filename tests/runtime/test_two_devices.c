// Two devices: the current one is the thread's, memory and variables are each device's own, peers.
#include <pthread.h>
#include <time.h>

#include "check.h"
#include "images.h"

static void variables_of_each(void) {
    int *p[2], value[2];
    for (int d = 0; d < 2; d++) {
        NEED(cudaSetDevice(d));
        NEED(cudaMalloc((void **)&p[d], 64));
        value[d] = 100 + d;
        CHECK_OK(cudaMemcpyToSymbol(&counter_shadow, &value[d], 4, 0, cudaMemcpyHostToDevice));
        CHECK_OK(cudaMemset(p[d], 0, 64));
    }
    for (int d = 0; d < 2; d++) {
        int got = 0;
        void *args[] = {&p[d]};
        CHECK_OK(cudaSetDevice(d));
        CHECK_OK(cudaLaunchKernel(&add_table_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0));
        CHECK_OK(cudaMemcpy(&got, p[d], 4, cudaMemcpyDeviceToHost));
        CHECK(got == 100 + d);
    }
    struct cudaPointerAttributes a;
    CHECK_OK(cudaPointerGetAttributes(&a, p[1]));
    CHECK(a.device == 1 && a.type == cudaMemoryTypeDevice);
    CHECK_OK(cudaPointerGetAttributes(&a, p[0]));
    CHECK(a.device == 0);
    CHECK_OK(cudaFree(p[0]));
    CHECK_OK(cudaFree(p[1]));
}

static void peers(void) {
    int can = 0, value = 77, got = 0, *near, *far;
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    CHECK_ERROR(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
    CHECK_OK(cudaDeviceEnablePeerAccess(1, 0));
    CHECK_ERROR(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
    CHECK_OK(cudaDeviceDisablePeerAccess(1));
    CHECK_OK(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1));
    CHECK(can == 1);
    NEED(cudaMalloc((void **)&near, 4));
    CHECK_OK(cudaSetDevice(1));
    NEED(cudaMalloc((void **)&far, 4));
    CHECK_OK(cudaMemcpy(near, &value, 4, cudaMemcpyDefault));
    CHECK_OK(cudaMemcpyPeer(far, 1, near, 0, 4));
    CHECK_OK(cudaMemcpy(&got, far, 4, cudaMemcpyDeviceToHost));
    CHECK(got == 77);
    value = 78;
    CHECK_OK(cudaMemcpy(far, &value, 4, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpyPeerAsync(near, 0, far, 1, 4, 0));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaMemcpy(&got, near, 4, cudaMemcpyDeviceToHost));
    CHECK(got == 78);
}

static void sleep_a_while(void *unused) {
    (void)unused;
    nanosleep(&(struct timespec){0, 50000000}, NULL);
}

// Copies between devices in the NULL stream begin behind all that either device has, and what
// either gets later waits for them (guide 6.2.9.5).
static void copies_between_are_ordered(void) {
    int *near, *far, got = 0, value = 5;
    for (int kind = 0; kind < 4; kind++) {
        CHECK_OK(cudaSetDevice(0));
        NEED(cudaMalloc((void **)&near, 4));
        CHECK_OK(cudaMemset(near, 0, 4));
        CHECK_OK(cudaDeviceSynchronize());
        void *args[] = {&near, &value};
        CHECK_OK(cudaLaunchHostFunc(0, sleep_a_while, NULL));
        CHECK_OK(cudaLaunchKernel(&fill_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0));
        CHECK_OK(cudaSetDevice(1));
        NEED(cudaMalloc((void **)&far, 4));
        struct cudaMemcpy3DPeerParms p = {.srcPtr = {near, 4, 4, 1},
                                          .srcDevice = 0,
                                          .dstPtr = {far, 4, 4, 1},
                                          .dstDevice = 1,
                                          .extent = {4, 1, 1}};
        if (kind % 2) // it is the copy that begins late
            CHECK_OK(cudaLaunchHostFunc(0, sleep_a_while, NULL));
        if (kind == 0)
            CHECK_OK(cudaMemcpyPeer(far, 1, near, 0, 4));
        else if (kind == 1)
            CHECK_OK(cudaMemcpyPeerAsync(far, 1, near, 0, 4, 0));
        else if (kind == 2)
            CHECK_OK(cudaMemcpy3DPeer(&p));
        else
            CHECK_OK(cudaMemcpy3DPeerAsync(&p, 0));
        CHECK_OK(cudaSetDevice(0));
        CHECK_OK(cudaMemsetAsync(near, 1, 4, 0)); // after the copy
        CHECK_OK(cudaDeviceSynchronize());
        CHECK_OK(cudaSetDevice(1));
        CHECK_OK(cudaMemcpy(&got, far, 4, cudaMemcpyDeviceToHost));
        CHECK(got == 5);
        CHECK_OK(cudaFree(far));
        CHECK_OK(cudaSetDevice(0));
        CHECK_OK(cudaMemcpy(&got, near, 4, cudaMemcpyDeviceToHost));
        CHECK(got == 0x01010101);
        CHECK_OK(cudaFree(near));
    }
}

// Streams belong to the device that was current; resetting one device leaves the other alone.
static void streams_and_reset(void) {
    cudaStream_t s;
    int device = -1, v = 1, got = 0, *p, *q;
    CHECK_OK(cudaSetDevice(1));
    CHECK_OK(cudaStreamCreate(&s));
    CHECK_OK(cudaStreamGetDevice(s, &device));
    CHECK(device == 1);
    NEED(cudaMalloc((void **)&q, 4));
    void *args[] = {&q, &v};
    CHECK_OK(cudaSetDevice(0));
    NEED(cudaMalloc((void **)&p, 4));
    CHECK_ERROR(cudaErrorInvalidResourceHandle,
                cudaLaunchKernel(&fill_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, s));
    CHECK_OK(cudaSetDevice(1));
    CHECK_OK(cudaLaunchKernel(&fill_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, s));
    CHECK_OK(cudaStreamSynchronize(s));
    CHECK_OK(cudaDeviceReset());
    CHECK_ERROR(cudaErrorContextIsDestroyed, cudaStreamSynchronize(s));
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaMemcpy(p, &v, 4, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost));
    CHECK(got == 1);
}

// Nodes whose memory is that of a device which has not been used before (guide 16.7.1).
static void memory_of_an_unused_device(int any) {
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t alloc, set, copy, release;
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemAlloc};
    struct cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0},
                                       cudaMemAccessFlagsProtReadWrite};
    struct cudaMemAllocNodeParams a = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                     .location = {cudaMemLocationTypeDevice, 1}},
                                       .accessDescs = &access,
                                       .accessDescCount = 1,
                                       .bytesize = 256};
    CHECK_OK(cudaSetDevice(1));
    CHECK_OK(cudaDeviceReset());
    CHECK_OK(cudaSetDevice(0));
    NEED(cudaGraphCreate(&g, 0));
    a.poolProps.location.id = 2;
    CHECK_ERROR(cudaErrorInvalidDevice, cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &a));
    a.poolProps.location.id = 1;
    memcpy(&p.alloc, &a, sizeof a);
    if (any) {
        NEED(cudaGraphAddNode(&alloc, g, NULL, 0, &p));
        a.dptr = p.alloc.dptr;
    } else {
        NEED(cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &a));
    }
    unsigned got[64] = {0};
    struct cudaMemsetParams s = {a.dptr, 0, 0x1234567, 4, 64, 1};
    NEED(cudaGraphAddMemsetNode(&set, g, &alloc, 1, &s));
    NEED(cudaGraphAddMemcpyNode1D(&copy, g, &set, 1, got, a.dptr, sizeof got, cudaMemcpyDefault));
    NEED(cudaGraphAddMemFreeNode(&release, g, &copy, 1, a.dptr));
    NEED(cudaGraphInstantiate(&e, g, 0));
    CHECK_OK(cudaGraphLaunch(e, 0));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(got[0] == 0x1234567 && got[63] == 0x1234567);
    CHECK_OK(cudaGraphExecDestroy(e));
    CHECK_OK(cudaGraphDestroy(g));
}

static void *thread_begins_with_the_first(void *unused) {
    int device = -1;
    CHECK_OK(cudaGetDevice(&device));
    CHECK(device == 0);
    return NULL;
}

int main(void) {
    int count = 0;
    pthread_t thread;
    register_test_image();
    NEED(cudaGetDeviceCount(&count));
    CHECK(count == 2);
    if (count != 2)
        return finish();
    memory_of_an_unused_device(0);
    memory_of_an_unused_device(1);
    variables_of_each();
    peers();
    copies_between_are_ordered();
    CHECK_OK(cudaSetDevice(1));
    pthread_create(&thread, NULL, thread_begins_with_the_first, NULL);
    pthread_join(thread, NULL);
    streams_and_reset();
    return finish();
}
