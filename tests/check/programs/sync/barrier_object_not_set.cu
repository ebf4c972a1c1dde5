// A cuda::barrier in shared memory is used and was never set up: its memory holds anything. Guide,
// 10.26.3.
// ends: deadlock
#include "../suite.h"
#include <cuda/barrier>

__global__ void work(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
#ifndef BUG
    if (threadIdx.x == 0)
        init(&b, blockDim.x);
#endif
    __syncthreads();
    b.arrive_and_wait(); // bug: sync.object
    out[threadIdx.x] = 1;
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[63] == 1);
}
