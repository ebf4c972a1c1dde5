// Lanes of a warp take tickets, and nothing says in which order. Guide, 7.1 and 10.14.
// check: --schedules 3
#include "../suite.h"

__global__ void list(int *a) {
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 0;
    __syncwarp();
#ifdef BUG
    a[atomicAdd(&n, 1)] = threadIdx.x; // bug: schedule.order
#else
    atomicAdd(&n, 1);
    __syncwarp();
    a[n - 1 - threadIdx.x] = 31 - threadIdx.x;
#endif
}

int main() {
    int *a, h[32], ordered = 1;
    OK(cudaMalloc(&a, sizeof h));
    list<<<1, 32>>>(a);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i)
        ordered &= h[i] == i;
    OK(cudaFree(a));
    return verdict(ordered);
}
