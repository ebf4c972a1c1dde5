// Threads that wait for phases of mbarrier objects: by state and by parity, all of a block, parts of
// it, lanes of one warp for each other.
// run: meet grid=2 block=96 args=buf:192:small,buf:192:zero,u32:5
// run: meet grid=1 block=75 args=buf:75:small,buf:75:zero,u32:4
// run: split grid=1 block=128 args=buf:128:small,buf:128:zero
// run: filled grid=3 block=64 args=buf:768:small,buf:192:zero,u32:4
// run: staged grid=2 block=16,6 args=buf:640:small,buf:64:zero,u32:10
// run: roles grid=1 block=96 args=buf:512:small,buf:64:zero,u32:8
// run: lanes_in_turn grid=1 block=64 args=buf:64:small,buf:64:zero
// run: halves grid=1 block=64 args=buf:64:small,buf:64:zero
// run: leaving grid=1 block=128 args=buf:128:zero
// run: counted grid=1 block=96 args=buf:96:small,buf:96:zero
// run: called grid=2 block=64 args=buf:128:small,buf:128:zero
// run: two_objects grid=1 block=128 args=buf:128:small,buf:128:zero
// run: parities grid=1 block=64 args=buf:64:zero
// run: one_lane grid=1 block=96 args=buf:256:small,buf:96:zero,u32:4
// run: elected grid=2 block=64 args=buf:512:small,buf:128:zero,u32:7
// run: elected grid=1 block=64 args=buf:512:small,buf:128:zero,u32:2
// run: awaits_its_warp grid=1 block=64 args=buf:64:small,buf:64:zero
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cg = cooperative_groups;

// Everybody writes, all meet, everybody reads a neighbour: turn after turn.
extern "C" __global__ void meet(const unsigned *in, unsigned *out, unsigned turns) {
    __shared__ unsigned room[96];
    __shared__ barrier bar;
    unsigned t = threadIdx.x, n = blockDim.x, v = in[blockIdx.x * n + t];
    if (t == 0)
        init(&bar, n);
    __syncthreads();
    for (unsigned k = 0; k < turns; k++) {
        room[t] = v;
        bar.arrive_and_wait();
        v = v * 3 + room[(t + k + 1) % n];
        bar.arrive_and_wait();
    }
    out[blockIdx.x * n + t] = v;
}

// Work between arrival and wait, states that live across it.
extern "C" __global__ void split(const unsigned *in, unsigned *out) {
    __shared__ unsigned room[128];
    __shared__ barrier bar;
    unsigned t = threadIdx.x;
    if (t == 0)
        init(&bar, 128);
    __syncthreads();
    room[t] = in[t];
    barrier::arrival_token token = bar.arrive();
    unsigned v = in[t];
    for (unsigned k = 0; k < t % 7; k++)
        v = v * 5 + k;
    bar.wait(static_cast<barrier::arrival_token &&>(token));
    out[t] = v + room[127 - t];
}

// One thread has the barrier count bytes that it copies; all wait by the state that they got.
extern "C" __global__ void filled(const unsigned *in, unsigned *out, unsigned turns) {
    __shared__ alignas(16) unsigned room[64];
    __shared__ barrier bar;
    unsigned t = threadIdx.x, sum = 0;
    if (t == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    for (unsigned k = 0; k < turns; k++) {
        barrier::arrival_token token;
        if (t == 0) {
            cuda::device::memcpy_async_tx(room, in + (blockIdx.x * turns + k) * 64,
                                          cuda::aligned_size_t<16>(256), bar);
            token = cuda::device::barrier_arrive_tx(bar, 1, 256);
        } else {
            token = bar.arrive();
        }
        bar.wait(static_cast<barrier::arrival_token &&>(token));
        sum = sum * 7 + room[63 - t];
        bar.arrive_and_wait();
    }
    out[blockIdx.x * 64 + t] = sum;
}

// A pipeline of two stages: every thread produces and consumes.
extern "C" __global__ void staged(const unsigned *in, unsigned *out, unsigned batches) {
    __shared__ unsigned room[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    unsigned t = threadIdx.y * 16 + threadIdx.x, sum = 0;
    const unsigned *from = in + blockIdx.x * batches * 32;
    for (unsigned k = 0, next = 0; k < batches; k++) {
        for (; next < batches && next < k + 2; next++) {
            pipe.producer_acquire();
            if (t < 32)
                cuda::memcpy_async(&room[next % 2][t], from + next * 32 + t,
                                   cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum = sum * 3 + room[k % 2][(t + k) % 32];
        pipe.consumer_release();
    }
    if (t < 32)
        out[blockIdx.x * 32 + t] = sum;
}

// The last warp produces, the others consume.
extern "C" __global__ void roles(const unsigned *in, unsigned *out, unsigned batches) {
    __shared__ unsigned room[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    bool produces = threadIdx.x >= 64;
    auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer
                                                            : cuda::pipeline_role::consumer);
    unsigned t = threadIdx.x, sum = 0;
    if (produces) {
        for (unsigned k = 0; k < batches; k++) {
            pipe.producer_acquire();
            for (unsigned i = t - 64; i < 64; i += 32)
                cuda::memcpy_async(&room[k % 2][i], in + k * 64 + i, cuda::aligned_size_t<4>(4),
                                   pipe);
            pipe.producer_commit();
        }
    } else {
        for (unsigned k = 0; k < batches; k++) {
            pipe.consumer_wait();
            sum = sum * 5 + room[k % 2][63 - t];
            pipe.consumer_release();
        }
        out[t] = sum;
    }
}

// Each lane waits for the lane before it.
extern "C" __global__ void lanes_in_turn(const unsigned *in, unsigned *out) {
    __shared__ barrier bar[64];
    __shared__ unsigned sum;
    unsigned t = threadIdx.x;
    init(&bar[t], 1);
    if (t == 0)
        sum = 0;
    __syncthreads();
    if (t > 0)
        bar[t].wait_parity(false);
    sum = sum * 3 + in[t];
    out[t] = sum;
    if (t < 63)
        (void)bar[t + 1].arrive();
}

// Half of a warp produces for the other half.
extern "C" __global__ void halves(const unsigned *in, unsigned *out) {
    __shared__ barrier full, empty;
    __shared__ unsigned room[32];
    unsigned t = threadIdx.x, half = t / 16 % 2, place = t / 32 * 16 + t % 16;
    if (t == 0) {
        init(&full, 32);
        init(&empty, 32);
    }
    __syncthreads();
    if (half == 0) {
        for (unsigned k = 0; k < 3; k++) {
            empty.wait_parity(~k & 1);
            room[place] = in[t] + k;
            (void)full.arrive();
        }
    } else {
        unsigned sum = 0;
        for (unsigned k = 0; k < 3; k++) {
            full.wait_parity(k & 1);
            sum = sum * 10 + room[31 - place];
            (void)empty.arrive();
        }
        out[t] = sum;
    }
}

// Threads that leave, warp after warp.
extern "C" __global__ void leaving(unsigned *out) {
    __shared__ barrier bar;
    __shared__ unsigned count;
    unsigned t = threadIdx.x, seen = 0;
    if (t == 0) {
        init(&bar, 128);
        count = 0;
    }
    __syncthreads();
    for (unsigned k = 0; k < 4; k++) {
        if (t / 32 == k) {
            bar.arrive_and_drop();
            break;
        }
        atomicAdd(&count, 1u);
        bar.arrive_and_wait();
        seen = seen * 1000 + count;
        bar.arrive_and_wait();
    }
    out[t] = seen;
}

// A wait that also counts: not all there is to it is the end of the phase.
extern "C" __global__ void counted(const unsigned *in, unsigned *out) {
    __shared__ barrier bar;
    __shared__ unsigned room[96];
    unsigned t = threadIdx.x, asked = 0;
    if (t == 0)
        init(&bar, 96);
    __syncthreads();
    room[95 - t] = in[t];
    barrier::arrival_token token = bar.arrive();
    do {
        asked++;
        if (asked == 1000000)
            break;
    } while (!bar.try_wait(static_cast<barrier::arrival_token &&>(token)));
    out[t] = room[t] + (asked ? 7 : 0);
}

__device__ __noinline__ void wait_for(barrier *bar, bool parity) {
    bar->wait_parity(parity);
}
extern "C" __global__ void called(const unsigned *in, unsigned *out) {
    __shared__ barrier bar;
    __shared__ unsigned room[64];
    unsigned t = threadIdx.x, v = in[blockIdx.x * 64 + t];
    if (t == 0)
        init(&bar, 64);
    __syncthreads();
    for (unsigned k = 0; k < 4; k++) {
        room[t] = v;
        (void)bar.arrive();
        wait_for(&bar, false);
        v += room[(t + 1) % 64];
        (void)bar.arrive();
        wait_for(&bar, true);
    }
    out[blockIdx.x * 64 + t] = v;
}

// Pairs of warps meet at objects of their own.
extern "C" __global__ void two_objects(const unsigned *in, unsigned *out) {
    __shared__ barrier bar[2];
    __shared__ unsigned room[128];
    unsigned t = threadIdx.x, v = in[t];
    if (t < 2)
        init(&bar[t], 64);
    __syncthreads();
    for (unsigned k = 0; k < 3 + t / 64; k++) {
        room[t] = v;
        bar[t / 64].arrive_and_wait();
        v = v * 3 + room[t ^ 63];
        bar[t / 64].arrive_and_wait();
    }
    out[t] = v;
}

// Lanes that ask for different parities: what ended before, and what ends when those have gone on
// that need not wait.
extern "C" __global__ void parities(unsigned *out) {
    __shared__ barrier bar;
    unsigned t = threadIdx.x;
    if (t == 0)
        init(&bar, 48);
    __syncthreads();
    if (t < 32) {
        bar.wait_parity(t & 1);
        if (t & 1)
            (void)bar.arrive();
        out[t] = t;
    } else {
        (void)bar.arrive();
    }
}

// One lane of a warp waits and copies for all; the rest of its warp has nothing to do.
extern "C" __global__ void one_lane(const unsigned *in, unsigned *out, unsigned turns) {
    __shared__ alignas(16) unsigned room[64];
    __shared__ barrier full, empty;
    unsigned t = threadIdx.x, sum = 0;
    if (t == 0) {
        init(&full, 1);
        init(&empty, 64);
    }
    __syncthreads();
    if (t / 32 == 2) {
        if (t == 64) {
            for (unsigned k = 0; k < turns; k++) {
                empty.wait_parity(~k & 1);
                (void)cuda::device::barrier_arrive_tx(full, 1, 256);
                cuda::device::memcpy_async_tx(room, in + k * 64, cuda::aligned_size_t<16>(256),
                                              full);
            }
        }
    } else {
        for (unsigned k = 0; k < turns; k++) {
            full.wait_parity(k & 1);
            sum = sum * 7 + room[63 - t];
            (void)empty.arrive();
        }
    }
    out[t] = sum;
}

static __device__ bool is_elected() {
    unsigned yes;
    asm volatile("{ .reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, 0, p; }" : "=r"(yes));
    return yes != 0;
}

// One thread of the first warp fills a ring of stages, each as soon as all have read it. The others of
// its warp go on meanwhile, and meet it where all lanes exchange what they read.
extern "C" __global__ void elected(const unsigned *in, unsigned *out, unsigned turns) {
    __shared__ alignas(16) unsigned room[2][64];
    __shared__ barrier full[2], empty[2];
    unsigned t = threadIdx.x, sum = 0, filled = 0;
    bool fills = __shfl_sync(~0u, t / 32, 0) == 0 && is_elected();
    if (fills) {
        for (unsigned k = 0; k < 2; k++) {
            init(&full[k], 1);
            init(&empty[k], 64);
        }
    }
    __syncthreads();
    for (unsigned k = 0; k < turns; k++) {
        if (fills) {
            for (; filled < turns && filled < k + 2; filled++) {
                if (filled >= 2)
                    empty[filled % 2].wait_parity(filled / 2 - 1 & 1);
                (void)cuda::device::barrier_arrive_tx(full[filled % 2], 1, 256);
                cuda::device::memcpy_async_tx(room[filled % 2], in + filled * 64,
                                              cuda::aligned_size_t<16>(256), full[filled % 2]);
            }
        }
        full[k % 2].wait_parity(k / 2 & 1);
        unsigned v = room[k % 2][63 - t];
        sum = sum * 7 + v + __shfl_xor_sync(~0u, v, 1);
        (void)empty[k % 2].arrive();
    }
    out[blockIdx.x * 64 + t] = sum;
}

// One thread waits for what the others of its warp do behind the branch, after a barrier of theirs.
extern "C" __global__ void awaits_its_warp(const unsigned *in, unsigned *out) {
    __shared__ unsigned room[64];
    __shared__ barrier told;
    unsigned t = threadIdx.x, v = in[t];
    bool waits = is_elected();
    if (t == 0)
        init(&told, 62);
    __syncthreads();
    if (waits) {
        told.wait_parity(0);
        v += room[t + 1];
    }
    if (!waits) {
        room[t] = v;
        __syncwarp(~1u);
        (void)told.arrive();
    }
    out[t] = v;
}
