// What was not set is copied from array to array; the kernel branches on the copy. Guide, 6.2.2.
#include "../suite.h"

__global__ void test(const int *a, int *out) {
    if (a[threadIdx.x] < 100) // bug: init.copied
        atomicAdd(out, 1);
}

int main() {
    int *a, *b, *out, h;
    OK(cudaMalloc(&a, 32 * sizeof(int)));
    OK(cudaMalloc(&b, 32 * sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
#ifdef BUG
    OK(cudaMemset(a, 0, 16 * sizeof(int)));
#else
    OK(cudaMemset(a, 0, 32 * sizeof(int)));
#endif
    OK(cudaMemcpy(b, a, 32 * sizeof(int), cudaMemcpyDeviceToDevice));
    test<<<1, 32>>>(b, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(out));
    return verdict(h == 32);
}
