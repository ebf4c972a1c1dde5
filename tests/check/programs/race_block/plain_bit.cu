// Each thread sets its bit of one word: reads and writes of neighbours overlap. Guide, 10.14.2.
#include "../suite.h"

__global__ void mark(int *out) {
    __shared__ unsigned bits;
    if (threadIdx.x == 0)
        bits = 0;
    __syncthreads();
#ifdef BUG
    bits |= 1u << threadIdx.x; // bug: race.block
#else
    atomicOr(&bits, 1u << threadIdx.x);
#endif
    __syncthreads();
    if (threadIdx.x == 0)
        *out = (int)bits;
}

int main() {
    int *out, h[1];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    mark<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == -1);
}
