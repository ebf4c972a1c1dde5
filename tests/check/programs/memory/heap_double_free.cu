// Every thread frees the block that one thread got. Guide, 10.36: freeing a pointer again is
// undefined.
#include "../suite.h"

__global__ void work(int *out) {
    __shared__ int *p;
    if (threadIdx.x == 0)
        p = (int *)malloc(32 * sizeof(int));
    __syncthreads();
    p[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
#ifndef BUG
    if (threadIdx.x == 0)
#endif
        free(p); // bug: memory.heap
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    work<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[31] == 31);
}
