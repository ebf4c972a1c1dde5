// A block reads shared memory of a block of its cluster that may have ended. Guide, 6.2.5: all
// blocks must exist until the last such access, so the cluster meets at the end.
#include "../suite.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) work(int *out) {
    __shared__ int value;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        value = 10 + cluster.block_rank();
    cluster.sync();
    int *there = cluster.map_shared_rank(&value, 1);
    if (cluster.block_rank() == 0)
        out[threadIdx.x] = *there; // bug: memory.cluster
#ifndef BUG
    cluster.sync();
#endif
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    work<<<2, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[31] == 11);
}
