// Blocks look for a value and stop as one has found it: which of the places that have it is told is
// left to their order. Guide, 5.2.1: blocks may come in any order.
// check: --schedules 2
#include "../suite.h"

__global__ void find(const int *a, int n, int *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || a[i] != 5)
        return;
#ifdef BUG
    atomicCAS(found, n, i); // bug: schedule.order
#else
    atomicMin(found, i);
#endif
}

int main() {
    const int n = 500;
    int *a, *found, h[n];
    for (int i = 0; i < n; ++i)
        h[i] = i % 97;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&found, sizeof n));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(found, &n, sizeof n, cudaMemcpyHostToDevice));
    find<<<4, 128>>>(a, n, found);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, found, sizeof n, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(found));
    return verdict(h[0] == 5);
}
