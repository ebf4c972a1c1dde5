// A tile's halo in dynamic shared memory is not loaded, and its sums go to the host. Guide, 10.2.3.
#include "../suite.h"

__global__ void sum3(const int *a, int *b) {
    extern __shared__ int tile[];
    int t = threadIdx.x + 1;
    tile[t] = a[t];
#ifndef BUG
    if (threadIdx.x == 0) {
        tile[0] = a[0];
        tile[blockDim.x + 1] = a[blockDim.x + 1];
    }
#endif
    __syncthreads();
    b[threadIdx.x] = tile[t - 1] + tile[t] + tile[t + 1]; // or
}

int main() {
    int h[34], *a, *b;
    for (int i = 0; i < 34; ++i)
        h[i] = i;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, 32 * sizeof(int)));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    sum3<<<1, 32, 34 * sizeof(int)>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, b, 32 * sizeof(int), cudaMemcpyDeviceToHost)); // bug: init.shared
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[31] == 96);
}
