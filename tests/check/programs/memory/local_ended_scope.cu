// A pointer to a local array is used after the block of the source that the array belongs to. C++
// [basic.stc.auto], which holds in device code too: guide, 18.
// options: -G
#include "../suite.h"

__device__ __noinline__ void fill(int *p) {
    for (int i = 0; i < 4; ++i)
        p[i] = i;
}

__global__ void work(int *out) {
    int outer[4];
    int *p = outer;
    {
        int inner[4];
#ifdef BUG
        p = inner;
#endif
        fill(inner);
        fill(p);
    }
    *out = p[3]; // bug: memory.scope
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
    work<<<1, 1>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 3);
}
