// A tile is filled again while threads may still read it: the loop has one barrier, not two. Guide,
// 10.6.
#include "../suite.h"

__global__ void rotate(int *out) {
    __shared__ int tile[64];
    int v = threadIdx.x;
    for (int i = 0; i < 8; ++i) {
        tile[threadIdx.x] = v; // bug: race.block
        __syncthreads();
        v = tile[(threadIdx.x + 1) % 64]; // with
#ifndef BUG
        __syncthreads();
#endif
    }
    out[threadIdx.x] = v;
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    rotate<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 8);
}
