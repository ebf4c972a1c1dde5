// An asynchronous copy brings in what was not set: a branch depends on it in shared memory. Guide,
// 10.28.4.
#include "../suite.h"
#include <cuda_pipeline.h>

__global__ void count(const int *a, int *out) {
    __shared__ int tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &a[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (tile[31 - threadIdx.x] == 0) // bug: init.async
        atomicAdd(out, 1);
}

int main() {
    int *a, *out, h;
    OK(cudaMalloc(&a, 32 * sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
#ifdef BUG
    OK(cudaMemset(a, 0, 20 * sizeof(int)));
#else
    OK(cudaMemset(a, 0, 32 * sizeof(int)));
#endif
    count<<<1, 32>>>(a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h == 32);
}
