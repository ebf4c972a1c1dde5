// A thread launches what reads the writes of another one, and has not met that one before. Guide,
// 13.2.2.1.1: a child sees what its launching thread does.
// options: -rdc=true -lcudadevrt
#include "../suite.h"

__global__ void child(const int *a, int *out) {
    *out = a[63]; // bug: race.child
}
__global__ void parent(int *a, int *out) {
    a[threadIdx.x] = threadIdx.x; // with
#ifndef BUG
    __syncthreads();
#endif
    if (threadIdx.x == 0)
        child<<<1, 1>>>(a, out);
}

int main() {
    int *a, *out, h;
    OK(cudaMalloc(&a, 64 * sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(a, 0, 64 * sizeof(int)));
    parent<<<1, 64>>>(a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h == 63);
}
