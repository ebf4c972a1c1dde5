// The event that the second stream waits for is recorded before the kernel that it should follow.
// Guide, 6.2.8.8.
#include "../suite.h"

__global__ void produce(int *a) {
    a[threadIdx.x] = threadIdx.x; // bug: race.event
}
__global__ void consume(const int *a, int *b) {
    b[threadIdx.x] = a[31 - threadIdx.x]; // with
}

int main() {
    int *a, *b, h[32];
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMemset(a, 0, sizeof h));
    OK(cudaDeviceSynchronize());
    cudaStream_t s, t;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    cudaEvent_t done;
    OK(cudaEventCreate(&done));
#ifdef BUG
    OK(cudaEventRecord(done, s));
#endif
    produce<<<1, 32, 0, s>>>(a);
#ifndef BUG
    OK(cudaEventRecord(done, s));
#endif
    OK(cudaStreamWaitEvent(t, done, 0));
    consume<<<1, 32, 0, t>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaEventDestroy(done));
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 31);
}
