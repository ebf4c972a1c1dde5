// One byte behind page-locked memory, within its page. Guide, 6.2.6.
#include "../suite.h"

__global__ void fill(char *a, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] = 3; // bug: memory.pinned
}

int main() {
    char *a;
    OK(cudaHostAlloc((void **)&a, 50, cudaHostAllocMapped));
#ifdef BUG
    fill<<<1, 32>>>(a, 51);
#else
    fill<<<1, 32>>>(a, 50);
#endif
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    int last = a[49];
    OK(cudaFreeHost(a));
    return verdict(last == 3);
}
