// The kernel gets memory of malloc, which a GPU without pageable access cannot read. Guide, 6.2.2
// and 24.1.
#include "../suite.h"

__global__ void copy(const int *from, int *to) {
    *to = *from; // bug: memory.host
}

int main() {
    int *h = (int *)malloc(sizeof(int)), *a, *b;
    *h = 9;
    OK(cudaMalloc(&a, sizeof(int)));
    OK(cudaMalloc(&b, sizeof(int)));
    OK(cudaMemcpy(a, h, sizeof(int), cudaMemcpyHostToDevice));
#ifdef BUG
    copy<<<1, 1>>>(h, b);
#else
    copy<<<1, 1>>>(a, b);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, b, sizeof(int), cudaMemcpyDeviceToHost));
    int value = *h;
    OK(cudaFree(a));
    OK(cudaFree(b));
    free(h);
    return verdict(value == 9);
}
