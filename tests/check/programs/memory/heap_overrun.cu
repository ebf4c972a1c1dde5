// One byte behind a block of the device's heap. Guide, 10.36.
#include "../suite.h"

__global__ void fill(int n, int *out) {
    char *p = (char *)malloc(10);
    for (int i = 0; i < n; ++i)
        p[i] = i; // bug: memory.heap
    *out = p[9];
    free(p);
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
#ifdef BUG
    fill<<<1, 1>>>(11, out);
#else
    fill<<<1, 1>>>(10, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 9);
}
