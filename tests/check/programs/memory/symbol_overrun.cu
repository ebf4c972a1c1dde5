// A copy to a __constant__ array goes on behind its end. Guide, 6.2.2.
#include "../suite.h"

__constant__ int table[16];

__global__ void read(int *out) {
    out[threadIdx.x] = table[threadIdx.x];
}

int main() {
    int *out, h[16] = {};
    h[15] = 4;
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpyToSymbol(table, h, sizeof h));
#ifdef BUG
    cudaMemcpyToSymbol(table, h, 8 * sizeof(int), 12 * sizeof(int)); // bug: memory.copy
#else
    OK(cudaMemcpyToSymbol(table, h, 4 * sizeof(int), 8 * sizeof(int)));
#endif
    read<<<1, 16>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[15] == 4);
}
