// A lane calls __syncwarp with a mask in which it is not. Guide, 10.6: each calling thread has its
// bit in the mask.
#include "../suite.h"

__global__ void work(int *out) {
#ifdef BUG
    __syncwarp(0x7fffffff); // bug: sync.mask
#else
    __syncwarp(0xffffffff);
#endif
    out[threadIdx.x] = 1;
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
