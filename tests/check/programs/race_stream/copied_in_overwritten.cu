// The host fills the page-locked buffer again while the asynchronous copy from it may run. Guide,
// 6.2.8.1.
#include "../suite.h"

__global__ void add(const int *a, int *sum) {
    *sum += a[0];
}

int main() {
    cudaStream_t s;
    int *a, *sum, *buffer, h;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&a, sizeof(int)));
    OK(cudaMalloc(&sum, sizeof(int)));
    OK(cudaMemset(sum, 0, sizeof(int)));
    OK(cudaMallocHost((void **)&buffer, sizeof(int)));
    for (int i = 1; i <= 3; ++i) {
        *(volatile int *)buffer = i;                                            // with
        OK(cudaMemcpyAsync(a, buffer, sizeof(int), cudaMemcpyHostToDevice, s)); // bug: race.host
        add<<<1, 1, 0, s>>>(a, sum);
        OK(cudaGetLastError());
#ifndef BUG
        OK(cudaStreamSynchronize(s));
#endif
    }
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(&h, sum, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(sum));
    OK(cudaFreeHost(buffer));
    OK(cudaStreamDestroy(s));
    return verdict(h == 6);
}
