// Of two groups of products in flight the second one's sum is read, where the warpgroup has waited
// for all but the last one. Guide, 10.29.1; PTX ISA, wgmma.wait_group.
#include "../wgmma.h"

namespace ptx = cuda::ptx;
enum { STEPS = 4, TILE = 8 * 16 };

__global__ void multiply(const __half *in, float *out) {
    __shared__ alignas(128) __half a[64 * 16], b[2][TILE];
    for (int k = threadIdx.x; k < 64 * 16; k += 128)
        a[k] = __int2half_rn(1);
    for (int k = threadIdx.x; k < 2 * TILE; k += 128)
        b[k / TILE][k % TILE] = in[k];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    float one[4] = {}, other[4] = {}, most = 0;
    for (int n = 0; n < STEPS; n++) {
        START_PRODUCT(one, descriptor_of(a, 128, 256), descriptor_of(b[0], 128, 256));
        START_PRODUCT(other, descriptor_of(a, 128, 256), descriptor_of(b[1], 128, 256)); // with
        WAIT_FOR_PRODUCTS(one, 1);
#ifdef BUG
        most = fmaxf(most, other[n]); // bug: race.wgmma
#else
        most = fmaxf(most, one[n]);
#endif
        WAIT_FOR_PRODUCTS(other, 0);
    }
    for (int k = 0; k < 4; k++)
        out[4 * threadIdx.x + k] = one[k] + other[k] + most;
}

int main() {
    __half *in;
    float *out;
    OK(cudaMallocManaged(&in, 2 * TILE * sizeof *in));
    OK(cudaMallocManaged(&out, 512 * sizeof *out));
    for (int k = 0; k < 2 * TILE; k++)
        in[k] = __half(1 + k / TILE);
    multiply<<<1, 128>>>(in, out);
    OK(cudaDeviceSynchronize());
    bool right = out[0] == 64 + 128 + 64 && out[511] == 64 + 128 + 64;
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(right);
}
