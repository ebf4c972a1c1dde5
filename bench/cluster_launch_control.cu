// The guide's three ways to share out work (12.2.3): one block for each piece, a fixed number of
// blocks with a grid-stride loop or with a counter, and cluster launch control. The prologue is the
// same in all of them. Prints the least of RUNS averages, in microseconds.
//
//   kudzu cc -O3 -arch=sm_100a bench/cluster_launch_control.cu -o clc && ./clc [THREADS [ELEMENTS]]
#include <algorithm>
#include <chrono>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum { TERMS = 64, RUNS = 20, LAUNCHES = 10 };

__device__ float prologue(const float *terms) {
    float sum = 0;
    for (int k = 0; k < TERMS; k++)
        sum += terms[k];
    return sum / TERMS;
}

__global__ void fixed_work(float *data, int n, const float *terms) {
    float alpha = prologue(terms);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

__global__ void grid_stride(float *data, int n, const float *terms) {
    float alpha = prologue(terms);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] *= alpha;
}

__global__ void counted(float *data, int n, const float *terms, int *next, int pieces) {
    __shared__ int piece;
    float alpha = prologue(terms);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0)
            piece = atomicAdd(next, 1);
        __syncthreads();
        if (piece >= pieces)
            break;
        int i = piece * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    }
}

__global__ void launch_control(float *data, int n, const float *terms) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0, bx = blockIdx.x;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = prologue(terms);
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
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                     ptx::scope_cluster);
    }
}

template <class Launch> static void measure(const char *name, Launch launch) {
    using clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        clock::time_point begin = clock::now();
        for (int k = 0; k < LAUNCHES; k++)
            launch();
        cudaDeviceSynchronize();
        best = std::min(best, std::chrono::duration<double>(clock::now() - begin).count());
    }
    printf("%-16s %9.1f us\n", name, best / LAUNCHES * 1e6);
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 1024, n = argc > 2 ? atoi(argv[2]) : 1 << 20;
    int pieces = (n + threads - 1) / threads, processors;
    float *data, *terms;
    int *next;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    cudaMallocManaged(&data, n * sizeof *data);
    cudaMallocManaged(&terms, TERMS * sizeof *terms);
    cudaMalloc(&next, sizeof *next);
    std::fill(data, data + n, 1.0f);
    std::fill(terms, terms + TERMS, 1.0f);
    measure("fixed work", [&] { fixed_work<<<pieces, threads>>>(data, n, terms); });
    measure("grid stride", [&] { grid_stride<<<processors, threads>>>(data, n, terms); });
    measure("counter", [&] {
        cudaMemsetAsync(next, 0, sizeof *next);
        counted<<<processors, threads>>>(data, n, terms, next, pieces);
    });
    measure("launch control", [&] { launch_control<<<pieces, threads>>>(data, n, terms); });
    bool ok = cudaDeviceSynchronize() == cudaSuccess;
    for (int k = 0; k < n; k++)
        ok &= data[k] == 1.0f;
    printf("%s\n", ok ? "right" : "WRONG");
    return !ok;
}
