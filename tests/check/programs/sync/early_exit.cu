// A thread ends without dropping out of a cuda::barrier whose later phases expect it. Guide,
// 10.26.6.
// ends: deadlock
#include "../suite.h"
#include <cuda/barrier>

__global__ void work(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    if (threadIdx.x == 0)
        init(&b, blockDim.x);
    __syncthreads();
    b.arrive_and_wait();
    if (threadIdx.x == 63) {
#ifndef BUG
        b.arrive_and_drop();
#endif
        return;
    }
    b.arrive_and_wait(); // bug: sync.object
    out[threadIdx.x] = 2;
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 2);
}
