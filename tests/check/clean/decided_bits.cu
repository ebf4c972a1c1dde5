// Words of which one byte is written: comparisons, counts and logic that this byte alone decides.
// Guide, 10.2.3.
#include "../programs/suite.h"

typedef unsigned int word;
enum { N = 32, TESTS = 12 };

__global__ void set(unsigned char *bytes) {
    bytes[4 * threadIdx.x + 3] = (unsigned char)(0x80 | threadIdx.x);
}

__global__ void look(const word *words, word mask, int *out) {
    int t = threadIdx.x;
    word x = words[t], y = words[(t + 1) % N];
    unsigned long long wide = (unsigned long long)x << 16;
    unsigned short high = (unsigned short)(x >> 16);
    int n = 0;
    if (x != 5)
        n |= 1;
    if (x == 0x12345678)
        n |= 2;
    if (x >= 0x80000000u)
        n |= 4;
    if ((int)x < -100)
        n |= 8;
    if (0x7fffffffu < x)
        n |= 16;
    if ((x < y) == (t != N - 1))
        n |= 32;
    if (wide > 0xffffffffull)
        n |= 64;
    if (high >= 0x8000)
        n |= 128;
    if (__clz(x) == 0)
        n |= 256;
    if (__clz((int)(x >> 4)) == 4)
        n |= 512;
    if (__ffs((int)__brev(x)) == 1)
        n |= 1024;
    word mixed; // the bits of the mask from x, the others from t
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(mixed) : "r"(mask), "r"(x), "r"(t));
    if (mixed == (0x80000000u | (word)t << 24 | (word)t))
        n |= 2048;
    out[t] = n;
}

int main() {
    word *words;
    int *out, h[N], right = 1;
    OK(cudaMalloc(&words, N * sizeof *words));
    OK(cudaMalloc(&out, sizeof h));
    set<<<1, N>>>((unsigned char *)words);
    OK(cudaGetLastError());
    look<<<1, N>>>(words, 0xff000000u, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        right &= h[i] == (1 << TESTS) - 1 - 2;
    OK(cudaFree(words));
    OK(cudaFree(out));
    return verdict(right);
}
