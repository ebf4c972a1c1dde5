// Cluster launch control (guide 12): the guide's kernels, and what they rely on: each block's index
// is worked on exactly once, by itself or by another one that has taken it.
#include <cooperative_groups.h>
#include <cstring>
#include <cuda/ptx>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ != 1000 || __CUDA_ARCH_SPECIFIC__ != 1000)
#error the macros are not those of sm_100a
#endif

struct counts {
    unsigned began, took, architecture;
};

__device__ float compute_scalar() {
    return 3.0f;
}

__global__ void fixed_work(float *data, int n) {
    float alpha = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

// 12.2.3
__global__ void one_dimension(float *data, int n, counts *c) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar, 1);
        atomicAdd(&c->began, 1);
    }
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                         ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(),
                           [&]() { ptx::clusterlaunchcontrol_try_cancel(&result, &bar); });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                           &bar, sizeof(uint4));
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        if (!success)
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        if (threadIdx.x == 0)
            atomicAdd(&c->took, 1);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                     ptx::scope_cluster);
    }
}

// 12.2.4; the blocks of a cluster end together, so that nothing is written to one that is gone.
__global__ void __cluster_dims__(2, 1, 1) clusters(float *data, int n, counts *c) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        atomicAdd(&c->began, 1);
    }
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    while (true) {
        cg::cluster_group::sync();
        if (cg::cluster_group::thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                         ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel_multicast(&result, &bar);
            });
        }
        if (cg::thread_block::thread_rank() == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                                           &bar, sizeof(uint4));
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, phase)) {
        }
        phase ^= 1;
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        if (!success)
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        bx += cg::cluster_group::block_index().x;
        if (threadIdx.x == 0)
            atomicAdd(&c->took, 1);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                     ptx::scope_cluster);
    }
}

// All three indices; every warp has a request of its own, with its own answer, of an object that
// expects all of them (12.2.2).
__global__ void by_warps(unsigned *times, counts *c) {
    __shared__ uint4 result[4];
    __shared__ uint64_t bar;
    unsigned warp = threadIdx.x / 32, phase = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 4);
        atomicAdd(&c->began, 1);
#ifdef __CUDA_ARCH__
        c->architecture = __CUDA_ARCH__;
#endif
        atomicAdd(&times[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x], 1);
    }
    bool more = true;
    while (more) {
        __syncthreads();
        if (threadIdx.x % 32 == 0) {
            ptx::clusterlaunchcontrol_try_cancel(&result[warp], &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                           &bar, sizeof(uint4));
        }
        while (!ptx::mbarrier_try_wait_parity(&bar, phase)) {
        }
        phase ^= 1;
        for (int k = 0; k < 4; k++) {
            if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[k])) {
                more = false;
                continue;
            }
            int index[4];
            ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid(index, result[k]);
            unsigned x = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x(result[k]);
            unsigned y = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y(result[k]);
            unsigned z = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z(result[k]);
            if (threadIdx.x == 0 && (int)x == index[0] && (int)y == index[1] &&
                (int)z == index[2]) {
                atomicAdd(&times[(z * gridDim.y + y) * gridDim.x + x], 1);
                atomicAdd(&c->took, 1);
            }
        }
    }
}

// Blocks that take very different times, and stop taking more after some.
__global__ void uneven(unsigned *times, counts *c) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    unsigned phase = 0, bx = blockIdx.x;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        atomicAdd(&c->began, 1);
    }
    for (int round = 0;; round++) {
        __syncthreads();
        if (threadIdx.x == 0)
            atomicAdd(&times[bx], 1);
        if (round == (int)(blockIdx.x % 5))
            return;
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                           &bar, sizeof(uint4));
            ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
        }
        for (unsigned k = 0; k < bx % 7 * 10; k++)
            __nanosleep(20);
        while (!ptx::mbarrier_try_wait_parity(&bar, phase)) {
        }
        phase ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            return;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<unsigned>(result);
        if (threadIdx.x == 0)
            atomicAdd(&c->took, 1);
    }
}

template <class Kernel> static void scale(Kernel kernel, int n, int threads, int multiple) {
    float *data;
    counts *c = shared_array<counts>(1);
    int blocks = (n + threads - 1) / threads;
    blocks = (blocks + multiple - 1) / multiple * multiple;
    CUDA(cudaMallocManaged(&data, n * sizeof *data));
    for (int k = 0; k < n; k++)
        data[k] = (float)k;
    kernel<<<blocks, threads>>>(data, n, c);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    int wrong = 0;
    for (int k = 0; k < n; k++)
        wrong += data[k] != 3.0f * (float)k;
    CHECK(wrong == 0);
    CHECK(c->began + c->took == (unsigned)blocks);
    CUDA(cudaFree(data));
    CUDA(cudaFree(c));
}

static void once_each(const unsigned *times, unsigned n) {
    unsigned wrong = 0;
    for (unsigned k = 0; k < n; k++)
        wrong += times[k] != 1;
    CHECK(wrong == 0u);
}

static void test_by_warps(dim3 grid) {
    unsigned n = grid.x * grid.y * grid.z, *times = shared_array<unsigned>(n);
    counts *c = shared_array<counts>(1);
    by_warps<<<grid, 128>>>(times, c);
    CUDA(cudaDeviceSynchronize());
    once_each(times, n);
    CHECK(c->began + c->took == n);
    CHECK(c->architecture == 1000u);
}

static void test_uneven(unsigned n) {
    unsigned *times = shared_array<unsigned>(n);
    counts *c = shared_array<counts>(1);
    uneven<<<n, 64>>>(times, c);
    CUDA(cudaDeviceSynchronize());
    once_each(times, n);
    CHECK(c->began + c->took == n);
}

// A graph is launched again and again: its nodes begin anew. Streams run beside each other.
static void test_graphs_and_streams() {
    cudaStream_t stream[2];
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float *data;
    counts *c = shared_array<counts>(1);
    const int n = 20000;
    CUDA(cudaMallocManaged(&data, 2 * n * sizeof *data));
    for (int k = 0; k < 2 * n; k++)
        data[k] = 1.0f;
    for (cudaStream_t &s : stream)
        CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeGlobal));
    one_dimension<<<(n + 63) / 64, 64, 0, stream[0]>>>(data, n, c);
    fixed_work<<<(n + 63) / 64, 64, 0, stream[0]>>>(data, n);
    CUDA(cudaStreamEndCapture(stream[0], &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 4; k++) {
        CUDA(cudaGraphLaunch(exec, stream[0]));
        one_dimension<<<(n + 63) / 64, 64, 0, stream[1]>>>(data + n, n, c);
    }
    CUDA(cudaDeviceSynchronize());
    int wrong = 0;
    for (int k = 0; k < n; k++)
        wrong += (data[k] != 6561.0f) + (data[n + k] != 81.0f);
    CHECK(wrong == 0);
    CHECK(c->began + c->took == 8u * ((n + 63) / 64));
}

__global__ void misaligned() {
    __shared__ uint64_t bar;
    __shared__ alignas(16) char result[32];
    ptx::mbarrier_init(&bar, 1);
    ptx::clusterlaunchcontrol_try_cancel(result + 8, &bar);
}

int main() {
    for (int threads : {32, 100, 256, 1024})
        for (int n : {1, 1000, 100000}) {
            scale(one_dimension, n, threads, 1);
            scale(clusters, n, threads, 2);
        }
    test_by_warps(dim3(7, 5, 3));
    test_by_warps(dim3(1, 1, 1));
    test_by_warps(dim3(1, 400, 2));
    test_uneven(2000);
    test_graphs_and_streams();
    misaligned<<<2, 1>>>();
    CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
    printf("%d failures\n", failures);
    return failures != 0;
}
