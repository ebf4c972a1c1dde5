// A copy that a kernel submits takes more bytes than its target has. Guide, 13.3.2.1 and 5.3.1.
// options: -rdc=true -lcudadevrt
#include "../suite.h"

__global__ void parent(const int *in, int *out, int n) {
    cudaMemcpyAsync(out, in, n * sizeof(int), cudaMemcpyDeviceToDevice); // bug: memory.global
}

int main() {
    int *in, *out, h[64] = {0};
    h[31] = 31;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, 32 * sizeof(int)));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
#ifdef BUG
    parent<<<1, 1>>>(in, out, 64);
#else
    parent<<<1, 1>>>(in, out, 32);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[31] == 31);
}
