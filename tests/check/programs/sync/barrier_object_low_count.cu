// A barrier object expects half of the threads that arrive, so that threads go on early, or
// wait for a phase that is over. Guide, 10.26.2.
#include "../suite.h"
#include <cuda/barrier>

__global__ void turn(int *out) {
    __shared__ int s[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
#ifdef BUG
        init(&bar, blockDim.x / 2);
#else
        init(&bar, blockDim.x);
#endif
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;            // or
    bar.arrive_and_wait();                   // bug: sync.count
    out[threadIdx.x] = s[127 - threadIdx.x]; // with
}

int main() {
    int *out, h[128];
    OK(cudaMalloc(&out, sizeof h));
    turn<<<1, 128>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[127] == 0);
}
