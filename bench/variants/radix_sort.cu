// A key a thread, split by votes; digits counted by threads in shared memory and keys written
// straight to their places; tiles split through a scan in shared memory, places by additions.
#include "bench.h"

enum { N = 1 << 20 };
typedef unsigned int uint;

// One block scans all counts, four words a thread.
__global__ void scan_all(uint *counts, int n) {
    __shared__ uint s[1024], carry;
    int t = threadIdx.x;
    if (t == 0)
        carry = 0;
    for (int base = 0; base < n; base += 4096) {
        uint4 v = ((uint4 *)(counts + base))[t];
        uint sum = v.x + v.y + v.z + v.w;
        s[t] = sum;
        for (int d = 1; d < 1024; d *= 2) {
            __syncthreads();
            uint u = t >= d ? s[t - d] : 0;
            __syncthreads();
            s[t] += u;
        }
        uint before = carry + s[t] - sum;
        ((uint4 *)(counts + base))[t] =
            make_uint4(before, before + v.x, before + v.x + v.y, before + v.x + v.y + v.z);
        __syncthreads();
        if (t == 1023)
            carry += s[t];
        __syncthreads();
    }
}

// ---- split by votes: tiles of 1024, a key a thread ------------------------------------------

__device__ uint split_by_bit(uint key, int bit, uint *keys, uint *warps) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    bool one = key >> bit & 1;
    uint ones = __ballot_sync(0xffffffff, one), below = __popc(ones & ((1u << lane) - 1));
    if (lane == 0)
        warps[warp] = __popc(ones);
    __syncthreads();
    uint before = below, all = 0;
    for (int w = 0; w < 32; w++) {
        before += w < warp ? warps[w] : 0;
        all += warps[w];
    }
    keys[one ? 1024 - all + before : threadIdx.x - before] = key;
    __syncthreads();
    return keys[threadIdx.x];
}

__global__ void vote_tiles(uint *keys, uint *counts, int shift) {
    __shared__ uint s[1024], warps[2][32], bins[16];
    int i = blockIdx.x * 1024 + threadIdx.x;
    uint key = keys[i];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    for (int bit = 0; bit < 4; bit++) {
        key = split_by_bit(key, shift + bit, s, warps[bit & 1]);
        __syncthreads();
    }
    atomicAdd(&bins[key >> shift & 15], 1);
    keys[i] = key;
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

// Writes the keys of a sorted tile, whose digits are in runs.
__global__ void move_runs(const uint *keys, uint *out, const uint *places, int shift) {
    __shared__ int start[16];
    uint key = keys[blockIdx.x * 1024 + threadIdx.x], digit = key >> shift & 15;
    __shared__ unsigned char digits[1024];
    digits[threadIdx.x] = digit;
    __syncthreads();
    if (threadIdx.x == 0 || digits[threadIdx.x - 1] != digit)
        start[digit] = threadIdx.x;
    __syncthreads();
    out[places[digit * gridDim.x + blockIdx.x] + threadIdx.x - start[digit]] = key;
}

// ---- counters of each thread: tiles of 1024, 64 threads of 16 keys each ---------------------

__global__ void count_digits(const uint *keys, uint *counts, int shift) {
    __shared__ uint bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += 64)
        atomicAdd(&bins[keys[blockIdx.x * 1024 + k] >> shift & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

__global__ void place_digits(const uint *keys, uint *out, const uint *places, int shift) {
    __shared__ uint tile[1024 + 64];
    __shared__ unsigned short rank[16][64];
    int t = threadIdx.x;
    for (int k = t; k < 1024; k += 64)
        tile[k + k / 16] = keys[blockIdx.x * 1024 + k];
    for (int d = 0; d < 16; d++)
        rank[d][t] = 0;
    __syncthreads();
    for (int k = 0; k < 16; k++)
        rank[tile[t * 17 + k] >> shift & 15][t]++;
    __syncthreads();
    if (t < 16) {
        uint sum = 0;
        for (int other = 0; other < 64; other++) {
            uint count = rank[t][other];
            rank[t][other] = sum;
            sum += count;
        }
    }
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        uint key = tile[t * 17 + k], digit = key >> shift & 15;
        out[places[digit * gridDim.x + blockIdx.x] + rank[digit][t]++] = key;
    }
}

// ---- places by additions: tiles of 1024, four keys a thread ---------------------------------

__device__ uint exclusive_scan(uint v, uint *s, uint *total) {
    int t = threadIdx.x, n = blockDim.x;
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < n; d <<= 1) {
        uint u = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += u;
        __syncthreads();
    }
    *total = s[n - 1];
    uint before = s[t] - v;
    __syncthreads();
    return before;
}

__global__ void add_tiles(uint *keys, uint *counts, int shift) {
    __shared__ uint s[1024], sums[256], bins[16];
    int t = threadIdx.x;
    uint *tile = keys + blockIdx.x * 1024, k[4], total;
    for (int i = 0; i < 4; i++)
        s[t + 256 * i] = tile[t + 256 * i];
    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    for (int bit = shift; bit < shift + 4; bit++) {
        uint ones = 0;
        for (int i = 0; i < 4; i++) {
            k[i] = s[4 * t + i];
            ones += k[i] >> bit & 1;
        }
        uint one = exclusive_scan(ones, sums, &total), zero = 4 * t - one;
        one += 1024 - total;
        for (int i = 0; i < 4; i++) {
            uint b = k[i] >> bit & 1;
            s[b * one + (1 - b) * zero] = k[i];
            one += b;
            zero += 1 - b;
        }
        __syncthreads();
    }
    for (int i = t; i < 1024; i += 256) {
        tile[i] = s[i];
        atomicAdd(&bins[s[i] >> shift & 15], 1);
    }
    __syncthreads();
    if (t < 16)
        counts[t * gridDim.x + blockIdx.x] = bins[t];
}

VARIANTS(radix_sort, "radix sort") {
    uint *keys = row_buffer<uint>(0).dev, *other = row_buffer<uint>(1).dev;
    uint *counts = row_buffer<uint>(2).dev;
    const int tiles = N / 1024;
    auto passes = [=](auto pass) {
        return [=] {
            uint *from = keys, *to = other;
            for (int shift = 0; shift < 32; shift += 4, std::swap(from, to))
                pass(from, to, shift);
        };
    };
    return {
        passes([=](uint *from, uint *to, int shift) {
            vote_tiles<<<tiles, 1024>>>(from, counts, shift);
            scan_all<<<1, 1024>>>(counts, 16 * tiles);
            move_runs<<<tiles, 1024>>>(from, to, counts, shift);
        }),
        passes([=](uint *from, uint *to, int shift) {
            count_digits<<<tiles, 64>>>(from, counts, shift);
            scan_all<<<1, 1024>>>(counts, 16 * tiles);
            place_digits<<<tiles, 64>>>(from, to, counts, shift);
        }),
        passes([=](uint *from, uint *to, int shift) {
            add_tiles<<<tiles, 256>>>(from, counts, shift);
            scan_all<<<1, 1024>>>(counts, 16 * tiles);
            move_runs<<<tiles, 1024>>>(from, to, counts, shift);
        }),
    };
}
