// Blocks count in global memory without an atomic function. Guide, 10.14.
#include "../suite.h"

__global__ void count(int *n) {
    if (threadIdx.x == 0) {
#ifdef BUG
        *n += 1; // bug: race.blocks
#else
        atomicAdd(n, 1);
#endif
    }
}

int main() {
    int *n, h;
    OK(cudaMalloc(&n, sizeof(int)));
    OK(cudaMemset(n, 0, sizeof(int)));
    count<<<16, 32>>>(n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, n, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(n));
    return verdict(h == 16);
}
