// The counter is zeroed by one thread, and others may have added to it before. Guide, 10.6.
#include "../suite.h"

__global__ void count(int *out) {
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 0; // bug: race.block
#ifndef BUG
    __syncthreads();
#endif
    atomicAdd(&n, 1); // with
    __syncthreads();
    out[threadIdx.x] = n;
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    count<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[63] == 64);
}
