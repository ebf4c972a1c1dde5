// Each half of the warp waits for itself, and reads what the other half wrote. Guide, 10.6:
// __syncwarp orders the lanes of its mask.
#include "../suite.h"

__global__ void swap(int *out) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x; // bug: race.warp
#ifdef BUG
    if (threadIdx.x < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
#else
    __syncwarp(0xffffffff);
#endif
    out[threadIdx.x] = tile[31 - threadIdx.x]; // with
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    swap<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 31);
}
