// The other half of the block reads before it is sure that the elements are written. Guide, 10.6
// and 6.2.4.
#include "../suite.h"

__global__ void reverse(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x; // bug: race.block
#ifndef BUG
    __syncthreads();
#endif
    out[threadIdx.x] = tile[63 - threadIdx.x]; // with
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    reverse<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 63);
}
