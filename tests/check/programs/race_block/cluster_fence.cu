// The cluster's barrier is arrived at with .relaxed, and no fence is made before, which would
// publish the writes. PTX barrier.cluster; guide, 6.2.5 and 10.5.
#include "../suite.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) work(int *out) {
    __shared__ int inbox;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    cluster.sync();
    *cluster.map_shared_rank(&inbox, 1 - rank) = 10 + rank; // bug: race.cluster
#ifndef BUG
    __threadfence();
#endif
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    out[blockIdx.x] = inbox; // with
}

int main() {
    int *out, h[2];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<2, 1>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 11 && h[1] == 10);
}
