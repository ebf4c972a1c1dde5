#include "bench.h"

#include <string>

// Where a string of 12 letters occurs in a text of 16 MiB: a thread a position, compared byte by
// byte up to the first difference; a bit per position.
extern "C" void native_string_search(const unsigned char *text, size_t n,
                                     const unsigned char *pattern, int m, unsigned *found);

__constant__ unsigned char search_pattern[64];

__global__ void string_search(const unsigned char *text, int n, int m, unsigned *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i + m <= n)
        while (k < m && text[i + k] == search_pattern[k])
            k++;
    unsigned bits = __ballot_sync(~0u, k == m);
    if (threadIdx.x % 32 == 0)
        found[i / 32] = bits;
}

BENCH(string_search) {
    size_t n = 16 << 20;
    std::string pattern = "abracadabras";
    int m = pattern.size();
    Buffer<unsigned char> text(n), p(64);
    Buffer<unsigned> found(n / 32);
    unsigned seed = 5;
    for (size_t i = 0; i < n; i++)
        text.host[i] = "abcdrs"[bench_random(&seed) % 6];
    for (size_t i = 0; i + 4096 < n; i += 1 + bench_random(&seed) % 4096)
        memcpy(&text.host[i], pattern.data(), m);
    memcpy(p.host, pattern.data(), m);
    text.upload();
    p.upload();
    CHECK(cudaMemcpyToSymbol(search_pattern, pattern.data(), m));
    Row r = memory_row("string search", n, n / 8);
    r.goal_limit = 0;
    r.kudzu = [&] { string_search<<<n / 256, 256>>>(text.dev, n, m, found.dev); };
    r.native = [&] { native_string_search(text.host, n, p.host, m, found.host); };
    r.pocl = [&] { pocl("string_search", n / 256, 256, text, (int)n, p, m, found); };
    r.outputs = {&found};
    measure(r);
}
