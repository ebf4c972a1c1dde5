// Half of a warp names all lanes, the other half itself alone: the named threads do not use the
// same mask. Guide, 10.6.
#include "../suite.h"

__global__ void work(int *out) {
    unsigned half = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
    if (threadIdx.x < 16) {
#ifdef BUG
        __syncwarp(); // bug: sync.mask
#else
        __syncwarp(half);
#endif
        out[threadIdx.x] = 1;
    } else {
        __syncwarp(half); // or
        out[threadIdx.x] = 1;
    }
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[31] == 1);
}
