// A pointer into shared memory is kept for the next kernel. Guide, 10.2.3: its lifetime is the
// block's.
#include "../suite.h"

__device__ int *kept;

__global__ void first(int *buffer) {
    __shared__ int a[32];
    a[threadIdx.x] = threadIdx.x;
    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
#ifdef BUG
        kept = a;
#else
        kept = buffer;
#endif
    buffer[32] = a[5];
}

__global__ void second(int *out) {
    *out = kept[7]; // bug: memory.shared
}

int main() {
    int *a, h;
    OK(cudaMalloc(&a, 34 * sizeof(int)));
    first<<<1, 32>>>(a);
    second<<<1, 1>>>(a + 33);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, a + 33, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    return verdict(h == 7);
}
