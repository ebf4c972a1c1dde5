// A block branches on shared memory of another block of its cluster, which has not set it. Guide,
// 6.2.5.
#include "../suite.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) work(int *out) {
    __shared__ int value;
    cg::cluster_group cluster = cg::this_cluster();
#ifdef BUG
    if (threadIdx.x == 0 && cluster.block_rank() == 0)
        value = 1;
#else
    if (threadIdx.x == 0)
        value = 1;
#endif
    cluster.sync();
    int there = *cluster.map_shared_rank(&value, 1);
    out[blockIdx.x] = 0;
    if (there == 1) // bug: init.cluster
        out[blockIdx.x] = 1;
    cluster.sync();
}

int main() {
    int *out, h[2];
    OK(cudaMalloc(&out, sizeof h));
    work<<<2, 1>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 1 && h[1] == 1);
}
