// One lane's value was not set and reaches lane 0 by shuffles of a sum, which decides a branch.
// Guide, 10.22.
#include "../suite.h"

__global__ void sum(const int *a, int *out) {
    int s = a[threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        s += __shfl_down_sync(~0u, s, d); // or
    if (threadIdx.x == 0) {
        *out = 1;
        if (s > 1000) // bug: init.shuffled
            *out = 2;
    }
}

int main() {
    int *a, *out, h;
    OK(cudaMalloc(&a, 32 * sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
#ifdef BUG
    OK(cudaMemset(a, 0, 31 * sizeof(int)));
#else
    OK(cudaMemset(a, 0, 32 * sizeof(int)));
#endif
    sum<<<1, 32>>>(a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h == 1);
}
