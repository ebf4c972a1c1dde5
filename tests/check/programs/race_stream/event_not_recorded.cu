// A wait for an event that was never recorded waits for nothing. Guide, 6.2.8.5.3
// (cudaStreamWaitEvent).
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
    cudaEvent_t first, second;
    OK(cudaEventCreate(&first));
    OK(cudaEventCreate(&second));
    produce<<<1, 32, 0, s>>>(a);
    OK(cudaEventRecord(first, s));
#ifdef BUG
    OK(cudaStreamWaitEvent(t, second, 0));
#else
    OK(cudaStreamWaitEvent(t, first, 0));
#endif
    consume<<<1, 32, 0, t>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaEventDestroy(first));
    OK(cudaEventDestroy(second));
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 31);
}
