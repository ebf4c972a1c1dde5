// The host reads managed memory that a kernel of more than a second will still write.
// Guide, 24.1.2.2 and 6.2.8.1: a launch returns before the kernel has ended.
#include "../suite.h"

__global__ void work(int *a) {
    for (int i = 0; i < 1500; ++i)
        __nanosleep(1000000);
    a[threadIdx.x] = 1; // bug: race.host
}

int main() {
    int *a;
    OK(cudaMallocManaged((void **)&a, 32 * sizeof(int)));
    for (int i = 0; i < 32; ++i)
        a[i] = 0;
    work<<<1, 32>>>(a);
    OK(cudaGetLastError());
#ifndef BUG
    OK(cudaDeviceSynchronize());
#endif
    int last = *(volatile int *)&a[31]; // with
    OK(cudaDeviceSynchronize());
    OK(cudaFree(a));
    return verdict(last == 1);
}
