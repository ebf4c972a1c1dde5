// Radix sort of 32-bit keys, four bits a pass: every block sorts its tile by the digit in shared
// memory (four splits), the tiles' digit counts are scanned, and runs of equal digits are written
// to their places.
#include "bench.h"

extern "C" void native_radix_sort(unsigned *keys, unsigned *other, size_t n);

enum { THREADS = 256, KEYS = 4, TILE = THREADS * KEYS, DIGITS = 16 };

// The exclusive prefix sum over a block's threads; *total gets the sum of all.
__device__ unsigned scan_threads(unsigned v, unsigned *total) {
    __shared__ unsigned warps[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = v;
    for (int d = 1; d < 32; d *= 2) {
        unsigned u = __shfl_up_sync(~0u, sum, d);
        if (lane >= d)
            sum += u;
    }
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    unsigned before = 0, all = 0;
    for (int w = 0; w < THREADS / 32; w++) {
        if (w < warp)
            before += warps[w];
        all += warps[w];
    }
    __syncthreads();
    *total = all;
    return before + sum - v;
}

// Sorts each tile by one digit and counts its digits: counts[digit * tiles + tile].
__global__ void sort_tiles(uint4 *keys, unsigned *counts, int shift) {
    __shared__ unsigned s[TILE], first[DIGITS + 1];
    int t = threadIdx.x;
    uint4 in = keys[blockIdx.x * THREADS + t];
    unsigned k[KEYS] = {in.x, in.y, in.z, in.w};
    for (int bit = shift; bit < shift + 4; bit++) {
        unsigned zeros = 0, total;
        for (int i = 0; i < KEYS; i++)
            zeros += !(k[i] >> bit & 1);
        unsigned zero = scan_threads(zeros, &total), one = total + t * KEYS - zero;
        for (int i = 0; i < KEYS; i++)
            s[k[i] >> bit & 1 ? one++ : zero++] = k[i];
        __syncthreads();
        for (int i = 0; i < KEYS; i++)
            k[i] = s[t * KEYS + i];
        __syncthreads();
    }
    if (t <= DIGITS)
        first[t] = TILE;
    __syncthreads();
    for (int i = 0; i < KEYS; i++) {
        int at = t * KEYS + i;
        unsigned digit = k[i] >> shift & 15;
        if (at == 0 || (s[at - 1] >> shift & 15) != digit)
            first[digit] = at;
    }
    __syncthreads();
    if (t == 0)
        for (int d = DIGITS - 1; d >= 0; d--)
            first[d] = first[d] == TILE ? first[d + 1] : first[d];
    __syncthreads();
    if (t < DIGITS)
        counts[t * gridDim.x + blockIdx.x] = first[t + 1] - first[t];
    keys[blockIdx.x * THREADS + t] = make_uint4(k[0], k[1], k[2], k[3]);
}

// One block: counts become exclusive prefix sums.
__global__ void scan_counts(unsigned *counts, int n) {
    unsigned before = 0, total;
    for (int i = 0; i < n; i += THREADS) {
        unsigned v = i + threadIdx.x < n ? counts[i + threadIdx.x] : 0;
        unsigned sum = scan_threads(v, &total);
        if (i + threadIdx.x < n)
            counts[i + threadIdx.x] = before + sum;
        before += total;
    }
}

__global__ void scatter(const unsigned *keys, unsigned *out, const unsigned *places, int shift) {
    __shared__ unsigned s[TILE], first[DIGITS], place[DIGITS];
    int t = threadIdx.x;
    for (int i = t; i < TILE; i += THREADS)
        s[i] = keys[blockIdx.x * TILE + i];
    if (t < DIGITS)
        place[t] = places[t * gridDim.x + blockIdx.x];
    __syncthreads();
    for (int i = t; i < TILE; i += THREADS) {
        unsigned digit = s[i] >> shift & 15;
        if (i == 0 || (s[i - 1] >> shift & 15) != digit)
            first[digit] = i;
    }
    __syncthreads();
    for (int i = t; i < TILE; i += THREADS) {
        unsigned digit = s[i] >> shift & 15;
        out[place[digit] + i - first[digit]] = s[i];
    }
}

BENCH(radix_sort) {
    int n = 1 << 20, tiles = n / TILE;
    Buffer<unsigned> keys(n), other(n), counts(tiles * DIGITS);
    keys.random(0, 4294967040.0);
    Row r("radix sort", n, "Gkey/s");
    r.outputs = {&keys};
    r.reset = [&](bench_side s) { keys.reset(s); };
    r.fresh = true;
    r.native = [&] { native_radix_sort(keys.host, other.host, n); };
    r.kudzu = [&] {
        unsigned *from = keys.dev, *to = other.dev;
        for (int shift = 0; shift < 32; shift += 4, std::swap(from, to)) {
            sort_tiles<<<tiles, THREADS>>>((uint4 *)from, counts.dev, shift);
            scan_counts<<<1, THREADS>>>(counts.dev, tiles * DIGITS);
            scatter<<<tiles, THREADS>>>(from, to, counts.dev, shift);
        }
    };
    r.pocl = [&] {
        const Buffer<unsigned> *from = &keys, *to = &other;
        for (int shift = 0; shift < 32; shift += 4, std::swap(from, to)) {
            pocl("sort_tiles", tiles, THREADS, *from, counts, shift);
            pocl("scan_counts", 1, THREADS, counts, tiles * DIGITS);
            pocl("scatter", tiles, THREADS, *from, *to, counts, shift);
        }
    };
    measure(r);
}
