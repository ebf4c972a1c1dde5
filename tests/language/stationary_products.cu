// cuda::ptx's wrappers of tcgen05.mma.ws and of collectors: a product of small integers with all
// columns of b, and another one with those that a descriptor leaves, as the host computes them.
// options: -arch=sm_100a
#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <cuda_fp16.h>

#include "tensor_operands.h"

namespace ptx = cuda::ptx;
enum { M = 128, N = 64, K = 16, SKIPPED = 3, USED = 5, LATE = 2 };

// The first span is of columns that are used and lacks LATE of them.
__host__ __device__ bool is_used(int n) {
    return (n + LATE) % (SKIPPED + USED) < USED;
}

__global__ void multiply(const __half *a, const __half *b, float *d) {
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
    if (t < 32)
        ptx::tcgen05_alloc(ptx::cta_group_1, &where, 64u);
    ptx::tcgen05_fence_before_thread_sync();
    __syncthreads();
    ptx::tcgen05_fence_after_thread_sync();
    if (t == 0) {
        const uint32_t idesc = 1 << 4 | N / 8 << 17 | M / 16 << 24;
        const uint64_t columns =
            LATE | (uint64_t)1 << 39 | (uint64_t)(SKIPPED - 1) << 40 | (uint64_t)(USED - 1) << 48;
        ptx::tcgen05_mma_ws_collector_b1_fill(ptx::cta_group_1, ptx::kind_f16, where,
                                              descriptor(sa), descriptor(sb), idesc, false);
        ptx::tcgen05_mma_ws_collector_b1_lastuse(ptx::cta_group_1, ptx::kind_f16, where,
                                                 descriptor(sa), descriptor(sb), idesc, true,
                                                 columns);
        ptx::tcgen05_commit(ptx::cta_group_1, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0u))
        ;
    ptx::tcgen05_fence_after_thread_sync();
    float sum[N];
    ptx::tcgen05_ld_32x32b(sum, where + (t / 32 << 21));
    ptx::tcgen05_wait_ld();
    for (int n = 0; n < N; n++)
        d[t * N + n] = sum[n];
    __syncthreads();
    if (t < 32)
        ptx::tcgen05_dealloc(ptx::cta_group_1, where, 64u);
}

// Not launched: these compile.
__global__ void forms(uint32_t d, uint32_t a, uint64_t da, uint64_t db, uint32_t idesc) {
    ptx::tcgen05_mma_ws_tmem_a_collector_b3_discard(ptx::cta_group_1, ptx::kind_i8, d, a, db, idesc,
                                                    true, (uint64_t)0);
    ptx::tcgen05_mma_ws_tmem_a_collector_b0_use(ptx::cta_group_1, ptx::kind_tf32, d, a, db, idesc,
                                                true);
    ptx::tcgen05_mma_block_scale_vec_1x_collector_a_fill(ptx::kind_mxf8f6f4, ptx::cta_group_1, d,
                                                         da, db, idesc, a, a, true);
    ptx::tcgen05_mma_block_scale_vec_2_tmem_a_collector_a_lastuse(ptx::kind_mxf4, ptx::cta_group_2,
                                                                  d, a, db, idesc, a, a, true);
    ptx::tcgen05_mma_block_scale_block16_tmem_a_collector_a_discard(
        ptx::kind_mxf4nvf4, ptx::cta_group_2, d, a, db, idesc, a, a, true);
}

int main() {
    __half *a, *b;
    float *d;
    cudaMallocManaged(&a, M * K * sizeof *a);
    cudaMallocManaged(&b, N * K * sizeof *b);
    cudaMallocManaged(&d, M * N * sizeof *d);
    for (int i = 0; i < M * K; i++)
        a[i] = __float2half(a_at(i));
    for (int i = 0; i < N * K; i++)
        b[i] = __float2half(b_at(i));
    multiply<<<2, M>>>(a, b, d);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    int wrong = 0, skipped = 0;
    for (int n = 0; n < N; n++) {
        skipped += !is_used(n);
        for (int m = 0; m < M; m++) {
            float product = 0;
            for (int k = 0; k < K; k++)
                product += a_at(m * K + k) * b_at(n * K + k);
            wrong += d[m * N + n] != product * (is_used(n) ? 2 : 1);
        }
    }
    printf("%d wrong, %d columns left out\n", wrong, skipped);
    return wrong || skipped != 24;
}
