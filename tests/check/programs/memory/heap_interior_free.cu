// A kernel frees an address inside of a block of the heap. Guide, 10.36.
#include "../suite.h"

__global__ void work(int *out) {
    int *p = (int *)malloc(16 * sizeof(int)), *at = p;
    if (!p)
        return;
    for (int i = 0; i < 16; ++i)
        *at++ = i;
    *out = p[15];
#ifdef BUG
    free(at - 8); // bug: memory.free
#else
    free(p);
#endif
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
    work<<<1, 1>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 15);
}
