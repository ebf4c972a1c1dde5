// Sums by atomics, a generator with its state in a structure; a tree in shared memory, paths two by
// two from pairs of words; a template over the paths a thread, unrolled, cooperative groups.
#include "bench.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>

namespace cg = cooperative_groups;
typedef unsigned int uint;
enum { BLOCKS = 128, TURNS = 16 };
struct Market {
    float drift, volatility, strike;
};

class Philox {
    uint counter[4], key[2];
    __device__ void round() {
        uint64_t a = (uint64_t)0xd2511f53u * counter[0], b = (uint64_t)0xcd9e8d57u * counter[2];
        counter[0] = (uint)(b >> 32) ^ counter[1] ^ key[0];
        counter[1] = (uint)b;
        counter[2] = (uint)(a >> 32) ^ counter[3] ^ key[1];
        counter[3] = (uint)a;
    }

  public:
    __device__ Philox(uint id, uint turn) : counter{id, turn, 0, 0}, key{0x12345678u, 0x9abcdef0u} {
#pragma unroll
        for (int i = 0; i < 10; i++) {
            round();
            key[0] += 0x9e3779b9u;
            key[1] += 0xbb67ae85u;
        }
    }
    __device__ float uniform(int i) const {
        return ((counter[i] >> 9) + 0.5f) * (1.0f / 8388608.0f);
    }
    __device__ float2 normals(int i) const {
        float s, c, r = sqrtf(-2.0f * logf(uniform(i)));
        sincospif(2.0f * uniform(i + 1), &s, &c);
        return make_float2(r * s, r * c);
    }
};

__device__ float payoff(float gauss, Market m) {
    float price = expf(m.drift + m.volatility * gauss);
    return price > m.strike ? price - m.strike : 0;
}

__global__ void sum_by_atomics(float *sum, int turns, Market m) {
    float mine = 0;
    uint id = threadIdx.x + blockIdx.x * blockDim.x;
    for (int turn = 0; turn < turns; turn++) {
        Philox random(id, turn);
        for (int i = 0; i < 4; i += 2) {
            float2 g = random.normals(i);
            mine += payoff(g.x, m) + payoff(g.y, m);
        }
    }
    atomicAdd(&sum[blockIdx.x], mine);
}

// Half as many threads, each with the paths of two of the row's.
__global__ void sum_by_tree(float *sum, int turns, Market m) {
    __shared__ float s[128];
    float total = 0;
    for (int k = 0; k < 2 * turns; k++) {
        Philox random(blockIdx.x * 256 + threadIdx.x + k % 2 * 128, k / 2);
        float2 a = random.normals(0), b = random.normals(2);
        total += payoff(a.x, m);
        total += payoff(a.y, m);
        total += payoff(b.x, m);
        total += payoff(b.y, m);
    }
    s[threadIdx.x] = total;
    for (int d = 64; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
    }
    if (threadIdx.x == 0)
        sum[blockIdx.x] = s[0];
}

template <int PATHS> __global__ void sum_by_groups(float *sum, Market m) {
    __shared__ float warps[32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    float values[4] = {0, 0, 0, 0};
#pragma unroll 2
    for (int turn = 0; turn < PATHS / 4; turn++) {
        Philox random(block.group_index().x * block.size() + block.thread_rank(), turn);
        float2 g = random.normals(0), h = random.normals(2);
        const float gauss[4] = {g.x, g.y, h.x, h.y};
        for (int i = 0; i < 4; i++)
            values[i] += fmaxf(expf(fmaf(m.volatility, gauss[i], m.drift)) - m.strike, 0.0f);
    }
    float v = cg::reduce(warp, values[0] + values[1] + values[2] + values[3], cg::plus<float>());
    if (warp.thread_rank() == 0)
        warps[warp.meta_group_rank()] = v;
    cg::sync(block);
    if (block.thread_rank() == 0) {
        v = 0;
        for (int w = 0; w < warp.meta_group_size(); w++)
            v += warps[w];
        sum[blockIdx.x] = v;
    }
}

VARIANTS(monte_carlo, "Monte Carlo, Philox") {
    float *sum = row_buffer<float>(0).dev;
    Market m = {-0.025f, 0.3f, 0.9f};
    return {
        [=] {
            CHECK(cudaMemsetAsync(sum, 0, BLOCKS * sizeof(float)));
            sum_by_atomics<<<BLOCKS, 256>>>(sum, TURNS, m);
        },
        [=] { sum_by_tree<<<BLOCKS, 128>>>(sum, TURNS, m); },
        [=] { sum_by_groups<4 * TURNS><<<BLOCKS, 256>>>(sum, m); },
    };
}
