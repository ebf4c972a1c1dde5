// cuda::ptx's wrappers of tcgen05: what is computed on the host, as a product of small integers.
#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <cuda_fp16.h>

namespace ptx = cuda::ptx;
enum { M = 128, N = 32, K = 16, PIECE = 8 };

// Rows of k, without a swizzle: pieces of 16 bytes, 8 rows of one next to each other.
__host__ __device__ int place(int row, int k) {
    return row / 8 * (8 * K) + k / PIECE * (8 * PIECE) + row % 8 * PIECE + k % PIECE;
}

__device__ uint64_t descriptor(const void *p) {
    uint64_t at = (uint64_t)__cvta_generic_to_shared(p) >> 4;
    return at | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32 | (uint64_t)1 << 46;
}

__global__ void multiply(const __half *a, const __half *b, float *d, uint32_t idesc) {
    __shared__ alignas(1024) __half sa[M * K];
    __shared__ alignas(1024) __half sb[N * K];
    __shared__ alignas(8) uint64_t bar;
    __shared__ uint32_t where;
    int t = threadIdx.x;
    for (int k = 0; k < K; k++) {
        sa[place(t, k)] = a[t * K + k];
        if (t < N)
            sb[place(t, k)] = b[t * K + k];
    }
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
    __half *a, *b;
    float *d;
    cudaMallocManaged(&a, M * K * sizeof *a);
    cudaMallocManaged(&b, N * K * sizeof *b);
    cudaMallocManaged(&d, M * N * sizeof *d);
    for (int i = 0; i < M * K; i++)
        a[i] = __float2half((float)(i * 7 % 11 - 5));
    for (int i = 0; i < N * K; i++)
        b[i] = __float2half((float)(i * 5 % 13 - 6));
    multiply<<<3, M>>>(a, b, d, 1 << 4 | N / 8 << 17 | M / 16 << 24);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    int wrong = 0;
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float product = 0, want;
            for (int k = 0; k < K; k++)
                product += __half2float(a[m * K + k]) * __half2float(b[n * K + k]);
            want = (float)(m - n) + product;
            want = m == 66 ? want : want / 2 + product;
            wrong += d[m * N + n] != want;
        }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
