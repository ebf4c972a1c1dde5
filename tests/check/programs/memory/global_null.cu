// The kernel gets a pointer that no allocation was made for. Guide, 6.2.2.
#include "../suite.h"

__global__ void set(int *a) {
    *a = 1; // bug: memory.global
}

int main() {
    int *a = nullptr, h = 0;
#ifndef BUG
    OK(cudaMalloc(&a, sizeof(int)));
#endif
    set<<<1, 1>>>(a);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, a, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    return verdict(h == 1);
}
