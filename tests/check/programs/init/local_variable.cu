// A variable is set on one way through the kernel only; the other uses it in a branch. C++
// [dcl.init]: guide, 18.
#include "../suite.h"

__device__ __noinline__ void get(int i, int *value) {
    if (i != 5)
        *value = i;
#ifndef BUG
    else
        *value = 5;
#endif
}

__global__ void work(int *out) {
    int value;
    get(threadIdx.x, &value);
    if (value >= 0) // bug: init.local
        out[threadIdx.x] = 1;
    else
        out[threadIdx.x] = 2;
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    work<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[5] == 1);
}
