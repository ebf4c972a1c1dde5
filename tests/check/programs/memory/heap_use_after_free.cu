// A block of the device's heap is read after free. Guide, 10.36.
#include "../suite.h"

__global__ void work(int *out) {
    int *p = (int *)malloc(sizeof(int));
    *p = 4;
#ifdef BUG
    free(p);
    *out = *p; // bug: memory.heap
#else
    *out = *p;
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
    return verdict(h == 4);
}
