// Bits of a word, chosen by a mask in one instruction, of which more are taken than are set.
// Guide, 10.2.3.
#include "../suite.h"

__global__ void set(unsigned char *bytes) {
    bytes[4 * threadIdx.x + 3] = 0x80;
}

__global__ void work(const unsigned *words, unsigned mask, int *out) {
    unsigned mixed;
    asm("lop3.b32 %0, %1, %2, %3, 0xca;"
        : "=r"(mixed)
        : "r"(mask), "r"(words[threadIdx.x]), "r"(5));
    out[threadIdx.x] = 1;
    if (mixed == (0x80000005u & (mask | 0xff))) // bug: init.byte
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
    work<<<1, 32>>>(words, 0xffff0000u, out);
#else
    work<<<1, 32>>>(words, 0xff000000u, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(words));
    OK(cudaFree(out));
    return verdict(h[31] == 2);
}
