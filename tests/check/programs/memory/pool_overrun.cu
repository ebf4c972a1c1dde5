// One byte behind memory of a pool, in whose block more bytes lie. Guide, 15.3: an allocation is as
// large as asked for.
#include "../suite.h"

__global__ void fill(char *a, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] = 7; // bug: memory.pool
}

int main() {
    char *a, h[101];
    OK(cudaMallocAsync((void **)&a, 101, 0));
#ifdef BUG
    fill<<<1, 32>>>(a, 102);
#else
    fill<<<1, 32>>>(a, 101);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpyAsync(h, a, 101, cudaMemcpyDeviceToHost, 0));
    OK(cudaFreeAsync(a, 0));
    OK(cudaStreamSynchronize(0));
    return verdict(h[100] == 7);
}
