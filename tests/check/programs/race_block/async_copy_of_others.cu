// Each thread waits for its own copies and reads another's, without a barrier. Guide, 10.27.4 and
// 10.28.4.3.
#include "../suite.h"
#include <cuda_pipeline.h>

__device__ int source[64];

__global__ void fill() {
    source[threadIdx.x] = threadIdx.x;
}

__global__ void copy(int *out) {
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &source[threadIdx.x], 4); // bug: race.async
    __pipeline_commit();
    __pipeline_wait_prior(0);
#ifndef BUG
    __syncthreads();
#endif
    out[threadIdx.x] = tile[63 - threadIdx.x]; // with
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    fill<<<1, 64>>>();
    copy<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 63);
}
