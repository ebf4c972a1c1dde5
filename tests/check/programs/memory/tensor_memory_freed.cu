// Tensor memory is read behind a barrier behind which its columns have been given back. Guide, 10;
// PTX ISA, tcgen05.dealloc.
// options: -arch=sm_100a
#include "../suite.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void read(float *out) {
    __shared__ uint32_t place;
    int t = threadIdx.x;
    float one[4] = {1, 2, 3, 4}, found[4];
    if (t < 32)
        ptx::tcgen05_alloc(ptx::cta_group_1, &place, 32u);
    ptx::tcgen05_fence_before_thread_sync();
    __syncthreads();
    ptx::tcgen05_fence_after_thread_sync();
    uint32_t mine = place + (t / 32 << 21);
    ptx::tcgen05_st_32x32b(mine, one);
    ptx::tcgen05_wait_st();
#ifdef BUG
    __syncthreads();
    if (t < 32)
        ptx::tcgen05_dealloc(ptx::cta_group_1, place, 32u);
    __syncthreads();
#endif
    ptx::tcgen05_ld_32x32b(found, mine); // bug: memory.tensor
    ptx::tcgen05_wait_ld();
    out[t] = found[3];
#ifndef BUG
    __syncthreads();
    if (t < 32)
        ptx::tcgen05_dealloc(ptx::cta_group_1, place, 32u);
#endif
}

int main() {
    float h[128], *out;
    OK(cudaMalloc(&out, sizeof h));
    read<<<1, 128>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 4 && h[127] == 4);
}
