// A block of the device's heap is used as if malloc had set it. Guide, 10.36.
#include "../suite.h"

__global__ void work(int *out) {
    int *p = (int *)malloc(4 * sizeof(int));
#ifndef BUG
    memset(p, 0, 4 * sizeof(int));
#endif
    *out = 0;
    if (p[2] == 0) // bug: init.heap
        *out = 1;
    free(p);
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
    work<<<1, 1>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 1);
}
