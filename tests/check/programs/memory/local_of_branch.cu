// A structure of a branch is written through its address behind the branch. C++ [basic.stc.auto],
// which holds in device code too: guide, 18.
// options: -G
#include "../suite.h"

struct Range {
    int first, count;
    __device__ Range(int f, int c) : first(f), count(c) {
    }
};

__global__ void work(int *out) {
    Range all(0, 64), *range = &all;
    if (threadIdx.x >= 32) {
        Range half(32, 32);
#ifdef BUG
        range = &half;
#else
        all = half;
#endif
    }
    range->count -= 1; // bug: memory.scope
    out[threadIdx.x] = range->count; // or
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    work<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 63 && h[63] == 31);
}
