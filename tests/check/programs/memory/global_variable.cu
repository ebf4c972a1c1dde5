// One byte behind a __device__ array, where the module's next variable may lie. Guide, 10.2.1.
#include "../suite.h"

__device__ char first[13], second[13];

__global__ void fill(int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        first[i] = 1; // bug: memory.global
        if (i < 13)
            second[i] = 2;
    }
}

int main() {
    char h[13];
#ifdef BUG
    fill<<<1, 32>>>(14);
#else
    fill<<<1, 32>>>(13);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpyFromSymbol(h, first, 13));
    return verdict(h[12] == 1);
}
