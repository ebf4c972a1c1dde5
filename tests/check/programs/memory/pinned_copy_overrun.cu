// A copy of rows reads one row more than a page-locked array of the host has. Guide, 6.2.2.
#include "../suite.h"

int main() {
    char *a;
    char *host;
    size_t pitch;
    int rows = 8;
    OK(cudaHostAlloc(&host, 100 * rows, cudaHostAllocDefault));
    for (int i = 0; i < 100 * rows; ++i)
        host[i] = 1;
    OK(cudaMallocPitch(&a, &pitch, 100, rows + 1));
#ifdef BUG
    cudaMemcpy2D(a, pitch, host, 100, 100, rows + 1, cudaMemcpyHostToDevice); // bug: memory.copy
#else
    OK(cudaMemcpy2D(a, pitch, host, 100, 100, rows, cudaMemcpyHostToDevice));
#endif
    OK(cudaFree(a));
    OK(cudaFreeHost(host));
    return verdict(true);
}
