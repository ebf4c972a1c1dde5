// What programs ask of barriers and pipelines beside arriving and waiting (10.26, 10.28): how many
// are missing, waiting for a time, the object below, giving up a pipeline; fences and atomics of
// scopes.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/chrono>
#include <cuda_awbarrier_primitives.h>

#include "check.h"

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
using barrier_of_device = cuda::barrier<cuda::thread_scope_device>;
constexpr int threads = 64;

// Thread 0 arrives last, and only when the others have waited in vain.
__global__ void wait_in_time(int *out) {
    __shared__ barrier bar;
    __shared__ barrier_of_device wide;
    __shared__ int tried;
    unsigned t = threadIdx.x;
    if (t == 0) {
        init(&bar, threads);
        init(&wide, threads);
        tried = 0;
    }
    __syncthreads();
    using cuda::std::chrono::high_resolution_clock;
    auto soon = std::chrono::microseconds(20);
    bool early = true;
    if (t == 0) {
        while (atomicAdd_block(&tried, 0) != threads - 1)
            __nanosleep(100);
        (void)bar.arrive();
        (void)wide.arrive();
    } else {
        barrier::arrival_token token = bar.arrive();
        auto wide_token = wide.arrive();
        early = bar.try_wait_for(std::move(token), soon) || bar.try_wait_parity_for(false, soon) ||
                bar.try_wait_parity_until(false, high_resolution_clock::now() + soon) ||
                wide.try_wait_until(std::move(wide_token), high_resolution_clock::now() + soon);
        atomicAdd_block(&tried, 1);
    }
    bool late =
        bar.try_wait_parity_for(false, std::chrono::seconds(100)) &&
        wide.try_wait_parity_until(false, high_resolution_clock::now() + std::chrono::hours(1));
    out[t] = (t == 0 || !early) && late;
}

// The barrier counts bytes that threads announce, which a copy brings.
__global__ void count_bytes(const int *in, int *out) {
    __shared__ barrier bar;
    __shared__ alignas(16) int there[threads];
    if (threadIdx.x == 0) {
        init(&bar, threads);
        cuda::device::experimental::fence_proxy_async_shared_cta(); // the copy sees it initialised
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::barrier_expect_tx(bar, sizeof there);
        cuda::device::memcpy_async_tx(there, in, cuda::aligned_size_t<16>(sizeof there), bar);
    }
    bar.arrive_and_wait();
    // What the word holds is the hardware's own; its phase is over.
    bool over = __mbarrier_test_wait_parity(cuda::device::barrier_native_handle(bar), false);
    out[threadIdx.x] = there[threadIdx.x] + over;
}

__global__ void count_arrivals(int *out) {
    __shared__ __mbarrier_t bar;
    __mbarrier_init(&bar, 3);
    __mbarrier_token_t first = __mbarrier_arrive(&bar);
    out[0] = (int)__mbarrier_token_pending_count(first); // before it arrived
    __mbarrier_token_t second = __mbarrier_arrive(&bar);
    out[1] = (int)__mbarrier_pending_count(second);
    out[2] = __mbarrier_try_wait(&bar, second, 1000);
    __mbarrier_token_t third = __mbarrier_arrive_and_drop(&bar);
    out[3] = __mbarrier_try_wait(&bar, third, 1000000) && __mbarrier_test_wait(&bar, first);
    out[4] = (int)__mbarrier_pending_count(__mbarrier_arrive(&bar)); // two are left
    out[5] =
        !__mbarrier_try_wait_parity(&bar, true, 1000) && __mbarrier_test_wait_parity(&bar, false);
    out[6] = __mbarrier_maximum_count() == (1 << 20) - 1;
    __mbarrier_inval(&bar);
}

__global__ void give_up(const int *in, int *out, int *last) {
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int there[2][threads];
    auto pipe = cuda::make_pipeline(block, &state);
    unsigned t = threadIdx.x;
    int sum = 0;
    for (int stage = 0; stage < 2; stage++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&there[stage][t], &in[stage * threads + t], sizeof(int), pipe);
        pipe.producer_commit();
    }
    for (int stage = 0; stage < 2; stage++) {
        sum += pipe.consumer_wait_for(std::chrono::seconds(100)) ? there[stage][t] : 0;
        pipe.consumer_release();
    }
    out[t] = sum;
    if (pipe.quit())
        atomicAdd(last, 1);
    // The thread's own, tied to a barrier.
    __shared__ barrier bar;
    __shared__ int mine[threads];
    if (t == 0)
        init(&bar, threads);
    block.sync();
    auto own = cuda::make_pipeline();
    own.producer_acquire();
    cuda::memcpy_async(&mine[t], &in[t], sizeof(int), own);
    cuda::pipeline_producer_commit(own, bar);
    bar.arrive_and_wait();
    out[t] += 1000 * mine[threads - 1 - t];
}

// A word that each block changes for itself, and one for all devices.
__global__ void scopes(int *out) {
    __shared__ int word;
    if (threadIdx.x == 0)
        word = 5;
    __syncthreads();
    atomicAdd_block(&word, 2);
    atomicCAS_block(&word, 5 + 2 * threads, 1000);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = word;
        out[1] = atomicExch_system(&out[2], 7);
        atomicMin_system(&out[2], 3);
        out[3] = atomicMax_block(&word, 2000) + atomicAnd_system(&out[2], 1) +
                 (int)cg::this_cluster().block_index().x;
    }
}

int main() {
    int *in = shared_array<int>(2 * threads), *out = shared_array<int>(threads),
        *last = shared_array<int>(1);
    for (int i = 0; i < 2 * threads; i++)
        in[i] = 3 * i + 1;
    wait_in_time<<<1, threads>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < threads; t++)
        CHECK(out[t] == 1);
    count_bytes<<<1, threads>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < threads; t++)
        CHECK(out[t] == in[t] + 1);
    count_arrivals<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 3 && out[1] == 2 && !out[2] && out[3] && out[4] == 2 && out[5] && out[6]);
    give_up<<<1, threads>>>(in, out, last);
    CUDA(cudaDeviceSynchronize());
    CHECK(*last == 1);
    for (int t = 0; t < threads; t++)
        CHECK(out[t] == in[t] + in[threads + t] + 1000 * in[threads - 1 - t]);
    scopes<<<1, threads>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 1000 && out[2] == 1 && out[3] == 1000 + 3);
    return failures != 0;
}
