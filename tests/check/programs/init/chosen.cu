// Words have a flag in their first byte and padding behind it, and are moved as a whole. What a
// flag chooses that was set is only moved; what one chooses that was not set is computed.
// Guide, 6.2.2.
#include "../suite.h"

typedef unsigned long long word;

__global__ void set(word *a, int n) {
    if ((int)threadIdx.x < n)
        *(unsigned char *)(a + threadIdx.x) = threadIdx.x % 3 == 0;
}

__global__ void choose(const word *a, word *out) {
    word x = a[threadIdx.x], y = a[threadIdx.x + 1];
    out[threadIdx.x] = x & 1 ? x : y; // bug: init.chosen
}

int main() {
    word *a, *out, h[32];
    OK(cudaMalloc(&a, 33 * sizeof(word)));
    OK(cudaMalloc(&out, 32 * sizeof(word)));
#ifdef BUG
    set<<<1, 64>>>(a, 20);
#else
    set<<<1, 64>>>(a, 33);
#endif
    choose<<<1, 32>>>(a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    int n = 0;
    for (int i = 0; i < 6; i++)
        n += (int)(h[i] & 1);
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(n == 4);
}
