// Shared: four bytes a load and a histogram a warp; a contiguous piece a block and any number of
// threads; bytes as uchar4 in blocks of 512. Global: a thread a byte; four bytes a load; runs of
// equal bytes counted before they are added.
#include "bench.h"

#define WARPS 8

__device__ void add_byte(unsigned *warp_histogram, unsigned value) {
    atomicAdd(warp_histogram + value, 1);
}

__device__ void add_word(unsigned *warp_histogram, unsigned word) {
    add_byte(warp_histogram, word & 0xffu);
    add_byte(warp_histogram, word >> 8 & 0xffu);
    add_byte(warp_histogram, word >> 16 & 0xffu);
    add_byte(warp_histogram, word >> 24);
}

__global__ void histogram_warps(const unsigned *data, unsigned *bins, unsigned words) {
    __shared__ unsigned s_hist[WARPS * 256];
    unsigned *warp_histogram = s_hist + (threadIdx.x >> 5) * 256;
    for (int i = 0; i < 256 / 32; i++)
        s_hist[threadIdx.x + i * WARPS * 32] = 0;
    __syncthreads();
    for (unsigned pos = blockIdx.x * blockDim.x + threadIdx.x; pos < words;
         pos += blockDim.x * gridDim.x)
        add_word(warp_histogram, data[pos]);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < 256; bin += WARPS * 32) {
        unsigned sum = 0;
        for (int i = 0; i < WARPS; i++)
            sum += s_hist[bin + i * 256];
        atomicAdd(bins + bin, sum);
    }
}

__global__ void histogram_pieces(const unsigned char *buffer, long size, unsigned *histo) {
    extern __shared__ unsigned temp[];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        temp[b] = 0;
    __syncthreads();
    long piece = (size + gridDim.x - 1) / gridDim.x, from = blockIdx.x * piece;
    long to = min(from + piece, size);
    for (long i = from + threadIdx.x; i < to; i += blockDim.x)
        atomicAdd(&temp[buffer[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (temp[b] > 0)
            atomicAdd(&histo[b], temp[b]);
}

__global__ void histogram_uchar4(const uchar4 *in, int *bins, int n4) {
    __shared__ int local[256];
    if (threadIdx.x < 256)
        local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    while (i < n4) {
        uchar4 v = in[i];
        atomicAdd(&local[v.x], 1);
        atomicAdd(&local[v.y], 1);
        atomicAdd(&local[v.z], 1);
        atomicAdd(&local[v.w], 1);
        i += stride;
    }
    __syncthreads();
    if (threadIdx.x < 256)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void histogram_plain(const unsigned char *data, unsigned length, unsigned *histo) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length)
        atomicAdd(&histo[data[i]], 1);
}

__global__ void histogram_packed(const unsigned *data, unsigned words, unsigned *histo) {
    for (unsigned i = threadIdx.x + blockIdx.x * blockDim.x; i < words;
         i += blockDim.x * gridDim.x) {
        unsigned word = data[i];
        for (int k = 0; k < 4; k++, word >>= 8)
            atomicAdd(histo + (word & 255), 1u);
    }
}

__global__ void histogram_runs(const unsigned char *data, unsigned length, unsigned *histo) {
    unsigned run = 0;
    int previous = -1;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < length;
         i += blockDim.x * gridDim.x) {
        int bin = data[i];
        if (bin == previous) {
            ++run;
        } else {
            if (run > 0)
                atomicAdd(&histo[previous], run);
            run = 1;
            previous = bin;
        }
    }
    if (run > 0)
        atomicAdd(&histo[previous], run);
}

enum { N = 1 << 23 };

VARIANTS(shared, "histogram, shared atomics") {
    const unsigned char *in = row_buffer<unsigned char>(0).dev;
    unsigned *bins = row_buffer<unsigned>(1).dev;
    return {
        [=] { histogram_warps<<<64, WARPS * 32>>>((const unsigned *)in, bins, N / 4); },
        [=] { histogram_pieces<<<96, 192, 256 * sizeof(unsigned)>>>(in, N, bins); },
        [=] { histogram_uchar4<<<32, 512>>>((const uchar4 *)in, (int *)bins, N / 4); },
    };
}

VARIANTS(global, "histogram, global atomics") {
    const unsigned char *in = row_buffer<unsigned char>(0).dev;
    unsigned *bins = row_buffer<unsigned>(1).dev;
    return {
        [=] { histogram_plain<<<(N + 255) / 256, 256>>>(in, N, bins); },
        [=] { histogram_packed<<<64, 256>>>((const unsigned *)in, N / 4, bins); },
        [=] { histogram_runs<<<64, 128>>>(in, N, bins); },
    };
}
