// A sum of atomic functions is read beside them, without a barrier between. Guide, 10.14 and 10.6.
#include "../suite.h"

__global__ void count(int *out) {
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    atomicAdd(&n, 1); // bug: race.block
#ifndef BUG
    __syncthreads();
#endif
    out[threadIdx.x] = n; // with
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
