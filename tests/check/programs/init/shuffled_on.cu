// A kernel computes with words that were never set, and another one moves what it stored by a
// shuffle, or from one of two places, into what goes to the host. Guide, 6.2.2 and 10.22.
#include "../suite.h"

__global__ void add(const int *in, int *sums) {
    sums[threadIdx.x] = in[threadIdx.x] + 1; // bug: init.shuffled
}

__global__ void turn(const int *sums, int *out) {
    int own = sums[threadIdx.x], other = sums[threadIdx.x / 2];
    int turned = __shfl_sync(~0u, own, 31 - threadIdx.x);
    out[threadIdx.x] = threadIdx.x < 8 ? turned : other;
}

int main() {
    int *in, *sums, *out, h[32];
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&sums, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    OK(cudaMemset(in, 0, 31 * sizeof(int)));
#else
    OK(cudaMemset(in, 0, sizeof h));
#endif
    add<<<1, 32>>>(in, sums);
    turn<<<1, 32>>>(sums, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(sums));
    OK(cudaFree(out));
    return verdict(h[0] == 1 && h[31] == 1);
}
