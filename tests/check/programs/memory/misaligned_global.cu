// A vector load from an address that is not a multiple of its size. Guide, 8.3.2 (size and
// alignment requirement).
#include "../suite.h"

__global__ void load(const float *a, float *out, int from) {
    float4 v = *(const float4 *)(a + from); // bug: memory.misaligned
    *out = v.x + v.w;
}

int main() {
    float h[8] = {0, 1, 2, 3, 4, 5, 6, 7}, *a, *out, sum;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&out, sizeof(float)));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
#ifdef BUG
    load<<<1, 1>>>(a, out, 3);
#else
    load<<<1, 1>>>(a, out, 4);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(sum == 11);
}
