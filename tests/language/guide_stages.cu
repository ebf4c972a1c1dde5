// Programs of threads that hand work to each other through shared memory, as the guide's sections
// 10.26.5 to 10.28.2 show them: warps with roles and two buffers, threads that leave a barrier, a
// function that runs when a phase ends, copies by groups, and pipelines of one and more stages, of
// a block, of roles and of single threads.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <new>

#include "check.h"

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// ---- Barriers (10.26.5 to 10.26.7) -------------------------------------------------------------

__device__ void fill(block_barrier *ready, block_barrier *filled, float *buffer, const float *in,
                     int n, int length) {
    for (int i = 0; i < n / length; i++) {
        ready[i % 2].arrive_and_wait();
        for (int k = threadIdx.x; k < length; k += warpSize)
            buffer[i % 2 * length + k] = 2 * in[i * length + k];
        block_barrier::arrival_token token = filled[i % 2].arrive();
        (void)token;
    }
}

__device__ void drain(block_barrier *ready, block_barrier *filled, const float *buffer, float *out,
                      int n, int length) {
    block_barrier::arrival_token first = ready[0].arrive(), second = ready[1].arrive();
    (void)first;
    (void)second;
    for (int i = 0; i < n / length; i++) {
        filled[i % 2].wait(filled[i % 2].arrive());
        for (int k = threadIdx.x - warpSize; k < length; k += blockDim.x - warpSize)
            out[i * length + k] = buffer[i % 2 * length + length - 1 - k];
        block_barrier::arrival_token token = ready[i % 2].arrive();
        (void)token;
    }
}

__global__ void two_buffers(const float *in, float *out, int n, int length) {
    __shared__ extern float buffer[];
    __shared__ block_barrier bar[4];
    auto block = cg::this_thread_block();
    if (block.thread_rank() < 4)
        init(bar + block.thread_rank(), block.size());
    block.sync();
    if (block.thread_rank() < warpSize)
        fill(bar, bar + 2, buffer, in, n, length);
    else
        drain(bar, bar + 2, buffer, out, n, length);
}

static void check_two_buffers() {
    enum { N = 1024 };
    float *in = shared_array<float>(N), *out = shared_array<float>(N);
    for (int i = 0; i < N; i++)
        in[i] = i;
    for (int length : {32, 64, 128}) {
        memset(out, 0, N * sizeof *out);
        two_buffers<<<1, 128, 2 * length * sizeof(float)>>>(in, out, N, length);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < N; i++)
            CHECK(out[i] == 2 * (i / length * length + length - 1 - i % length));
    }
}

__global__ void leave(int rounds, int *passed) {
    __shared__ block_barrier bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    for (int i = 0; i < rounds; i++) {
        if (i == (int)threadIdx.x % 8) {
            bar.arrive_and_drop();
            return;
        }
        bar.wait(bar.arrive());
        atomicAdd(passed, 1);
    }
}

static void check_leaving() {
    int *passed = shared_array<int>(1), expected = 0;
    leave<<<1, 128>>>(6, passed);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 128; t++)
        expected += t % 8 < 6 ? t % 8 : 6;
    CHECK(*passed == expected);
}

// The function has captured a variable, so the barrier has no constructor without
// arguments and lives in storage.
template <bool ByFriend> __global__ void phase_sums(const int *data, int n, int *sum) {
    auto block = cg::this_thread_block();
    __shared__ int values[128];
    auto add_up = [=] {
        int all = 0;
        for (int i = 0; i < 128; i++)
            all += values[i];
        *sum += all;
    };
    using barrier = cuda::barrier<cuda::thread_scope_block, decltype(add_up)>;
    __shared__ alignas(barrier) unsigned char storage[sizeof(barrier)];
    barrier *bar = (barrier *)storage;
    if (block.thread_rank() == 0) {
        if (ByFriend)
            init(bar, block.size(), add_up);
        else
            new (bar) barrier{block.size(), add_up};
    }
    block.sync();
    for (int i = 0; i < n; i += block.size()) {
        values[block.thread_rank()] = data[i + block.thread_rank()] + *sum % 7;
        auto token = bar->arrive();
        bar->wait(std::move(token));
    }
}

static void check_phase_sums() {
    enum { N = 1024 };
    int *data = shared_array<int>(N), *sum = shared_array<int>(2), expected = 0;
    for (int i = 0; i < N; i++)
        data[i] = i * 37 % 101;
    for (int i = 0; i < N; i += 128) {
        int more = expected % 7 * 128;
        for (int k = 0; k < 128; k++)
            more += data[i + k];
        expected += more;
    }
    phase_sums<false><<<1, 128>>>(data, N, sum);
    phase_sums<true><<<1, 128>>>(data, N, sum + 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(sum[0] == expected && sum[1] == expected);
}

// ---- Copies and pipelines (10.27, 10.28) -------------------------------------------------------

// What a thread makes of a batch, of which it needs all elements.
__host__ __device__ int of_batch(const int *batch, int size, int t) {
    int sum = t;
    for (int i = 0; i < size; i++)
        sum += batch[i] * (i + 1);
    return sum;
}

__device__ void use(int *out, const int *batch) {
    out[threadIdx.x] = of_batch(batch, blockDim.x, threadIdx.x);
}

__device__ int batch_begin(int batch) {
    return blockIdx.x * blockDim.x + gridDim.x * blockDim.x * batch;
}

__global__ void by_group(int *out, const int *in, int batches) {
    auto block = cg::this_thread_block();
    extern __shared__ int stage[];
    for (int b = 0; b < batches; b++) {
        cg::memcpy_async(block, stage, in + batch_begin(b), sizeof(int) * block.size());
        cg::wait(block);
        use(out + batch_begin(b), stage);
        block.sync();
    }
}

__global__ void by_barrier(int *out, const int *in, int batches) {
    auto block = cg::this_thread_block();
    extern __shared__ int stage[];
    __shared__ cuda::barrier<cuda::thread_scope::thread_scope_block> bar;
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    for (int b = 0; b < batches; b++) {
        cuda::memcpy_async(block, stage, in + batch_begin(b), sizeof(int) * block.size(), bar);
        bar.arrive_and_wait();
        use(out + batch_begin(b), stage);
        block.sync();
    }
}

template <size_t Stages> __global__ void by_pipeline(int *out, const int *in, int batches) {
    auto block = cg::this_thread_block();
    extern __shared__ int stage[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope::thread_scope_block, Stages> state;
    auto pipeline = cuda::make_pipeline(block, &state);
    for (size_t b = 0, next = 0; b < (size_t)batches; b++) {
        for (; next < (size_t)batches && next < b + Stages; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, stage + next % Stages * block.size(), in + batch_begin(next),
                               cuda::aligned_size_t<16>(sizeof(int) * block.size()), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        use(out + batch_begin(b), stage + b % Stages * block.size());
        pipeline.consumer_release();
    }
}

// Each thread has a pipeline of its own; the block's barriers order what others read.
template <size_t Stages> __global__ void by_threads(int *out, const int *in, int batches) {
    auto block = cg::this_thread_block();
    auto thread = cg::this_thread();
    extern __shared__ int stage[];
    cuda::pipeline<cuda::thread_scope_thread> pipeline = cuda::make_pipeline();
    for (size_t b = 0, next = 0; b < (size_t)batches; b++) {
        for (; next < (size_t)batches && next < b + Stages; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(thread, stage + next % Stages * block.size() + threadIdx.x,
                               in + batch_begin(next) + threadIdx.x, sizeof(int), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        block.sync();
        use(out + batch_begin(b), stage + b % Stages * block.size());
        block.sync();
        pipeline.consumer_release();
    }
}

static void check_copies(const char *name, void (*kernel)(int *, const int *, int)) {
    enum { SIZE = 64, BLOCKS = 3, BATCHES = 7, N = SIZE * BLOCKS * BATCHES };
    int *in = shared_array<int>(N), *out = shared_array<int>(N), bad = 0;
    for (int i = 0; i < N; i++)
        in[i] = i * i % 101;
    kernel<<<BLOCKS, SIZE, 4 * SIZE * sizeof(int)>>>(out, in, BATCHES);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        bad += out[i] != of_batch(in + i / SIZE * SIZE, SIZE, i % SIZE);
    if (bad)
        printf("%s: %d of %d\n", name, bad, N);
    CHECK(!bad);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

// Threads of even ranks copy, those of odd ones compute.
template <size_t Stages> __global__ void by_roles(int *out, const int *in, int batches) {
    auto block = cg::this_thread_block();
    const cuda::pipeline_role role = block.thread_rank() % 2 == 0 ? cuda::pipeline_role::producer
                                                                  : cuda::pipeline_role::consumer;
    const int t = block.thread_rank() / 2, size = block.size() / 2;
    extern __shared__ int stage[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope::thread_scope_block, Stages> state;
    cuda::pipeline pipeline = cuda::make_pipeline(block, &state, role);
    for (int b = 0; b < batches; b++) {
        int at = (b * gridDim.x + blockIdx.x) * size + t, slot = b % Stages * size + t;
        if (role == cuda::pipeline_role::producer) {
            pipeline.producer_acquire();
            cuda::memcpy_async(stage + slot, in + at, sizeof(int), pipeline);
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            out[at] = 3 * stage[slot] + 1;
            pipeline.consumer_release();
        }
    }
}

template <size_t Stages> static void check_roles() {
    enum { SIZE = 64, BLOCKS = 3, BATCHES = 9, N = SIZE / 2 * BLOCKS * BATCHES };
    int *in = shared_array<int>(N), *out = shared_array<int>(N);
    for (int i = 0; i < N; i++)
        in[i] = 7 * i;
    by_roles<Stages><<<BLOCKS, SIZE, Stages * SIZE / 2 * sizeof(int)>>>(out, in, BATCHES);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        CHECK(out[i] == 21 * i + 1);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

// ---- Objects that bytes do not make (10.27.6.2) -------------------------------------------------

struct counted {
    int value, copies;
    __device__ counted(int value) : value(value), copies(0) {
    }
    __device__ counted(const counted &other) : value(other.value), copies(other.copies + 1) {
    }
};

// Each way copies n objects behind those of the way before, from the same ones.
__global__ void copy_objects(int *out, int n) {
    __shared__ alignas(counted) char from_memory[24 * sizeof(counted)],
        to_memory[4 * 24 * sizeof(counted)];
    __shared__ block_barrier bar;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    counted *from = (counted *)from_memory, *to = (counted *)to_memory;
    auto block = cg::this_thread_block();
    int rank = (int)block.thread_rank();
    auto pipe = cuda::make_pipeline(block, &state);
    if (rank == 0)
        init(&bar, block.size());
    if (rank < n)
        new (from + rank) counted(100 + rank);
    block.sync();
    cuda::memcpy_async(block, to, from, sizeof(counted) * n, bar);
    if (rank < n)
        cuda::memcpy_async(to + n + rank, from + rank, sizeof(counted), bar);
    bar.arrive_and_wait();
    pipe.producer_acquire();
    cuda::memcpy_async(block, to + 2 * n, from, sizeof(counted) * n, pipe);
    if (rank < n)
        cuda::memcpy_async(to + 3 * n + rank, from + rank, sizeof(counted), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    for (int i = rank; i < 4 * n; i += (int)block.size())
        out[i] = 10 * to[i].value + to[i].copies;
    pipe.consumer_release();
}

static void check_objects() {
    int *out = shared_array<int>(4 * 24);
    copy_objects<<<1, 32>>>(out, 24);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 4 * 24; i++)
        CHECK(out[i] == 10 * (100 + i % 24) + 1);
    CUDA(cudaFree(out));
}

int main() {
    check_objects();
    check_two_buffers();
    check_leaving();
    check_phase_sums();
    check_copies("groups", by_group);
    check_copies("barrier", by_barrier);
    check_copies("one stage", by_pipeline<1>);
    check_copies("two stages", by_pipeline<2>);
    check_copies("four stages", by_pipeline<4>);
    check_copies("two stages of threads", by_threads<2>);
    check_copies("three stages of threads", by_threads<3>);
    check_roles<1>();
    check_roles<2>();
    check_roles<4>();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
