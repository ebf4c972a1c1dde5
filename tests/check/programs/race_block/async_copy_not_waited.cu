// An asynchronous copy's result is read before the thread waits for it. Guide, 10.28.4.
#include "../suite.h"
#include <cuda_pipeline.h>

__device__ int source[32];

__global__ void fill() {
    source[threadIdx.x] = threadIdx.x;
}

__global__ void copy(int *out) {
    __shared__ int tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &source[threadIdx.x], 4); // bug: race.async
    __pipeline_commit();
#ifndef BUG
    __pipeline_wait_prior(0);
#endif
    out[threadIdx.x] = tile[threadIdx.x]; // with
#ifdef BUG
    __pipeline_wait_prior(0);
#endif
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    fill<<<1, 32>>>();
    copy<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[31] == 31);
}
