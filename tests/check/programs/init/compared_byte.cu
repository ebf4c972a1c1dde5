// A comparison that the written byte of a word does not decide. Guide, 10.2.3.
#include "../suite.h"

__global__ void set(unsigned char *bytes) {
    bytes[4 * threadIdx.x + 3] = 0x80;
}

__global__ void work(const unsigned *words, unsigned bound, int *out) {
    out[threadIdx.x] = 1;
    if (words[threadIdx.x] < bound) // bug: init.byte
        out[threadIdx.x] = 2;
}

int main() {
    unsigned *words;
    int *out, h[32];
    OK(cudaMalloc(&words, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    set<<<1, 32>>>((unsigned char *)words);
    OK(cudaGetLastError());
#ifdef BUG
    work<<<1, 32>>>(words, 0x80000010u, out);
#else
    work<<<1, 32>>>(words, 0x81000000u, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(words));
    OK(cudaFree(out));
    return verdict(h[31] == 2);
}
