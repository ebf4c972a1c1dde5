// A set that a kernel submits goes to memory that was freed. Guide, 13.3.2.1 and 5.3.1.
// options: -rdc=true -lcudadevrt
#include "../suite.h"

__global__ void parent(int *p, size_t pitch) {
    if (threadIdx.x == 3)
        cudaMemset2DAsync(p, pitch, 0, 20, 4); // bug: memory.global
}

int main() {
    int *p;
    size_t pitch;
    OK(cudaMallocPitch(&p, &pitch, 20, 4));
#ifdef BUG
    OK(cudaFree(p));
#endif
    parent<<<1, 32>>>(p, pitch);
    OK(cudaGetLastError());
#ifdef BUG
    (void)cudaDeviceSynchronize();
    (void)cudaGetLastError();
#else
    OK(cudaDeviceSynchronize());
    OK(cudaFree(p));
#endif
    return verdict(true);
}
