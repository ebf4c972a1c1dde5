// A launch with more threads than a block may have fails, and nobody asks. Guide, 6.2.12:
// cudaGetLastError behind it.
#include "../suite.h"

__global__ void work(int *a) {
    a[threadIdx.x] = 1;
}

int main() {
    int *a, h = 0;
    OK(cudaMalloc(&a, 2048 * sizeof(int)));
    OK(cudaMemset(a, 0, 2048 * sizeof(int)));
#ifdef BUG
    work<<<1, 2048>>>(a); // bug: api.launch
#else
    work<<<1, 1024>>>(a);
    OK(cudaGetLastError());
#endif
    OK(cudaMemcpy(&h, a, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    return verdict(h == 1);
}
