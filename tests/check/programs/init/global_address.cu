// An index that nobody wrote chooses the address. Guide, 6.2.2.
#include "../suite.h"

__global__ void permute(const int *index, const int *a, int *b) {
    int i = index[threadIdx.x] & 31;
    b[threadIdx.x] = a[i]; // bug: init.global
}

int main() {
    int h[32], *index, *a, *b;
    for (int i = 0; i < 32; ++i)
        h[i] = 31 - i;
    OK(cudaMalloc(&index, sizeof h));
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
#ifndef BUG
    OK(cudaMemcpy(index, h, sizeof h, cudaMemcpyHostToDevice));
#endif
    permute<<<1, 32>>>(index, a, b);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(index));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[5] == 5);
}
