// A warp's lanes come to two barriers of the source on two ways of one branch. Guide, 10.6: in
// conditional code only if the whole block goes one way.
#include "../suite.h"

__global__ void work(int *out) {
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 1;
#ifdef BUG
    if (threadIdx.x % 2 == 0)
        __syncthreads(); // bug: sync.barrier
    else
        __syncthreads(); // or
#else
    __syncthreads();
#endif
    out[threadIdx.x] = n;
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
