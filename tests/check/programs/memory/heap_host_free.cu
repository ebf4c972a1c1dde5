// The host frees a block that a kernel got from the device's heap. Guide, 10.36.2: the two do not
// mix.
#include "../suite.h"

__device__ int *kept;

__global__ void get() {
    kept = (int *)malloc(sizeof(int));
}
__global__ void release() {
    free(kept);
}

int main() {
    get<<<1, 1>>>();
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
#ifdef BUG
    int *p;
    OK(cudaMemcpyFromSymbol(&p, kept, sizeof p));
    OK(cudaFree(p)); // bug: memory.free
#endif
    release<<<1, 1>>>();
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    return verdict(true);
}
