// The wrong stream waits for the event: the one that has recorded it. Guide, 6.2.8.6.
#include "../suite.h"

__global__ void produce(int *a) {
    a[threadIdx.x] = threadIdx.x; // with
}
__global__ void consume(const int *a, int *b) {
    b[threadIdx.x] = a[31 - threadIdx.x]; // bug: race.stream
}

int main() {
    int *a, *b, h[32];
    cudaStream_t s, t;
    cudaEvent_t done;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&done));
    produce<<<1, 32, 0, s>>>(a);
    OK(cudaEventRecord(done, s));
#ifdef BUG
    OK(cudaStreamWaitEvent(s, done, 0));
#else
    OK(cudaStreamWaitEvent(t, done, 0));
#endif
    consume<<<1, 32, 0, t>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaEventDestroy(done));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 31);
}
