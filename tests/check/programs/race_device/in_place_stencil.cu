// A stencil in place: a block's edge reads what the neighbouring block writes. Guide, 5.2: blocks
// are independent.
#include "../suite.h"

__global__ void shift(const int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i + 1 < n ? a[i + 1] : 0; // bug: race.blocks
    __syncthreads();
    b[i] = v; // with
}

int main() {
    int h[128], *a, *b;
    for (int i = 0; i < 128; ++i)
        h[i] = i;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemset(b, 0, sizeof h));
#ifdef BUG
    shift<<<4, 32>>>(a, a, 128);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
#else
    shift<<<4, 32>>>(a, b, 128);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
#endif
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[31] == 32);
}
