// The kernel writes mapped host memory, and the host reads it without waiting. Guide, 6.2.6.3.
#include "../suite.h"

__global__ void work(int *a) {
    a[threadIdx.x] = threadIdx.x; // bug: race.host
}

int main() {
    int *a;
    OK(cudaHostAlloc((void **)&a, 32 * sizeof(int), cudaHostAllocMapped));
    for (int i = 0; i < 32; ++i)
        a[i] = 0;
    work<<<1, 32>>>(a);
    OK(cudaGetLastError());
#ifndef BUG
    OK(cudaStreamSynchronize(0));
#endif
    int last = *(volatile int *)&a[31]; // with
    OK(cudaDeviceSynchronize());
    OK(cudaFreeHost(a));
    return verdict(last == 31);
}
