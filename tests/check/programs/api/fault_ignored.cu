// A kernel traps; the host waits for it and does not look at the answer. Guide, 6.2.12.
#include "../suite.h"

__global__ void work(int *a, int limit) {
    if (*a > limit)
        __trap();
    *a = 1;
}

int main() {
    int *a;
    OK(cudaMalloc(&a, sizeof(int)));
    OK(cudaMemset(a, 0, sizeof(int)));
    work<<<1, 1>>>(a, 0);
    OK(cudaGetLastError());
#ifdef BUG
    work<<<1, 1>>>(a, -1);
    OK(cudaGetLastError());
    cudaDeviceSynchronize(); // bug: api.ignored
    return verdict(true);
#else
    OK(cudaDeviceSynchronize());
    OK(cudaFree(a));
    return verdict(true);
#endif
}
