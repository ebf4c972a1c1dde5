// One thread leaves the first of two barriers out, and meets the others of its block at another.
// Guide, 10.6.
#include "../suite.h"

__global__ void work(int *out) {
    int t = threadIdx.x;
#ifdef BUG
    if (t != 3)
#endif
        __syncthreads(); // bug: sync.barrier
    out[t] = 1;
    __syncthreads(); // or
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 1);
}
