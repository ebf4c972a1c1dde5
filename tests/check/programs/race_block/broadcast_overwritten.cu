// All lanes of a warp read each other's words one after the other, and a lane stores its next one
// without waiting for them. Guide, 5.4.4.1.
#include "../suite.h"

__global__ void sums(int *out) {
    __shared__ int s[2][32];
    int w = (int)threadIdx.x / 32, l = (int)threadIdx.x % 32, x = 0;
    for (int round = 0; round < 3; round++) {
        s[w][l] = l + round; // bug: race.warp
        __syncwarp();
        for (int k = 0; k < 32; k++)
            x += s[w][k] * (l + 1); // with
#ifndef BUG
        __syncwarp();
#endif
    }
    out[threadIdx.x] = x;
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    sums<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[1] == 2 * (3 * 496 + 96));
}
