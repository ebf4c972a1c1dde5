// Memory is freed before the kernel that writes it is launched. Guide, 6.2.2.
#include "../suite.h"

__global__ void set(int *a) {
    a[threadIdx.x] = 1; // bug: memory.global
}

int main() {
    int *a, h[32] = {};
    OK(cudaMalloc(&a, sizeof h));
#ifdef BUG
    OK(cudaFree(a));
#endif
    set<<<1, 32>>>(a);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
#ifndef BUG
    OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
#endif
    return verdict(h[31] == 1);
}
