// The host reads the buffer of an asynchronous copy to it before the copy is sure to have ended.
// Guide, 6.2.8.1.
#include "../suite.h"

__global__ void work(int *a) {
    a[threadIdx.x] = threadIdx.x;
}

int main() {
    cudaStream_t s;
    int *a, *h;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&a, 32 * sizeof(int)));
    OK(cudaMallocHost((void **)&h, 32 * sizeof(int)));
    for (int i = 0; i < 32; ++i)
        h[i] = 0;
    work<<<1, 32, 0, s>>>(a);
    OK(cudaGetLastError());
    OK(cudaMemcpyAsync(h, a, 32 * sizeof(int), cudaMemcpyDeviceToHost, s)); // bug: race.host
#ifndef BUG
    OK(cudaStreamSynchronize(s));
#endif
    int last = *(volatile int *)&h[31]; // with
    OK(cudaDeviceSynchronize());
    OK(cudaFree(a));
    OK(cudaFreeHost(h));
    OK(cudaStreamDestroy(s));
    return verdict(last == 31);
}
