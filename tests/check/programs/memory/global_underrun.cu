// A stencil's first thread reads the element before the array. Guide, 6.2.2.
#include "../suite.h"

__global__ void left(const int *a, int *b) {
    int i = threadIdx.x;
#ifndef BUG
    if (i == 0)
        b[i] = 0;
    else
#endif
        b[i] = a[i - 1]; // bug: memory.global
}

int main() {
    int *a, *b, h[32];
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    for (int i = 0; i < 32; ++i)
        h[i] = i;
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    left<<<1, 32>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[31] == 30);
}
