// One block of a cooperative grid leaves without the grid's barrier that the others wait at. Guide,
// 11.6.
// ends: deadlock
#include "../suite.h"
#include <cooperative_groups.h>

__global__ void work(int *out) {
    auto grid = cooperative_groups::this_grid();
#ifdef BUG
    if (blockIdx.x == 3) {
        out[3] = 1;
        return;
    }
#endif
    out[blockIdx.x] = 1;
    grid.sync(); // bug: sync.deadlock
}

int main() {
    int *out, h[4];
    OK(cudaMalloc(&out, sizeof h));
    void *arguments[] = {&out};
    OK(cudaLaunchCooperativeKernel(work, dim3(4), dim3(32), arguments, 0, 0));
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[3] == 1);
}
