// A warp's sum in shared memory counts on lanes that step together. Guide, 7.1 and 10.6: __syncwarp
// orders them.
#include "../suite.h"

__global__ void sum(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    s[threadIdx.x + 32] = 0;
    __syncthreads();
    for (int d = 16; d > 0; d /= 2) {
        int v = s[threadIdx.x + d]; // bug: race.warp
#ifndef BUG
        __syncwarp();
#endif
        s[threadIdx.x] += v; // with
        __syncwarp();
    }
    out[threadIdx.x] = s[0];
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    sum<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 496);
}
