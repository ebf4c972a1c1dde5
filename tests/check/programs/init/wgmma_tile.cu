// A warpgroup multiplies by a tile of shared memory of which the last column was never written, and
// its sums go to the host. Guide, 6.2.2 (shared memory has no initial values); 10.24.
// options: -arch=sm_90a
#include "../wgmma.h"

__global__ void multiply(float *out) {
    __shared__ alignas(128) __half a[64 * 16], b[8 * 16];
    for (int k = threadIdx.x; k < 56 * 16; k += 128) // rows that nobody looks at stay as they are
        a[k] = __int2half_rn(1);
    int column = threadIdx.x % 64 / 8; // of pieces of 8 by 8
#ifdef BUG
    if (column < 7)
#endif
        b[threadIdx.x] = __int2half_rn(column);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    float d[4] = {};
    PRODUCT(d, descriptor_of(a, 128, 256), descriptor_of(b, 128, 256)); // or
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    for (int k = 0; k < 4; k++)
        if (row + k / 2 * 8 < 56)
            out[(row + k / 2 * 8) * 8 + threadIdx.x % 4 * 2 + k % 2] = d[k]; // bug: init.matrix
}

int main() {
    float *out, h[56 * 8];
    OK(cudaMalloc(&out, sizeof h));
    multiply<<<1, 128>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 0 && h[3] == 48 && h[55 * 8 + 7] == 112);
}
