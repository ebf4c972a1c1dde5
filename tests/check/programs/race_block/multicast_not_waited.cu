// A bulk copy (TMA) to both blocks of a cluster is read by the one that did not issue it before its
// own mbarrier object has told that the bytes have come. Guide, 10.29.1.
#include "../tensor.h"
#include <cooperative_groups.h>

namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(2) copy(const int *in, int *out) {
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t full;
    const auto to = ptx::space_cluster;
    const auto from = ptx::space_global;
    const uint16_t both = 3;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
        object_begin(&full, 1);
        expect(&full, sizeof tile);
    }
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0)
        ptx::cp_async_bulk(to, from, tile, in, sizeof tile, &full, both); // bug: race.bulk
#ifndef BUG
    wait_for(&full, 0);
#endif
    out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x]; // with
#ifdef BUG
    wait_for(&full, 0);
#endif
    cluster.sync();
}

int main() {
    int h[128], *in, *out;
    for (int k = 0; k < 64; k++)
        h[k] = k;
    OK(cudaMalloc(&in, 64 * sizeof(int)));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(in, h, 64 * sizeof(int), cudaMemcpyHostToDevice));
    copy<<<2, 64>>>(in, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[63] == 63 && h[127] == 63);
}
