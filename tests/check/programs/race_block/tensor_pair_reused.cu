// The second block of a pair overwrites its half of a matrix that a product of the pair
// (tcgen05.mma, cta_group::2) may still read: it does not wait for its mbarrier object, which the
// commit tells in each block. Guide, 10.29; PTX ISA, tcgen05.commit.
// options: -arch=sm_100a
#include "../tcgen05.h"
#include <cooperative_groups.h>

namespace ptx = cuda::ptx;
enum { ROWS = 128, COLUMNS = 64, HALF = COLUMNS / 2, K = 16, STEPS = 3 };

__global__ void __cluster_dims__(2) multiply(float *out) {
    __shared__ alignas(1024) __half a[ROWS * K], b[HALF * K];
    __shared__ uint64_t done;
    __shared__ uint32_t place;
    const uint32_t product = 1 << 4 | COLUMNS / 8 << 17 | 2 * ROWS / 16 << 24;
    auto cluster = cooperative_groups::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    uint64_t x = descriptor_of(a), y = descriptor_of(b);
    for (int k = 0; k < K; k++)
        a[piece_of(t, k)] = __half(1);
    if (t == 0)
        object_begin(&done, 1);
    if (t < 32)
        ptx::tcgen05_alloc(ptx::cta_group_2, &place, (uint32_t)COLUMNS);
    for (int n = 0; n < STEPS; n++) {
        if (t < HALF)
            for (int k = 0; k < K; k++)
                b[piece_of(t, k)] = __half(n + rank * HALF + t); // bug: race.tensor
        ptx::fence_proxy_async(ptx::space_shared);
        cluster.sync();
        ptx::tcgen05_fence_after_thread_sync();
        if (t == 0 && rank == 0) {
            ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_2, place, x, y, product, n > 0); // with
            ptx::tcgen05_commit_multicast(ptx::cta_group_2, &done, (uint16_t)3);
        }
#ifdef BUG
        if (rank == 0)
#endif
            wait_for(&done, n & 1);
    }
    wait_for(&done, 0);
    for (int n = 0; n < 2; n++)
        store_sums(out + (rank * 2 + n) * ROWS * HALF, place + n * HALF);
    cluster.sync();
    if (t < 32)
        ptx::tcgen05_dealloc(ptx::cta_group_2, place, (uint32_t)COLUMNS);
}

int main() {
    static float h[2 * ROWS * COLUMNS], *out;
    bool right = true;
    OK(cudaMalloc(&out, sizeof h));
    multiply<<<2, ROWS>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 2 * ROWS * COLUMNS; k++)
        right &= h[k] == K * (3 + 3 * (k % HALF + k / (ROWS * HALF) % 2 * HALF));
    OK(cudaFree(out));
    return verdict(right);
}
