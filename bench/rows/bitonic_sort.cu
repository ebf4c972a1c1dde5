// Bitonic sort: blocks of 1024 keys in shared memory, larger distances in global memory.
#include "bench.h"

extern "C" void native_bitonic_sort(unsigned *keys, size_t n);

enum { BLOCK = 1024 };

__device__ void exchange(unsigned &a, unsigned &b, bool up) {
    if ((a > b) == up) {
        unsigned t = a;
        a = b;
        b = t;
    }
}

// Sorts each block, every second one downwards.
__global__ void sort_shared(unsigned *keys) {
    __shared__ unsigned s[BLOCK];
    int t = threadIdx.x;
    keys += blockIdx.x * BLOCK;
    s[t] = keys[t];
    s[t + BLOCK / 2] = keys[t + BLOCK / 2];
    for (int size = 2; size <= BLOCK; size *= 2) {
        bool up = size == BLOCK ? blockIdx.x % 2 == 0 : (t & size / 2) == 0;
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            exchange(s[at], s[at + stride], up);
        }
    }
    __syncthreads();
    keys[t] = s[t];
    keys[t + BLOCK / 2] = s[t + BLOCK / 2];
}

__global__ void merge_global(unsigned *keys, int size, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = 2 * i - (i & (stride - 1));
    exchange(keys[at], keys[at + stride], (i & size / 2) == 0);
}

__global__ void merge_shared(unsigned *keys, int size) {
    __shared__ unsigned s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK / 2 + t;
    bool up = (i & size / 2) == 0;
    keys += blockIdx.x * BLOCK;
    s[t] = keys[t];
    s[t + BLOCK / 2] = keys[t + BLOCK / 2];
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        __syncthreads();
        int at = 2 * t - (t & (stride - 1));
        exchange(s[at], s[at + stride], up);
    }
    __syncthreads();
    keys[t] = s[t];
    keys[t + BLOCK / 2] = s[t + BLOCK / 2];
}

BENCH(bitonic_sort) {
    int n = 1 << 18;
    Buffer<unsigned> keys(n);
    keys.random(0, 4294967040.0);
    Row r("bitonic sort", n, "Gkey/s");
    r.outputs = {&keys};
    r.reset = [&](bench_side s) { keys.reset(s); };
    r.fresh = true;
    r.native = [&] { native_bitonic_sort(keys.host, n); };
    r.kudzu = [&] {
        sort_shared<<<n / BLOCK, BLOCK / 2>>>(keys.dev);
        for (int size = 2 * BLOCK; size <= n; size *= 2) {
            for (int stride = size / 2; stride >= BLOCK; stride /= 2)
                merge_global<<<n / 512, 256>>>(keys.dev, size, stride);
            merge_shared<<<n / BLOCK, BLOCK / 2>>>(keys.dev, size);
        }
    };
    r.pocl = [&] {
        pocl("sort_shared", n / BLOCK, BLOCK / 2, keys);
        for (int size = 2 * BLOCK; size <= n; size *= 2) {
            for (int stride = size / 2; stride >= BLOCK; stride /= 2)
                pocl("merge_global", n / 512, 256, keys, size, stride);
            pocl("merge_shared", n / BLOCK, BLOCK / 2, keys, size);
        }
    };
    measure(r);
}
