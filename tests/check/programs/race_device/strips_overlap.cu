// Threads write strips of elements, each by a loop: a step that is one too small for all threads
// leads the next round into elements of others. Guide, 10.5: memory fences order nothing here.
#include "../suite.h"

__global__ void fill(int *to, int n, int step) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        to[i] = i + blockIdx.x; // bug: race.device
}

int main() {
    const int blocks = 4, threads = 64, n = 4096;
    int *to;
#ifdef BUG
    int step = blocks * threads / 2;
#else
    int step = blocks * threads;
#endif
    OK(cudaMalloc(&to, n * sizeof(int)));
    fill<<<blocks, threads>>>(to, n, step);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaFree(to));
    return verdict(true);
}
