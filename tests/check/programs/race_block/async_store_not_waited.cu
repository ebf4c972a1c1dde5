// A block of a cluster stores into the other one's shared memory (st.async), which reads it behind
// the cluster's barrier and not behind a wait for its mbarrier object. Guide, 10.29; PTX ISA,
// st.async: the object tells when it is done.
#include "../tensor.h"
#include <cooperative_groups.h>

namespace ptx = cuda::ptx;

#define STORE_ASYNC(to, value, object)                                                             \
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"  \
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
    if (threadIdx.x == 0) {
        object_begin(&full, 1);
        expect(&full, sizeof tile);
    }
    cluster.sync();
    int value = threadIdx.x + 64 * rank;
    unsigned to = in_block(&tile[threadIdx.x], other), object = in_block(&full, other);
    STORE_ASYNC(to, value, object); // bug: race.async
#ifdef BUG
    cluster.sync();
#else
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
    return verdict(h[0] == 127 && h[64] == 63);
}
