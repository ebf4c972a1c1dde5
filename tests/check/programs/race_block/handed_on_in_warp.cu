// A warp synchronises itself between what two of its lanes do to a word; another warp reads it.
// Guide, 5.4.4: __syncwarp orders lanes of one warp alone.
#include "../suite.h"

__global__ void hand_on(int *out) {
    __shared__ int tile[32];
    int lane = threadIdx.x % 32, sum = 0;
    if (threadIdx.x < 32) {
        tile[lane] = lane;
        __syncwarp();
        sum = tile[31 - lane];
        __syncwarp();
        tile[lane] = sum; // bug: race.block
    }
#ifndef BUG
    __syncthreads();
#endif
    if (threadIdx.x >= 32)
        sum = tile[lane]; // with
    out[threadIdx.x] = sum;
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    hand_on<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 31 && h[32] == 31 && h[63] == 0);
}
