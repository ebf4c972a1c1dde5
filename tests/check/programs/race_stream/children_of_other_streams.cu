// Two children of which the second needs the first are launched to run beside each other. Guide,
// 13.3.1.2.2 (fire and forget).
// options: -rdc=true -lcudadevrt
#include "../suite.h"

#ifdef BUG
#define STREAM cudaStreamFireAndForget
#else
#define STREAM 0
#endif

__global__ void first(int *a) {
    a[threadIdx.x] = threadIdx.x; // bug: race.child
}
__global__ void second(const int *a, int *b) {
    b[threadIdx.x] = a[31 - threadIdx.x]; // with
}
__global__ void parent(int *a, int *b) {
    first<<<1, 32, 0, STREAM>>>(a);
    second<<<1, 32, 0, STREAM>>>(a, b);
}

int main() {
    int *a, *b, h[32];
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMemset(a, 0, sizeof h));
    parent<<<1, 1>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 31);
}
