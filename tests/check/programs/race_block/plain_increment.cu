// Threads add to one counter without an atomic function. Guide, 10.14.
#include "../suite.h"

__global__ void count(int *out) {
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
#ifdef BUG
    n = n + 1; // bug: race.block
#else
    atomicAdd(&n, 1);
#endif
    __syncthreads();
    if (threadIdx.x == 0)
        *out = n;
}

int main() {
    int *out, h[1];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    count<<<1, 128>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 128);
}
