// The grid's barrier in a kernel that was launched without cudaLaunchCooperativeKernel. Guide,
// 11.8.
// ends: deadlock
#include "../suite.h"
#include <cooperative_groups.h>

#ifdef BUG
#define LAUNCH work<<<2, 1>>>(out)
#else
static void **arguments(int **out) {
    static void *list[1];
    list[0] = out;
    return list;
}

#define LAUNCH OK(cudaLaunchCooperativeKernel(work, dim3(2), dim3(1), arguments(&out), 0, 0))
#endif

__global__ void work(int *out) {
    out[blockIdx.x] = blockIdx.x + 1;
    cooperative_groups::this_grid().sync(); // bug: sync.cooperative
    if (blockIdx.x == 0)
        out[0] = out[1];
}

int main() {
    int *out, h[2];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    LAUNCH;
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 2);
}
