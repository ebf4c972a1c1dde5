// Two devices: the current one is the thread's, memory and variables are each device's own, peers.
#include <pthread.h>

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
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaMemcpy(p, &v, 4, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost));
    CHECK(got == 1);
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
    variables_of_each();
    peers();
    CHECK_OK(cudaSetDevice(1));
    pthread_create(&thread, NULL, thread_begins_with_the_first, NULL);
    pthread_join(thread, NULL);
    streams_and_reset();
    return finish();
}
