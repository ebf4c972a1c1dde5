// A kernel is launched with 64 KB of dynamic shared memory which it was not allowed before, and
// nobody looks. Guide, 20.5.3 (cudaFuncAttributeMaxDynamicSharedMemorySize).
#include "../suite.h"

__global__ void work(int *out) {
    extern __shared__ int s[];
    s[(64 << 10) / sizeof(int) - 1] = 5;
    *out = s[(64 << 10) / sizeof(int) - 1];
}

int main() {
    int *out, h = 5;
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
#ifdef BUG
    work<<<1, 1, 64 << 10>>>(out); // bug: api.launch
#else
    OK(cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    work<<<1, 1, 64 << 10>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
#endif
    OK(cudaFree(out));
    return verdict(h == 5);
}
