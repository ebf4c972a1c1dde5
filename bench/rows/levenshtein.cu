#include "bench.h"

// Levenshtein distances of one string of 64 letters from many words of 16 to 63: Myers' algorithm,
// a column of the matrix in two 64-bit words. Letter k of word i lies at text[k * n + i].
extern "C" void native_levenshtein(const unsigned long long *masks, const unsigned char *text,
                                   const unsigned char *length, unsigned char *distance, int n);

__global__ void levenshtein(const unsigned long long *masks, const unsigned char *text,
                            const unsigned char *length, unsigned char *distance, int n) {
    __shared__ unsigned long long s[256];
    int l = threadIdx.x, i = blockIdx.x * blockDim.x + l, score = 64;
    s[l] = masks[l];
    __syncthreads();
    if (i >= n)
        return;
    unsigned long long more = ~0ull, less = 0; // which cells are one more or less than above
    for (int k = 0; k < length[i]; k++) {
        unsigned long long same = s[text[(size_t)k * n + i]], v = same | less;
        unsigned long long h = (((same & more) + more) ^ more) | same;
        unsigned long long right = less | ~(h | more), left = more & h;
        score += (int)(right >> 63) - (int)(left >> 63);
        right = right << 1 | 1;
        left <<= 1;
        more = left | ~(v | right);
        less = right & v;
    }
    distance[i] = score;
}

BENCH(levenshtein) {
    int n = 1 << 17;
    Buffer<unsigned long long> masks(256);
    Buffer<unsigned char> text((size_t)n * 64), length(n), distance(n);
    unsigned seed = 9;
    for (int k = 0; k < 64; k++)
        masks.host['a' + bench_random(&seed) % 26] |= 1ull << k;
    for (int i = 0; i < n; i++)
        length.host[i] = 16 + bench_random(&seed) % 48;
    for (size_t i = 0; i < text.size; i++)
        text.host[i] = 'a' + bench_random(&seed) % 26;
    masks.upload();
    text.upload();
    length.upload();
    Row r("Levenshtein, Myers", 39.5 * 64 * n, "Gcell/s");
    r.kudzu = [&] {
        levenshtein<<<n / 256, 256>>>(masks.dev, text.dev, length.dev, distance.dev, n);
    };
    r.native = [&] { native_levenshtein(masks.host, text.host, length.host, distance.host, n); };
    r.pocl = [&] { pocl("levenshtein", n / 256, 256, masks, text, length, distance, n); };
    r.outputs = {&distance};
    measure(r);
}
