// cuda::ptx's wrappers of tcgen05 for a pair of blocks: each block has half of the rows of a and d
// and half of the columns of b; what is computed on the host, as a product of small integers.
// options: -arch=sm_100a
#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <cuda_fp16.h>

#include "tensor_operands.h"

namespace ptx = cuda::ptx;
enum { M = 256, N = 64, K = 16, ROWS = M / 2 };

__global__ void __cluster_dims__(2)
    multiply(const __half *a, const __half *b, float *d, uint32_t idesc) {
    __shared__ alignas(1024) __half sa[ROWS * K];
    __shared__ alignas(1024) __half sb[N / 2 * K];
    __shared__ alignas(8) uint64_t bar;
    __shared__ uint32_t where;
    int t = threadIdx.x, rank = blockIdx.x % 2;
    for (int k = 0; k < K; k++) {
        sa[place<K>(t, k)] = a[(rank * ROWS + t) * K + k];
        if (t < N / 2)
            sb[place<K>(t, k)] = b[(rank * N / 2 + t) * K + k];
    }
    ptx::fence_proxy_async(ptx::space_shared); // products read by the async proxy
    if (t == 0)
        ptx::mbarrier_init(&bar, 1);
    if (t < 32) {
        ptx::tcgen05_alloc(ptx::cta_group_2, &where, 64u);
        ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_2);
    }
    ptx::tcgen05_fence_before_thread_sync();
    __syncthreads();
    ptx::tcgen05_fence_after_thread_sync();
    uint32_t all = where, mine = all + (t / 32 << 21);
    float start[N], sum[N];
    for (int n = 0; n < N; n++)
        start[n] = (float)(rank * ROWS + t - n);
    ptx::tcgen05_st_32x32b(mine, start);
    ptx::tcgen05_wait_st();
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    if (t == 0 && rank == 0) {
        const uint32_t off[8] = {0, 0, 4, 0, 0, 0, 0, 1u << 31}; // rows 66 and 255 stay
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_2, all, descriptor(sa), descriptor(sb),
                         idesc, true);
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_2, all, descriptor(sa), descriptor(sb),
                         idesc, off, true, ptx::n32_t<1>{});
        ptx::tcgen05_commit_multicast(ptx::cta_group_2, &bar, (uint16_t)3);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0u))
        ;
    ptx::tcgen05_fence_after_thread_sync();
    ptx::tcgen05_ld_32x32b(sum, mine);
    ptx::tcgen05_wait_ld();
    for (int n = 0; n < N; n++)
        d[(rank * ROWS + t) * N + n] = sum[n];
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    if (t < 32)
        ptx::tcgen05_dealloc(ptx::cta_group_2, all, 64u);
}

int main() {
    auto launch = [](const __half *a, const __half *b, float *d) {
        multiply<<<2, ROWS>>>(a, b, d, 1 << 4 | N / 8 << 17 | M / 16 << 24);
    };
    return check_products<M, N, K>(launch, [](int m) { return m == 66 || m == 255; });
}
