// Neither host nor device wrote the managed counter before the kernel adds to it. Guide, 24.1.2.2.
#include "../suite.h"

__global__ void work(int *flag, int *out) {
    *out = 3;
    if (*flag == 1) // bug: init.managed
        *out = 4;
}

int main() {
    int *flag, *out, h;
    OK(cudaMallocManaged((void **)&flag, sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
#ifndef BUG
    *flag = 0;
#endif
    work<<<1, 1>>>(flag, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(flag));
    OK(cudaFree(out));
    return verdict(h == 3);
}
