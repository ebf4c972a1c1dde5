// A kernel computes with words that were never set. Another one copies what it stored into what
// goes to the host, with padding in front of it, which was not set either and is nobody's affair.
// Guide, 6.2.2.
#include "../suite.h"

struct alignas(8) element {
    unsigned char is; // three bytes of padding behind it
    int sum;
};
typedef unsigned long long word;

__global__ void add(const int *in, element *sums) {
    sums[threadIdx.x].is = 1;
    sums[threadIdx.x].sum = in[threadIdx.x] + 1; // bug: init.copied
}

__global__ void copy(const word *sums, word *out) {
    out[threadIdx.x] = sums[31 - threadIdx.x];
}

int main() {
    int *in;
    element *sums, *out, h[32];
    OK(cudaMalloc(&in, 32 * sizeof(int)));
    OK(cudaMalloc(&sums, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    OK(cudaMemset(in, 0, 31 * sizeof(int)));
#else
    OK(cudaMemset(in, 0, 32 * sizeof(int)));
#endif
    add<<<1, 32>>>(in, sums);
    copy<<<1, 32>>>((word *)sums, (word *)out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(sums));
    OK(cudaFree(out));
    return verdict(h[1].sum == 1 && h[31].sum == 1);
}
