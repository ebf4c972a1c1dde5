// cuda::ptx's wrappers of tcgen05: what is computed on the host, as a product of small integers.
// options: -arch=sm_100a
#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <cuda_fp16.h>

#include "tensor_operands.h"

namespace ptx = cuda::ptx;
enum { M = 128, N = 32, K = 16 };

__global__ void multiply(const __half *a, const __half *b, float *d, uint32_t idesc) {
    __shared__ alignas(1024) __half sa[M * K];
    __shared__ alignas(1024) __half sb[N * K];
    __shared__ alignas(8) uint64_t bar;
    __shared__ uint32_t where;
    int t = threadIdx.x;
    for (int k = 0; k < K; k++) {
        sa[place<K>(t, k)] = a[t * K + k];
        if (t < N)
            sb[place<K>(t, k)] = b[t * K + k];
    }
    ptx::fence_proxy_async(ptx::space_shared); // products read by the async proxy
    if (t == 0)
        ptx::mbarrier_init(&bar, 1);
    if (t < 32) {
        ptx::tcgen05_alloc(ptx::cta_group_1, &where, 64u);
        ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_1);
    }
    ptx::tcgen05_fence_before_thread_sync();
    __syncthreads();
    ptx::tcgen05_fence_after_thread_sync();
    uint32_t all = where, mine = all + (t / 32 << 21);
    float start[N], sum[N];
    for (int n = 0; n < N; n++)
        start[n] = (float)(t - n);
    ptx::tcgen05_st_32x32b(mine, start);
    ptx::tcgen05_wait_st();
    __syncthreads();
    if (t == 0) {
        const uint32_t off[4] = {0, 0, 4, 0}; // row 66 stays
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, all, descriptor(sa), descriptor(sb),
                         idesc, true);
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, all, descriptor(sa), descriptor(sb),
                         idesc, off, true, ptx::n32_t<1>{});
        ptx::tcgen05_commit(ptx::cta_group_1, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0u))
        ;
    ptx::tcgen05_fence_after_thread_sync();
    ptx::tcgen05_ld_32x32b(sum, mine);
    ptx::tcgen05_wait_ld();
    for (int n = 0; n < N; n++)
        d[t * N + n] = sum[n];
    __syncthreads();
    if (t < 32)
        ptx::tcgen05_dealloc(ptx::cta_group_1, all, 64u);
}

int main() {
    auto launch = [](const __half *a, const __half *b, float *d) {
        multiply<<<3, M>>>(a, b, d, 1 << 4 | N / 8 << 17 | M / 16 << 24);
    };
    return check_products<M, N, K>(launch, [](int m) { return m == 66; });
}
