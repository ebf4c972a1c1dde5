// A loop over positions that breaks, bits by atomics; the text of a block in shared memory, 32
// positions a thread; the first four letters compared as a word, a grid-stride loop with votes.
#include "bench.h"

typedef unsigned char byte;
enum { N = 16 << 20, MOST = 64 };

__constant__ byte needle[MOST];

__global__ void by_atomics(const byte *text, int length, int pattern_length, unsigned *found) {
    int pos = blockIdx.x * blockDim.x + threadIdx.x;
    if (pos > length - pattern_length)
        return;
    bool match = true;
    for (int j = 0; j < pattern_length; j++)
        if (text[pos + j] != needle[j]) {
            match = false;
            break;
        }
    if (match)
        atomicOr(&found[pos >> 5], 1u << (pos & 31));
}

__device__ bool equal(const byte *a, const byte *b, int n) {
    while (n > 0 && *a == *b) {
        a++;
        b++;
        n--;
    }
    return n == 0;
}

// A word of results a thread.
__global__ void by_words(const byte *text, size_t n, const byte *pattern, int m, unsigned *found) {
    __shared__ byte s[128 * 32 + MOST], p[MOST];
    size_t first = (size_t)blockIdx.x * 128 * 32;
    for (int i = threadIdx.x; i < 128 * 32 + m; i += 128)
        s[i] = first + i < n ? text[first + i] : 0;
    if (threadIdx.x < m)
        p[threadIdx.x] = pattern[threadIdx.x];
    __syncthreads();
    unsigned bits = 0;
    for (int k = 0; k < 32; k++)
        if (equal(s + threadIdx.x * 32 + k, p, m))
            bits |= 1u << k;
    found[blockIdx.x * 128 + threadIdx.x] = bits;
}

__global__ void by_prefix(const byte *text, int n, int m, unsigned *found) {
    unsigned prefix = needle[0] | needle[1] << 8 | needle[2] << 16 | (unsigned)needle[3] << 24;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        bool here = false;
        if (i + m <= n) {
            unsigned start =
                text[i] | text[i + 1] << 8 | text[i + 2] << 16 | (unsigned)text[i + 3] << 24;
            here = start == prefix;
            for (int k = 4; here && k < m; k++)
                here = text[i + k] == needle[k];
        }
        unsigned votes = __ballot_sync(0xffffffff, here);
        if ((threadIdx.x & 31) == 0)
            found[i >> 5] = votes;
    }
}

VARIANTS(string_search, "string search") {
    const byte *text = row_buffer<byte>(0).dev, *pattern = row_buffer<byte>(1).dev;
    unsigned *found = row_buffer<unsigned>(2).dev;
    int m = strlen((const char *)row_buffer<byte>(1).host);
    CHECK(cudaMemcpyToSymbol(needle, pattern, MOST, 0, cudaMemcpyDeviceToDevice));
    return {
        [=] {
            CHECK(cudaMemsetAsync(found, 0, N / 8));
            by_atomics<<<N / 512, 512>>>(text, N, m, found);
        },
        [=] { by_words<<<N / 32 / 128, 128>>>(text, N, pattern, m, found); },
        [=] { by_prefix<<<1024, 256>>>(text, N, m, found); },
    };
}
