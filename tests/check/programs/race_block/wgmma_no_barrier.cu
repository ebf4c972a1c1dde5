// A warpgroup multiplies by what its warps wrote to shared memory, and no barrier is between.
// Guide, 5.4.4.1: each warp reads all of b. options: -arch=sm_90a
#include "../wgmma.h"

__global__ void multiply(float *out) {
    __shared__ alignas(128) __half a[64 * 16], b[8 * 16];
    for (int k = threadIdx.x; k < 64 * 16; k += 128)
        a[k] = __int2half_rn(1);
    b[threadIdx.x] = __int2half_rn(threadIdx.x % 2); // with
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
#ifndef BUG
    __syncthreads();
#endif
    float d[4] = {};
    PRODUCT(d, descriptor_of(a, 128, 256), descriptor_of(b, 128, 256)); // bug: race.wgmma
    for (int k = 0; k < 4; k++)
        out[4 * threadIdx.x + k] = d[k];
}

int main() {
    float *out, h[512];
    OK(cudaMalloc(&out, sizeof h));
    multiply<<<1, 128>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 8 && h[511] == 8);
}
