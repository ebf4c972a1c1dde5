// The count of a named barrier is no multiple of the warp's size. PTX barrier.sync; guide, 10.6.
#include "../suite.h"

#ifdef BUG
#define COUNT 50
#else
#define COUNT 64
#endif

__global__ void work(int *out, int count) {
    asm volatile("barrier.sync 1, %0;" ::"r"(count) : "memory"); // bug: sync.count
    out[threadIdx.x] = 1;
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 64>>>(out, COUNT);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[63] == 1);
}
