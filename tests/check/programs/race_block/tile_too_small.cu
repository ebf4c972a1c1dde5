// A group of 16 threads waits for itself, and reads what the other group wrote. Guide, 11.5.2.1.
#include "../suite.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void swap(int *out) {
    __shared__ int tile[32];
#ifdef BUG
    auto group = cg::tiled_partition<16>(cg::this_thread_block());
#else
    auto group = cg::tiled_partition<32>(cg::this_thread_block());
#endif
    tile[threadIdx.x] = threadIdx.x; // bug: race.warp
    group.sync();
    out[threadIdx.x] = tile[31 - threadIdx.x]; // with
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    swap<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 31);
}
