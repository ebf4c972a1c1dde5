// Threads write the next tile to shared memory while a product of their warpgroup may still read
// the last one: a barrier waits for threads alone. Guide, 10.24; PTX ISA, wgmma.mma_async: what it
// reads may not be changed before wgmma.wait_group. options: -arch=sm_90a
#include "../wgmma.h"

__global__ void multiply(float *out) {
    __shared__ alignas(128) __half a[64 * 16], b[8 * 16];
    for (int k = threadIdx.x; k < 64 * 16; k += 128)
        a[k] = __int2half_rn(1);
    float d[4] = {};
    for (int n = 0; n < 2; n++) {
        b[threadIdx.x] = __int2half_rn(n); // bug: race.wgmma
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
        __syncthreads();
        START_PRODUCT(d, descriptor_of(a, 128, 256), descriptor_of(b, 128, 256)); // with
#ifndef BUG
        WAIT_FOR_PRODUCTS(d, 0);
#endif
        __syncthreads();
    }
    WAIT_FOR_PRODUCTS(d, 0);
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
    return verdict(h[0] == 16 && h[511] == 16);
}
