// A thread a key with its partner by exclusive or; a comparator, grid-stride loops and blocks of
// other sizes; minimum and maximum with shuffles for distances within a warp.
#include "bench.h"

enum { N = 1 << 18 };

// ---- a thread a key -------------------------------------------------------------------------

__device__ void compare_in_place(unsigned *a, int i, int j, bool ascending) {
    if (j > i && (ascending ? a[i] > a[j] : a[i] < a[j])) {
        unsigned tmp = a[i];
        a[i] = a[j];
        a[j] = tmp;
    }
}

__global__ void xor_shared(unsigned *data, int k_from, int k_to) {
    extern __shared__ unsigned part[];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    part[tid] = data[i];
    __syncthreads();
    for (int k = k_from; k <= k_to; k <<= 1)
        for (int j = min(k, (int)blockDim.x) >> 1; j > 0; j >>= 1) {
            compare_in_place(part, tid, tid ^ j, (i & k) == 0);
            __syncthreads();
        }
    data[i] = part[tid];
}

__global__ void xor_global(unsigned *data, int j, int k) {
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    compare_in_place(data, i, i ^ j, (i & k) == 0);
}

static void sort_xor(unsigned *keys) {
    int block = 1024, bytes = block * sizeof(unsigned);
    xor_shared<<<N / block, block, bytes>>>(keys, 2, block);
    for (int k = 2 * block; k <= N; k *= 2) {
        for (int j = k / 2; j >= block; j /= 2)
            xor_global<<<N / block, block>>>(keys, j, k);
        xor_shared<<<N / block, block, bytes>>>(keys, k, k);
    }
}

// ---- a comparator ---------------------------------------------------------------------------

template <typename T> __device__ inline void comparator(T &a, T &b, unsigned dir) {
    T t;
    if ((a > b) == dir) {
        t = a;
        a = b;
        b = t;
    }
}

template <unsigned LIMIT> __global__ void pairs_shared(unsigned *d_key, unsigned size) {
    __shared__ unsigned s_key[LIMIT];
    d_key += blockIdx.x * LIMIT;
    for (unsigned i = threadIdx.x; i < LIMIT; i += blockDim.x)
        s_key[i] = d_key[i];
    for (unsigned from = size ? size : 2, to = size ? size : LIMIT; from <= to; from <<= 1)
        for (unsigned stride = min(from, LIMIT) / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            for (unsigned c = threadIdx.x; c < LIMIT / 2; c += blockDim.x) {
                unsigned pos = 2 * c - (c & (stride - 1));
                unsigned dir = ((blockIdx.x * (LIMIT / 2) + c) & (from / 2)) == 0;
                comparator(s_key[pos], s_key[pos + stride], dir);
            }
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < LIMIT; i += blockDim.x)
        d_key[i] = s_key[i];
}

__global__ void pairs_global(unsigned *d_key, unsigned count, unsigned size, unsigned stride) {
    for (unsigned c = blockIdx.x * blockDim.x + threadIdx.x; c < count / 2;
         c += gridDim.x * blockDim.x) {
        unsigned pos = 2 * c - (c & (stride - 1));
        comparator(d_key[pos], d_key[pos + stride], (c & (size / 2)) == 0);
    }
}

static void sort_pairs(unsigned *keys) {
    const unsigned limit = 2048;
    pairs_shared<limit><<<N / limit, 512>>>(keys, 0);
    for (unsigned size = 2 * limit; size <= N; size <<= 1) {
        for (unsigned stride = size / 2; stride >= limit; stride >>= 1)
            pairs_global<<<128, 256>>>(keys, N, size, stride);
        pairs_shared<limit><<<N / limit, 512>>>(keys, size);
    }
}

// ---- minimum and maximum --------------------------------------------------------------------

__device__ unsigned keep(unsigned mine, unsigned other, bool smaller) {
    return smaller ? min(mine, other) : max(mine, other);
}

// Merges sequences of size keys in steps from distance down to 1.
__device__ unsigned merge_down(unsigned v, unsigned *s, int i, int size, int distance) {
    bool up = (i & size) == 0;
    for (; distance >= 32; distance /= 2) {
        __syncthreads();
        s[threadIdx.x] = v;
        __syncthreads();
        v = keep(v, s[threadIdx.x ^ distance], ((i & distance) == 0) == up);
    }
    for (; distance > 0; distance /= 2)
        v = keep(v, __shfl_xor_sync(0xffffffffu, v, distance), ((i & distance) == 0) == up);
    return v;
}

__global__ void minmax_sort(unsigned *keys) {
    __shared__ unsigned s[512];
    int i = blockIdx.x * 512 + threadIdx.x;
    unsigned v = keys[i];
    for (int size = 2; size <= 512; size *= 2)
        v = merge_down(v, s, i, size, size / 2);
    keys[i] = v;
}

__global__ void minmax_merge(unsigned *keys, int size) {
    __shared__ unsigned s[512];
    int i = blockIdx.x * 512 + threadIdx.x;
    keys[i] = merge_down(keys[i], s, i, size, 256);
}

__global__ void minmax_global(unsigned *keys, int size, int distance) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int low = (i & ~(distance - 1)) * 2 + (i & (distance - 1)), high = low | distance;
    unsigned a = keys[low], b = keys[high];
    bool up = !(low & size);
    keys[low] = keep(a, b, up);
    keys[high] = keep(a, b, !up);
}

static void sort_minmax(unsigned *keys) {
    minmax_sort<<<N / 512, 512>>>(keys);
    for (int size = 1024; size <= N; size *= 2) {
        for (int distance = size / 2; distance > 256; distance /= 2)
            minmax_global<<<N / 2 / 256, 256>>>(keys, size, distance);
        minmax_merge<<<N / 512, 512>>>(keys, size);
    }
}

VARIANTS(bitonic_sort, "bitonic sort") {
    unsigned *keys = row_buffer<unsigned>(0).dev;
    return {[=] { sort_xor(keys); }, [=] { sort_pairs(keys); }, [=] { sort_minmax(keys); }};
}
