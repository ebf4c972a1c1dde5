// The wrappers of <cuda/ptx>: a bulk copy in, arithmetic, a bulk copy and a reduction out, with
// mbarrier objects, between the blocks of a cluster, and special registers (guide 10.29).
#include <cuda/ptx>

#include "check.h"

namespace ptx = cuda::ptx;

constexpr int N = 256;

__global__ void bulk(const int *in, int *out, int *sum) {
    __shared__ alignas(128) int data[N];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, N);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    uint64_t state;
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, data, in + blockIdx.x * N,
                           sizeof data, &bar);
        state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                               &bar, sizeof data);
    } else {
        state = ptx::mbarrier_arrive(&bar);
    }
    while (!ptx::mbarrier_try_wait(&bar, state))
        ;
    data[threadIdx.x] *= 3;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * N, data,
                           sizeof data);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sum, data,
                                  sizeof data);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// Each block arrives at its neighbour's barrier after it has written the neighbour's memory.
__global__ void __cluster_dims__(2) neighbours(int *out) {
    __shared__ int value;
    __shared__ uint64_t bar;
    uint32_t rank = ptx::get_sreg_cluster_ctarank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 32);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    int *other = ptx::mapa(ptx::space_cluster, &value, rank ^ 1);
    if (threadIdx.x == 0)
        *other = 100 + (int)rank;
    __syncwarp();
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                         ptx::mapa(ptx::space_cluster, &bar, rank ^ 1));
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0))
        ;
    if (ptx::elect_sync(0xffffffff))
        out[blockIdx.x] = value + 1000 * (int)ptx::getctarank(ptx::space_cluster, other);
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
}

// Tiles one after the other through one buffer, each asked for by one relaxed arrival, with the
// fences of one direction that cluster launch control wants (guide 12.2).
__global__ void one_by_one(const int *in, int *out, int tiles) {
    __shared__ alignas(128) int data[N];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    for (int i = 0; i < tiles; i++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                         ptx::scope_cluster);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, data, in + i * N, sizeof data,
                               &bar);
            if (i % 2)
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                               &bar, sizeof data);
            else
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                               ptx::space_shared, &bar, sizeof data);
        }
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, i % 2))
            ;
        out[i * N + threadIdx.x] = data[N - 1 - threadIdx.x] + i;
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                     ptx::scope_cluster);
    }
    ptx::fence_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    ptx::fence_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
    __syncthreads();
    if (threadIdx.x == 0)
        ptx::mbarrier_arrive(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar);
    while (!ptx::mbarrier_try_wait_parity(&bar, tiles % 2))
        ;
}

__global__ void registers(uint32_t *out) {
    bool good = ptx::get_sreg_tid_x() == threadIdx.x && ptx::get_sreg_ctaid_y() == blockIdx.y &&
                ptx::get_sreg_ntid_z() == blockDim.z && ptx::get_sreg_nctaid_x() == gridDim.x &&
                ptx::get_sreg_laneid() == threadIdx.x % 32 &&
                ptx::get_sreg_lanemask_lt() == (1u << threadIdx.x % 32) - 1 &&
                ptx::get_sreg_globaltimer() > 0;
    ptx::fence(ptx::sem_acq_rel, ptx::scope_gpu);
    ptx::fence(ptx::sem_sc, ptx::scope_sys);
    atomicAdd(out, good);
}

int main() {
    const int blocks = 4;
    int *in = shared_array<int>(blocks * N), *out = shared_array<int>(blocks * N);
    int *sum = shared_array<int>(N);
    for (int i = 0; i < blocks * N; i++)
        in[i] = i * i;
    bulk<<<blocks, N>>>(in, out, sum);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < blocks * N; i++)
        CHECK(out[i] == 3 * i * i);
    for (int i = 0; i < N; i++) {
        int expected = 0;
        for (int b = 0; b < blocks; b++)
            expected += 3 * (b * N + i) * (b * N + i);
        CHECK(sum[i] == expected);
    }
    one_by_one<<<1, N>>>(in, out, blocks);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < blocks * N; i++) {
        int from = i / N * N + N - 1 - i % N;
        CHECK(out[i] == from * from + i / N);
    }
    neighbours<<<4, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < 4; b++)
        CHECK(out[b] == 100 + (b % 2 ^ 1) + 1000 * (b % 2 ^ 1));
    uint32_t *good = shared_array<uint32_t>(1);
    registers<<<dim3(3, 2), 64>>>(good);
    CUDA(cudaDeviceSynchronize());
    CHECK(*good == 384);
    return failures != 0;
}
