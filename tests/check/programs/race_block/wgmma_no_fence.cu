// A warpgroup multiplies what its threads wrote to shared memory without the fence between the two
// proxies. Guide, 10.29.1; PTX ISA, wgmma.mma_async: fence.proxy.async behind the writes.
// options: -arch=sm_90a
#include "../wgmma.h"

__global__ void multiply(float *out) {
    __shared__ alignas(128) __half a[64 * 16], b[8 * 16];
    for (int k = threadIdx.x; k < 64 * 16; k += 128)
        a[k] = __int2half_rn(1);
    b[threadIdx.x] = __int2half_rn(threadIdx.x % 2); // or
#ifndef BUG
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
#endif
    __syncthreads();
    float d[4] = {};
    PRODUCT(d, descriptor_of(a, 128, 256), descriptor_of(b, 128, 256)); // bug: race.proxy
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
