// Clusters, grids and asynchronous barriers as programs use them. Prints what went wrong, or ok.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline_primitives.h>

namespace cg = cooperative_groups;

static int problems;

static void check(const char *what, cudaError_t error, bool right) {
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error == cudaSuccess && right)
        return;
    printf("%s: %s\n", what, error ? cudaGetErrorString(error) : "wrong values");
    problems++;
}

// A histogram whose bins lie in the shared memory of all blocks of a cluster.
__global__ void histogram(int *bins, const int *values, int n, int a_block) {
    extern __shared__ int own[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < a_block; i += blockDim.x)
        own[i] = 0;
    cluster.sync();
    for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().num_threads())
        atomicAdd(cluster.map_shared_rank(own, values[i] / a_block) + values[i] % a_block, 1);
    cluster.sync();
    for (int i = threadIdx.x; i < a_block; i += blockDim.x)
        atomicAdd(bins + cluster.block_rank() * a_block + i, own[i]);
}

static void clusters() {
    enum { N = 4000, BINS = 64, BLOCKS = 4 };
    int *bins, *values, want[BINS] = {0};
    cudaMallocManaged(&bins, BINS * sizeof *bins);
    cudaMallocManaged(&values, N * sizeof *values);
    for (int i = 0; i < N; i++)
        want[values[i] = i * i % 61]++;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = BLOCKS;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.gridDim = 2 * BLOCKS;
    config.blockDim = 96;
    config.dynamicSmemBytes = BINS / BLOCKS * sizeof(int);
    config.attrs = attribute;
    config.numAttrs = 1;
    int count = 0, size = 0;
    check("occupancy", cudaOccupancyMaxActiveClusters(&count, histogram, &config), true);
    check("cluster size", cudaOccupancyMaxPotentialClusterSize(&size, histogram, &config), true);
    check("limits", cudaSuccess, count > 0 && size == 8);
    cudaError_t error = cudaLaunchKernelEx(&config, histogram, bins, (const int *)values, (int)N,
                                           (int)(BINS / BLOCKS));
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    bool same = true;
    for (int i = 0; i < BINS; i++)
        same &= bins[i] == want[i];
    check("histogram", error, same);
}

// Each block adds what the others have written, round after round.
__global__ void rounds(int *data, int n) {
    cg::grid_group grid = cg::this_grid();
    for (int k = 0; k < n; k++) {
        int next = data[(grid.block_rank() + 1) % grid.num_blocks()];
        grid.sync();
        if (threadIdx.x == 0)
            data[grid.block_rank()] += next;
        grid.sync();
    }
}

static void grids() {
    int *data, want[4] = {1, 2, 3, 4}, n = 5;
    cudaMallocManaged(&data, sizeof want);
    for (int i = 0; i < 4; i++)
        data[i] = want[i];
    for (int k = 0; k < n; k++) {
        int first = want[0];
        for (int i = 0; i < 4; i++)
            want[i] += i < 3 ? want[i + 1] : first;
    }
    void *args[] = {&data, &n};
    cudaError_t error = cudaLaunchCooperativeKernel((void *)rounds, 4, 64, args, 0, 0);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    bool same = true;
    for (int i = 0; i < 4; i++)
        same &= data[i] == want[i];
    check("grid", error, same);
}

// The last thread to arrive runs the completion function.
struct add_all {
    int *values, *sum;
    __device__ void operator()() noexcept {
        for (int i = 0; i < 64; i++)
            *sum += values[i];
    }
};

__global__ void completions(int *sum, int n) {
    using barrier = cuda::barrier<cuda::thread_scope_block, add_all>;
    __shared__ int values[64];
    __shared__ alignas(barrier) char memory[sizeof(barrier)];
    barrier *b = (barrier *)memory;
    if (threadIdx.x == 0)
        new (b) barrier(64, add_all{values, sum});
    __syncthreads();
    for (int k = 0; k < n; k++) {
        values[threadIdx.x] = k + threadIdx.x;
        b->arrive_and_wait();
    }
}

// A warp fills two buffers in turns, three warps empty them.
__global__ void producer_consumer(int *out, const int *in, int rounds) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier ready[2], filled[2];
    __shared__ int buffer[2][96];
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() < 2) {
        init(&ready[block.thread_rank()], block.size());
        init(&filled[block.thread_rank()], block.size());
    }
    block.sync();
    if (block.thread_rank() < 32) {
        for (int i = 0; i < rounds; i++) {
            ready[i % 2].arrive_and_wait();
            for (int k = block.thread_rank(); k < 96; k += 32)
                buffer[i % 2][k] = in[i * 96 + k];
            (void)filled[i % 2].arrive();
        }
        return;
    }
    int sum = 0, t = block.thread_rank() - 32;
    (void)ready[0].arrive();
    (void)ready[1].arrive();
    for (int i = 0; i < rounds; i++) {
        filled[i % 2].arrive_and_wait();
        sum += buffer[i % 2][95 - t];
        (void)ready[i % 2].arrive();
    }
    out[t] = sum;
}

// Stages of a pipeline, with all threads in both roles, or half of them in each.
template <bool Roles> __global__ void stages(int *out, const int *in, int rounds) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int buffer[2][64];
    cg::thread_block block = cg::this_thread_block();
    bool produces = !Roles || threadIdx.x < 64, consumes = !Roles || threadIdx.x >= 64;
    auto pipe = Roles ? cuda::make_pipeline(block, &state,
                                            produces ? cuda::pipeline_role::producer
                                                     : cuda::pipeline_role::consumer)
                      : cuda::make_pipeline(block, &state);
    int t = threadIdx.x % 64, sum = 0;
    for (int i = 0; i < rounds; i++) {
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(&buffer[i % 2][t], in + i * 64 + t,
                               cuda::aligned_size_t<4>(sizeof(int)), pipe);
            pipe.producer_commit();
        }
        if (consumes) {
            pipe.consumer_wait();
            sum += buffer[i % 2][63 - t];
            pipe.consumer_release();
        }
    }
    if (consumes)
        out[t] = sum;
}

__global__ void primitives(int *out, const int *in) {
    __shared__ int buffer[4 * 32];
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0)
        __mbarrier_init(&bar, 32);
    __syncthreads();
    __pipeline_memcpy_async(buffer + 4 * threadIdx.x, in + 4 * threadIdx.x, 16, 4);
    __pipeline_arrive_on(&bar);
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, token))
        ;
    __pipeline_commit();
    __pipeline_wait_prior(0);
    int t = 31 - threadIdx.x;
    out[threadIdx.x] = buffer[4 * t + 2] + buffer[4 * t + 3];
}

static void barriers() {
    enum { ROUNDS = 6 };
    int *out, *in;
    cudaMallocManaged(&out, 1024);
    cudaMallocManaged(&in, 4096);
    for (int i = 0; i < 1024; i++)
        in[i] = i * 3;
    completions<<<1, 64>>>(out, 4); // 4 * (0 + ... + 63) + 64 * (0 + 1 + 2 + 3)
    check("completion function", cudaDeviceSynchronize(), out[0] == 4 * 2016 + 64 * 6);
    producer_consumer<<<1, 128>>>(out, in, ROUNDS);
    bool same = cudaDeviceSynchronize() == cudaSuccess;
    for (int t = 0; t < 96; t++)
        same &= out[t] == 3 * (96 * 15 + 6 * (95 - t));
    check("producer and consumer", cudaGetLastError(), same);
    for (int roles = 0; roles < 2; roles++) {
        cudaMemset(out, 0, 1024);
        if (roles)
            stages<true><<<1, 128>>>(out, in, ROUNDS);
        else
            stages<false><<<1, 64>>>(out, in, ROUNDS);
        same = cudaDeviceSynchronize() == cudaSuccess;
        for (int t = 0; t < 64; t++)
            same &= out[t] == 3 * (64 * 15 + 6 * (63 - t));
        check(roles ? "pipeline with roles" : "pipeline", cudaGetLastError(), same);
    }
    primitives<<<1, 32>>>(out, in);
    same = cudaDeviceSynchronize() == cudaSuccess;
    for (int t = 0; t < 32; t++)
        same &= out[t] == 3 * (4 * (31 - t) + 2);
    check("primitives", cudaGetLastError(), same);
}

int main() {
    clusters();
    grids();
    barriers();
    printf("%s\n", problems ? "failed" : "ok");
    return problems != 0;
}
