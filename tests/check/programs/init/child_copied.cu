// A copy that a kernel submits brings what nobody has written. Guide, 13.3.2.1 and 5.3.1.
// options: -rdc=true -lcudadevrt
#include "../suite.h"

__global__ void triple(const int *a, int *b) {
    b[threadIdx.x] = 3 * a[threadIdx.x]; // bug: init.global
}
__global__ void parent(const int *in, int *a, int *b) {
    cudaMemcpyAsync(a, in, 32 * sizeof(int), cudaMemcpyDeviceToDevice);
    triple<<<1, 32>>>(a, b);
}

int main() {
    int *in, *a, *b, h[32];
    for (int i = 0; i < 32; ++i)
        h[i] = i;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
#ifdef BUG
    OK(cudaMemcpy(in, h, sizeof h / 2, cudaMemcpyHostToDevice));
#else
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
#endif
    parent<<<1, 1>>>(in, a, b);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[1] == 3);
}
