// A local array whose last element is not set decides a branch. C++ [dcl.init] in device code:
// guide, 18.
#include "../suite.h"

__global__ void largest(const int *a, int n, int *out) {
    int v[8];
    for (int i = 0; i < n; ++i)
        v[i] = a[i];
    int m = 0;
    for (int i = 0; i < 8; ++i)
        if (v[(i + *a) & 7] > m) // bug: init.local
            m = i;
    *out = m;
}

int main() {
    int h[8] = {0, 8, 8, 8, 8, 8, 8, 8}, *a, *out;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
#ifdef BUG
    largest<<<1, 1>>>(a, 7, out);
#else
    largest<<<1, 1>>>(a, 8, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h[0] == 7);
}
