// More is copied to a variable than it holds: the call fails, and is not looked at. Guide, 6.2.2
// and 6.2.12.
#include "../suite.h"

__constant__ int table[4];

__global__ void read(int *out) {
    *out = table[3];
}

int main() {
    int h[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *out, value;
    OK(cudaMalloc(&out, sizeof(int)));
#ifdef BUG
    cudaMemcpyToSymbol(table, h, sizeof h); // bug: api.ignored
#else
    OK(cudaMemcpyToSymbol(table, h, sizeof table));
#endif
    read<<<1, 1>>>(out);
    cudaError_t error = cudaGetLastError();
    OK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(error == cudaSuccess && value == 4);
}
