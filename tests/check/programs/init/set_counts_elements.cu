// cudaMemset is given a count of elements in place of bytes, so that three quarters stay unset.
// Guide, 6.2.2; API: cudaMemset.
#include "../suite.h"

__global__ void count(const int *a, int *out) {
    if (a[threadIdx.x] == 0) // bug: init.global
        atomicAdd(out, 1);
}

int main() {
    int *a, *out, h;
    OK(cudaMalloc(&a, 64 * sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
#ifdef BUG
    OK(cudaMemset(a, 0, 64));
#else
    OK(cudaMemset(a, 0, 64 * sizeof(int)));
#endif
    count<<<1, 64>>>(a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h == 64);
}
