// Threads of one block of a cluster tell an object of the other one that they have taken what it
// holds, and the other block ends when all have: it needs no barrier of the cluster for that.
// Guide, 6.2.5: a block must exist until others have accessed its shared memory.
#include "../programs/tensor.h"
#include <cooperative_groups.h>

namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(2) hand_over(int *out) {
    __shared__ int tile[64];
    __shared__ uint64_t empty;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0)
        object_begin(&empty, 64);
    tile[threadIdx.x] = threadIdx.x;
    cluster.sync();
    if (cluster.block_rank() == 1) {
        out[threadIdx.x] = *cluster.map_shared_rank(&tile[threadIdx.x], 0);
        uint64_t *theirs = cluster.map_shared_rank(&empty, 0);
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, theirs);
    } else {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &empty, 0))
            ;
    }
}

int main() {
    int h[64], *out;
    OK(cudaMalloc(&out, sizeof h));
    hand_over<<<2, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 0 && h[63] == 63);
}
