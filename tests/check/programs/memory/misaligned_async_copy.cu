// An asynchronous copy of 16 bytes from an address that is a multiple of 4 alone. Guide, 10.27.
#include "../suite.h"
#include <cuda_pipeline.h>

__global__ void copy(const int *a, int *out, int shift) {
    __shared__ alignas(16) int s[128];
    const int *from = a + shift + threadIdx.x * 4;
    __pipeline_memcpy_async(s + threadIdx.x * 4, from, 16); // bug: memory.misaligned
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x * 4];
}

int main() {
    int *a, *out, h[132] = {};
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&out, 32 * sizeof(int)));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
#ifdef BUG
    copy<<<1, 32>>>(a, out, 1);
    cudaDeviceSynchronize();
    return verdict(true);
#else
    copy<<<1, 32>>>(a, out, 4);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h[0] == 0);
#endif
}
