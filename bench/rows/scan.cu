// Inclusive prefix sums: block by block in shared memory with the blocks' sums scanned in turn, and
// in one pass with decoupled look-back.
#include "bench.h"

extern "C" void native_scan(const unsigned *in, unsigned *out, size_t n);

// The work-efficient scan of 512 elements by 256 threads: up and down a tree in shared memory.
__global__ void scan_block(const unsigned *in, unsigned *out, unsigned *sums, int n) {
    __shared__ unsigned s[512];
    int t = threadIdx.x, i = blockIdx.x * 512 + 2 * t, d = 1;
    unsigned a = i < n ? in[i] : 0, b = i + 1 < n ? in[i + 1] : 0;
    s[2 * t] = a;
    s[2 * t + 1] = b;
    for (int m = 256; m > 0; m /= 2, d *= 2) {
        __syncthreads();
        if (t < m)
            s[d * (2 * t + 2) - 1] += s[d * (2 * t + 1) - 1];
    }
    if (t == 0) {
        if (sums)
            sums[blockIdx.x] = s[511];
        s[511] = 0;
    }
    for (int m = 1; m < 512; m *= 2) {
        d /= 2;
        __syncthreads();
        if (t < m) {
            unsigned left = s[d * (2 * t + 1) - 1];
            s[d * (2 * t + 1) - 1] = s[d * (2 * t + 2) - 1];
            s[d * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    if (i < n)
        out[i] = s[2 * t] + a;
    if (i + 1 < n)
        out[i + 1] = s[2 * t + 1] + b;
}

// Adds to each block but the first the sum of those before it.
__global__ void scan_add(unsigned *out, const unsigned *sums, int n) {
    int i = (blockIdx.x + 1) * 512 + threadIdx.x;
    unsigned before = sums[blockIdx.x];
    if (i < n)
        out[i] += before;
    if (i + 256 < n)
        out[i + 256] += before;
}

enum { ITEMS = 8, TILE = 256 * ITEMS };
enum { NOTHING, SUM, PREFIX }; // what a tile has published, in the upper half of its word

__device__ unsigned scan_warp(unsigned v) {
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        unsigned u = __shfl_up_sync(~0u, v, d);
        if (lane >= d)
            v += u;
    }
    return v;
}

// The sum of all tiles before this one, by the first warp.
__device__ unsigned look_back(unsigned long long *state, int tile) {
    unsigned before = 0;
    for (int last = tile - 1;; last -= 32) {
        int k = last - (int)(threadIdx.x % 32);
        unsigned long long word;
        do
            word = k >= 0 ? *(volatile unsigned long long *)&state[k]
                          : (unsigned long long)PREFIX << 32;
        while (__any_sync(~0u, word >> 32 == NOTHING));
        unsigned done = __ballot_sync(~0u, word >> 32 == PREFIX);
        unsigned v = threadIdx.x % 32 <= __ffs(done) - 1 || !done ? (unsigned)word : 0;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_xor_sync(~0u, v, d);
        before += v;
        if (done)
            return before;
    }
}

__global__ void scan_look_back(const unsigned *in, unsigned *out, unsigned long long *state,
                               unsigned *next) {
    __shared__ unsigned warps[8], before;
    __shared__ int shared_tile;
    int t = threadIdx.x;
    if (t == 0)
        shared_tile = atomicAdd(next, 1);
    __syncthreads();
    int tile = shared_tile;
    unsigned v[ITEMS], sum = 0;
    const uint4 *from = (const uint4 *)(in + (size_t)tile * TILE + t * ITEMS);
    for (int k = 0; k < ITEMS; k += 4) {
        uint4 q = from[k / 4];
        v[k] = sum += q.x;
        v[k + 1] = sum += q.y;
        v[k + 2] = sum += q.z;
        v[k + 3] = sum += q.w;
    }
    unsigned inclusive = scan_warp(sum);
    if (t % 32 == 31)
        warps[t / 32] = inclusive;
    __syncthreads();
    unsigned total = 0, mine = inclusive - sum;
    for (int w = 0; w < 8; w++) {
        if (w < t / 32)
            mine += warps[w];
        total += warps[w];
    }
    if (t < 32) {
        unsigned long long flag = tile == 0 ? PREFIX : SUM;
        if (t == 0)
            atomicExch(&state[tile], flag << 32 | total);
        unsigned b = tile == 0 ? 0 : look_back(state, tile);
        if (t == 0) {
            if (tile > 0)
                atomicExch(&state[tile], (unsigned long long)PREFIX << 32 | (b + total));
            before = b;
        }
    }
    __syncthreads();
    mine += before;
    uint4 *to = (uint4 *)(out + (size_t)tile * TILE + t * ITEMS);
    for (int k = 0; k < ITEMS; k += 4)
        to[k / 4] = make_uint4(v[k] + mine, v[k + 1] + mine, v[k + 2] + mine, v[k + 3] + mine);
}

BENCH(scan) {
    int n = 1 << 23, blocks = n / 512, above = blocks / 512, tiles = n / TILE;
    Buffer<unsigned> in(n), out(n), sums(blocks), sums2(above), next(1);
    Buffer<unsigned long long> state(tiles);
    in.random(0, 1000);
    next.upload();
    state.upload();
    Row r = memory_row("scan, by blocks", 4.0 * n, 4.0 * n);
    r.goal_limit = 0;
    r.outputs = {&out};
    r.native = [&] { native_scan(in.host, out.host, n); };
    r.kudzu = [&] {
        scan_block<<<blocks, 256>>>(in.dev, out.dev, sums.dev, n);
        scan_block<<<above, 256>>>(sums.dev, sums.dev, sums2.dev, blocks);
        scan_block<<<1, 256>>>(sums2.dev, sums2.dev, nullptr, above);
        scan_add<<<above - 1, 256>>>(sums.dev, sums2.dev, blocks);
        scan_add<<<blocks - 1, 256>>>(out.dev, sums.dev, n);
    };
    r.pocl = [&] {
        pocl("scan_block", blocks, 256, in, out, sums, n, 1);
        pocl("scan_block", above, 256, sums, sums, sums2, blocks, 1);
        pocl("scan_block", 1, 256, sums2, sums2, sums2, above, 0);
        pocl("scan_add", above - 1, 256, sums, sums2, blocks);
        pocl("scan_add", blocks - 1, 256, out, sums, n);
    };
    measure(r);

    r.name = "scan, decoupled look-back";
    r.pocl = nullptr;
    r.kudzu = [&] {
        CHECK(cudaMemsetAsync(state.dev, 0, 8 * (size_t)tiles));
        CHECK(cudaMemsetAsync(next.dev, 0, 4));
        scan_look_back<<<tiles, 256>>>(in.dev, out.dev, state.dev, next.dev);
    };
    measure(r);
}
