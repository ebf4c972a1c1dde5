// An array is set in one stream while a kernel in another adds to it. Guide, 6.2.8.5.
#include "../suite.h"

__global__ void add(int *a) {
    atomicAdd(&a[threadIdx.x], 5); // bug: race.stream
}

int main() {
    cudaStream_t s, t;
    int *a, h[32];
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMemsetAsync(a, 0, sizeof h, s)); // with
#ifndef BUG
    OK(cudaStreamSynchronize(s));
#endif
    add<<<1, 32, 0, t>>>(a);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    return verdict(h[31] == 5);
}
