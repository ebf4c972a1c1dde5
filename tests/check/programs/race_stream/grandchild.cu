// What a child has launched writes, and another child reads that is in no stream behind it. Guide,
// 13.2.1.2 and 13.3.1.2.2: a grid has ended when all that it launched has.
// options: -rdc=true -lcudadevrt
#include "../suite.h"

#ifdef BUG
#define STREAM cudaStreamFireAndForget
#else
#define STREAM 0
#endif

__global__ void grandchild(int *a) {
    a[threadIdx.x] = threadIdx.x; // bug: race.child
}
__global__ void child(int *a) {
    grandchild<<<1, 32>>>(a);
}
__global__ void other(const int *a, int *b) {
    b[threadIdx.x] = a[31 - threadIdx.x]; // with
}
__global__ void parent(int *a, int *b) {
    child<<<1, 1>>>(a);
    other<<<1, 32, 0, STREAM>>>(a, b);
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
