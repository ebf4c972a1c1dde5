// A cooperative launch with more blocks than fit at once fails, and nobody asks. Guide, 11.8.
#include "../suite.h"

__global__ void work(int *a) {
    a[0] = 1;
}

int main() {
    int *a;
    OK(cudaMalloc(&a, sizeof(int)));
    void *arguments[] = {&a};
#ifdef BUG
    cudaLaunchCooperativeKernel(work, dim3(1000000), dim3(1024), arguments); // bug: api.launch
#else
    OK(cudaLaunchCooperativeKernel(work, dim3(1), dim3(32), arguments, 0, 0));
#endif
    OK(cudaDeviceSynchronize());
    OK(cudaFree(a));
    return verdict(true);
}
