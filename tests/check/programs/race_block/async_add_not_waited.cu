// A block of a cluster adds to the other one's shared memory (red.async), which reads it before its
// mbarrier object has told that the bytes have come. Guide, 10.29; PTX ISA, red.async.
#include "../tensor.h"
#include <cooperative_groups.h>

namespace ptx = cuda::ptx;

#define ADD_ASYNC(to, value, object)                                                               \
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 " \
                 "[%0], %1, [%2];"                                                                 \
                 :                                                                                 \
                 : "r"(to), "r"(value), "r"(object)                                                \
                 : "memory")

__device__ unsigned in_block(const void *p, unsigned rank) {
    unsigned at;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(at)
        : "r"((unsigned)__cvta_generic_to_shared(p)), "r"(rank));
    return at;
}

__global__ void __cluster_dims__(2) exchange(int *out) {
    __shared__ int tile[64];
    __shared__ uint64_t full;
    auto cluster = cooperative_groups::this_cluster();
    unsigned rank = cluster.block_rank(), other = 1 - rank;
    tile[threadIdx.x] = 1;
    if (threadIdx.x == 0) {
        object_begin(&full, 1);
        expect(&full, sizeof tile);
    }
    cluster.sync();
    int value = threadIdx.x + 64 * rank;
    unsigned to = in_block(&tile[threadIdx.x], other), object = in_block(&full, other);
    ADD_ASYNC(to, value, object); // bug: race.async
#ifndef BUG
    wait_for(&full, 0);
#endif
    out[64 * rank + threadIdx.x] = tile[63 - threadIdx.x]; // with
    wait_for(&full, 0);
    cluster.sync();
}

int main() {
    int h[128], *out;
    OK(cudaMalloc(&out, sizeof h));
    exchange<<<2, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 128 && h[64] == 64);
}
