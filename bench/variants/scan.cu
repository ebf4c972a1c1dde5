// By blocks: Hillis and Steele's scan between two buffers; shuffles, four elements a thread; a scan
// without branches beside zeros. Look-back: tiles that wait for the one before; flags and values
// in arrays of their own, looked back one by one; sums first and then scans, in two passes.
#include "bench.h"

enum { N = 1 << 23 };
typedef unsigned int uint;

__global__ void hillis_steele(const uint *in, uint *out, uint *sums, int n) {
    __shared__ uint buffer[2][512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t, now = 0;
    buffer[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < 512; offset *= 2) {
        buffer[1 - now][t] =
            t >= offset ? buffer[now][t] + buffer[now][t - offset] : buffer[now][t];
        now = 1 - now;
        __syncthreads();
    }
    if (i < n)
        out[i] = buffer[now][t];
    if (sums && t == 511)
        sums[blockIdx.x] = buffer[now][511];
}

__device__ uint warp_inclusive(uint v) {
#pragma unroll
    for (int i = 1; i <= 16; i *= 2) {
        uint n = __shfl_up_sync(0xffffffff, v, i, 32);
        if ((threadIdx.x & 31) >= i)
            v += n;
    }
    return v;
}

// The inclusive scan over a block of at most 1024 threads.
__device__ uint block_inclusive(uint v) {
    __shared__ uint ends[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_inclusive(v);
    if (lane == 31)
        ends[warp] = v;
    __syncthreads();
    if (warp == 0)
        ends[lane] = warp_inclusive(lane < blockDim.x / 32 ? ends[lane] : 0);
    __syncthreads();
    return warp > 0 ? v + ends[warp - 1] : v;
}

__global__ void scan_uint4(const uint *in, uint *out, uint *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = 4 * i < n ? ((const uint4 *)in)[i] : make_uint4(0, 0, 0, 0);
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    uint through = block_inclusive(v.w), before = through - v.w;
    if (4 * i < n)
        ((uint4 *)out)[i] = make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
    if (sums && threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = through;
}

template <int SIZE> __global__ void scan_zeros(const uint *in, uint *out, uint *sums, int n) {
    __shared__ volatile uint s_data[2 * SIZE];
    uint pos = threadIdx.x, i = blockIdx.x * SIZE + pos;
    s_data[pos] = 0;
    pos += SIZE;
    s_data[pos] = i < n ? in[i] : 0;
    for (uint offset = 1; offset < SIZE; offset <<= 1) {
        __syncthreads();
        uint t = s_data[pos] + s_data[pos - offset];
        __syncthreads();
        s_data[pos] = t;
    }
    if (i < n)
        out[i] = s_data[pos];
    if (sums && threadIdx.x == SIZE - 1)
        sums[blockIdx.x] = s_data[pos];
}

// Adds the scanned sum of the blocks before; span: elements a block.
__global__ void uniform_add(uint *out, const uint *sums, int n, int span) {
    __shared__ uint before;
    if (threadIdx.x == 0)
        before = sums[blockIdx.x];
    __syncthreads();
    for (int i = (blockIdx.x + 1) * span + threadIdx.x, k = 0; k < span && i < n;
         k += blockDim.x, i += blockDim.x)
        out[i] += before;
}

static void by_blocks(void (*kernel)(const uint *, uint *, uint *, int), const uint *in, uint *out,
                      uint *sums, int n, int block, int span) {
    int blocks = (n + span - 1) / span;
    kernel<<<blocks, block>>>(in, out, blocks > 1 ? sums : nullptr, n);
    if (blocks == 1)
        return;
    by_blocks(kernel, sums, sums, sums + blocks, blocks, block, span);
    uniform_add<<<blocks - 1, 256>>>(out, sums, n, span);
}

VARIANTS(by_blocks, "scan, by blocks") {
    const uint *in = row_buffer<uint>(0).dev;
    uint *out = row_buffer<uint>(1).dev, *sums = scratch<uint>(1 << 17);
    return {
        [=] { by_blocks(hillis_steele, in, out, sums, N, 512, 512); },
        [=] { by_blocks(scan_uint4, in, out, sums, N, 256, 1024); },
        [=] { by_blocks(scan_zeros<256>, in, out, sums, N, 256, 256); },
    };
}

// ---- in one pass ----------------------------------------------------------------------------

// What a tile knows: state[0] is the number of tiles begun.
__device__ int next_tile(uint *counter) {
    __shared__ int tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(counter, 1);
    __syncthreads();
    return tile;
}

// 1024 elements a tile, one a thread.
__global__ void domino(const uint *in, uint *out, uint *counter, uint *flags, uint *totals) {
    __shared__ uint previous;
    int tile = next_tile(counter), i = tile * blockDim.x + threadIdx.x;
    uint v = block_inclusive(in[i]);
    if (threadIdx.x == blockDim.x - 1) {
        while (tile > 0 && atomicAdd(&flags[tile], 0) == 0)
            ;
        previous = tile > 0 ? *(volatile uint *)&totals[tile] : 0;
        *(volatile uint *)&totals[tile + 1] = previous + v;
        __threadfence();
        atomicAdd(&flags[tile + 1], 1);
    }
    __syncthreads();
    out[i] = v + previous;
}

// 2048 elements a tile, eight a thread through shared memory; flags: 1 a sum, 2 a prefix.
__global__ void one_by_one(const uint *in, uint *out, uint *counter, volatile uint *flags,
                           volatile uint *sums, volatile uint *prefixes) {
    __shared__ uint s[256 * 9], before;
    int tile = next_tile(counter), t = threadIdx.x;
    for (int i = t; i < 2048; i += 256)
        s[i / 8 * 9 + i % 8] = in[tile * 2048 + i];
    __syncthreads();
    uint sum = 0;
    for (int k = 0; k < 8; k++)
        s[t * 9 + k] = sum += s[t * 9 + k];
    uint through = block_inclusive(sum);
    if (t == 255) {
        sums[tile] = through;
        __threadfence();
        flags[tile] = 1;
        uint all = 0;
        for (int other = tile - 1; other >= 0; other--) {
            uint flag;
            while ((flag = flags[other]) == 0)
                ;
            __threadfence();
            all += flag == 2 ? prefixes[other] : sums[other];
            if (flag == 2)
                break;
        }
        prefixes[tile] = all + through;
        __threadfence();
        flags[tile] = 2;
        before = all;
    }
    __syncthreads();
    for (int k = 0; k < 8; k++)
        s[t * 9 + k] += before + through - sum;
    __syncthreads();
    for (int i = t; i < 2048; i += 256)
        out[tile * 2048 + i] = s[i / 8 * 9 + i % 8];
}

// A block sums or scans its contiguous part of the array, 1024 elements at a time.
__global__ void part_sum(const uint4 *in, uint *sums, int quads) {
    uint sum = 0;
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        uint4 v = in[blockIdx.x * quads + i];
        sum += v.x + v.y + v.z + v.w;
    }
    sum = block_inclusive(sum);
    if (threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = sum;
}

__global__ void part_scan(const uint4 *in, uint4 *out, const uint *sums, int quads) {
    __shared__ uint carry;
    if (threadIdx.x == 0) {
        carry = 0;
        for (int b = 0; b < blockIdx.x; b++)
            carry += sums[b];
    }
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        uint4 v = in[blockIdx.x * quads + i];
        uint y = v.x + v.y, z = y + v.z, w = z + v.w, through = block_inclusive(w);
        uint before = carry + through - w;
        out[blockIdx.x * quads + i] = make_uint4(v.x + before, y + before, z + before, w + before);
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1)
            carry += through;
        __syncthreads();
    }
}

VARIANTS(look_back, "scan, decoupled look-back") {
    const uint *in = row_buffer<uint>(0).dev;
    const int most = N / 1024 + 1;
    uint *out = row_buffer<uint>(1).dev, *state = scratch<uint>(1 + 3 * most);
    uint *a = state + 1, *b = a + most, *c = b + most;
    return {
        [=] {
            CHECK(cudaMemsetAsync(state, 0, (1 + most) * sizeof(uint)));
            domino<<<N / 1024, 1024>>>(in, out, state, a, b);
        },
        [=] {
            CHECK(cudaMemsetAsync(state, 0, (1 + most) * sizeof(uint)));
            one_by_one<<<N / 2048, 256>>>(in, out, state, a, b, c);
        },
        [=] {
            part_sum<<<64, 256>>>((const uint4 *)in, a, N / 64 / 4);
            part_scan<<<64, 256>>>((const uint4 *)in, (uint4 *)out, a, N / 64 / 4);
        },
    };
}
