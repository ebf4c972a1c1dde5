// A value that was not set goes through arithmetic into the result that the host gets. Guide,
// 6.2.2.
#include "../suite.h"

__global__ void scale(const float *a, float *b) {
    b[threadIdx.x] = 2 * a[threadIdx.x] + 1; // or
}

int main() {
    float h[32], *a, *b;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
#ifdef BUG
    OK(cudaMemset(a, 0, sizeof h / sizeof(float)));
#else
    OK(cudaMemset(a, 0, sizeof h));
#endif
    scale<<<1, 32>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost)); // bug: init.global
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[31] == 1);
}
