// cuda::ptx's wrappers of tcgen05 for a pair of blocks: each block has half of the rows of a and d
// and half of the columns of b; what is computed on the host, as a product of small integers.
#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <cuda_fp16.h>

namespace ptx = cuda::ptx;
enum { M = 256, N = 64, K = 16, PIECE = 8, ROWS = M / 2 };

// Rows of k, without a swizzle: pieces of 16 bytes, 8 rows of one next to each other.
__host__ __device__ int place(int row, int k) {
    return row / 8 * (8 * K) + k / PIECE * (8 * PIECE) + row % 8 * PIECE + k % PIECE;
}

__device__ uint64_t descriptor(const void *p) {
    uint64_t at = ((uint64_t)__cvta_generic_to_shared(p) & 0x3ffff) >> 4;
    return at | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32 | (uint64_t)1 << 46;
}

__global__ void __cluster_dims__(2)
    multiply(const __half *a, const __half *b, float *d, uint32_t idesc) {
    __shared__ alignas(1024) __half sa[ROWS * K];
    __shared__ alignas(1024) __half sb[N / 2 * K];
    __shared__ alignas(8) uint64_t bar;
    __shared__ uint32_t where;
    int t = threadIdx.x, rank = blockIdx.x % 2;
    for (int k = 0; k < K; k++) {
        sa[place(t, k)] = a[(rank * ROWS + t) * K + k];
        if (t < N / 2)
            sb[place(t, k)] = b[(rank * N / 2 + t) * K + k];
    }
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
    __half *a, *b;
    float *d;
    cudaMallocManaged(&a, M * K * sizeof *a);
    cudaMallocManaged(&b, N * K * sizeof *b);
    cudaMallocManaged(&d, M * N * sizeof *d);
    for (int i = 0; i < M * K; i++)
        a[i] = __float2half((float)(i * 7 % 11 - 5));
    for (int i = 0; i < N * K; i++)
        b[i] = __float2half((float)(i * 5 % 13 - 6));
    multiply<<<2, ROWS>>>(a, b, d, 1 << 4 | N / 8 << 17 | M / 16 << 24);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    int wrong = 0;
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float product = 0;
            for (int k = 0; k < K; k++)
                product += (float)((m * K + k) * 7 % 11 - 5) * ((n * K + k) * 5 % 13 - 6);
            float want = (float)(m - n) + product;
            if (m != 66 && m != 255)
                want = want / 2 + product;
            wrong += d[m * N + n] != want;
        }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
