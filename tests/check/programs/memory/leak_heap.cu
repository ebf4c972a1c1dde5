// A kernel's thread never frees its block of the device's heap. Guide, 10.36: it lives on with the
// context.
// check: --leak-check full
#include "../suite.h"

__global__ void work(int *out) {
    int *p = (int *)malloc(sizeof(int)); // bug: memory.leak
    *p = 3;
    *out = *p;
#ifndef BUG
    free(p);
#endif
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
    work<<<1, 1>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 3);
}
