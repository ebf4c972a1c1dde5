// The kernel comes behind the free in its stream. Guide, 15.3: no access once the free operation
// began.
#include "../suite.h"

__global__ void set(int *a) {
    *a = 5; // bug: memory.pool
}

int main() {
    int *a, *b, h = 5;
    OK(cudaMallocAsync((void **)&a, sizeof(int), 0));
#ifdef BUG
    OK(cudaFreeAsync(a, 0));
    set<<<1, 1>>>(a);
    OK(cudaGetLastError());
#else
    set<<<1, 1>>>(a);
    OK(cudaGetLastError());
    OK(cudaMemcpyAsync(&h, a, sizeof h, cudaMemcpyDeviceToHost, 0));
    OK(cudaFreeAsync(a, 0));
#endif
    OK(cudaMallocAsync((void **)&b, sizeof(int), 0));
    OK(cudaFreeAsync(b, 0));
    OK(cudaStreamSynchronize(0));
    return verdict(h == 5);
}
