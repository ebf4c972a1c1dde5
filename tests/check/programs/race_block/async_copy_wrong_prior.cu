// The wait leaves one batch of copies out, the one that is read next. Guide, 10.28.4.3.
#include "../suite.h"
#include <cuda_pipeline.h>

__device__ int4 source[2] = {{4, 4, 4, 4}, {5, 5, 5, 5}};

__global__ void copy(int *out) {
    __shared__ int4 tile[2][32];
    for (int i = 0; i < 2; ++i) {
        __pipeline_memcpy_async(&tile[i][threadIdx.x], &source[i], sizeof(int4)); // bug: race.async
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    out[threadIdx.x] = tile[0][threadIdx.x].w;
#ifdef BUG
    out[32 + threadIdx.x] = tile[1][threadIdx.x].w; // with
    __pipeline_wait_prior(0);
#else
    __pipeline_wait_prior(0);
    out[32 + threadIdx.x] = tile[1][threadIdx.x].w;
#endif
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    copy<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[31] == 4 && h[63] == 5);
}
