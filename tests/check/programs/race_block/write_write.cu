// All threads write a different value to one place; which one stays is not defined. Guide, 7.1.
#include "../suite.h"

__global__ void work(int *out) {
    __shared__ int leader;
#ifndef BUG
    if (threadIdx.x == 0)
#endif
        leader = threadIdx.x; // bug: race.block
    __syncthreads();
    out[threadIdx.x] = leader;
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[5] == 0);
}
