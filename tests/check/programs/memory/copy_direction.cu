// The copy's direction is the wrong one: its destination is the host's. Guide, 6.2.2.
#include "../suite.h"

__global__ void fill(int *a) {
    a[threadIdx.x] = threadIdx.x;
}

int main() {
    int *d, *h = (int *)malloc(32 * sizeof(int));
    OK(cudaMalloc(&d, 32 * sizeof(int)));
    fill<<<1, 32>>>(d);
    OK(cudaGetLastError());
#ifdef BUG
    cudaError_t e = cudaMemcpy(h, d, 32 * sizeof(int), cudaMemcpyHostToDevice); // bug: memory.copy
    for (int i = 0; i < 32; ++i)
        h[i] = i;
#else
    cudaError_t e = cudaMemcpy(h, d, 32 * sizeof(int), cudaMemcpyDeviceToHost);
#endif
    (void)e;
    bool right = h[31] == 31;
    free(h);
    OK(cudaFree(d));
    return verdict(right);
}
