// The second phase of a cooperative kernel reads what other blocks wrote in the first. Guide, 11.8.
#include "../suite.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void work(int *a, int *b) {
    a[blockIdx.x] = blockIdx.x + 1; // bug: race.grid
#ifdef BUG
    cg::this_thread_block().sync();
#else
    cg::this_grid().sync();
#endif
    b[blockIdx.x] = a[gridDim.x - 1 - blockIdx.x]; // with
}

int main() {
    int *a, *b, h[2];
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMemset(a, 0, sizeof h));
    void *arguments[] = {&a, &b};
    OK(cudaLaunchCooperativeKernel((const void *)work, dim3(2), dim3(1), arguments, 0, 0));
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 2 && h[1] == 1);
}
