// The host's loop fits, the kernel's goes one element behind managed memory. Guide, 24.1.
#include "../suite.h"

__global__ void add(int *a, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] += 1; // bug: memory.managed
}

int main() {
    int *a;
    OK(cudaMallocManaged((void **)&a, 33 * sizeof(int)));
    for (int i = 0; i < 33; ++i)
        a[i] = i;
#ifdef BUG
    add<<<1, 32>>>(a, 34);
#else
    add<<<1, 32>>>(a, 33);
#endif
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    int last = a[32];
    OK(cudaFree(a));
    return verdict(last == 33);
}
