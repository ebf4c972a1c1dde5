// The first of what is found, as a search by a reduction keeps it: elements have a flag, padding
// behind it and a number, and are moved as words. In a loop flags choose elements, and padding with
// them: that is only moved. What a number that nobody has set was added to is computed, whichever
// words are chosen with it. Guide, 6.2.2.
#include "../suite.h"

struct found {
    bool is;
    unsigned number;
};

__global__ void set(found *a, int flags, int numbers) {
    int i = (int)threadIdx.x;
    if (i < flags)
        a[i].is = i % 5 == 3;
    if (i < numbers)
        a[i].number = (unsigned)i;
}

__device__ found first(found a, found b) {
    return a.is ? a : b;
}

__global__ void search(const found *a, int n, found *out) {
    int t = (int)threadIdx.x;
    found best = a[t];
    for (int i = t + 32; i < n; i += 32)
        best = first(best, a[i]);
    if (best.is)
        best.number += 100;
    for (int d = 16; d > 0; d /= 2) {
        found other;
        other.is = __shfl_down_sync(~0u, best.is, d);
        other.number = __shfl_down_sync(~0u, best.number, d);
        if (t + d < 32)
            best = first(best, other);
    }
    out[t] = best; // bug: init.chosen
}

int main() {
    enum { N = 320 };
    found *a, *out, h[32];
    OK(cudaMalloc(&a, N * sizeof(found)));
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    set<<<1, N>>>(a, N, 3);
#else
    set<<<1, N>>>(a, N, N);
#endif
    search<<<1, 32>>>(a, N, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h[0].is);
}
