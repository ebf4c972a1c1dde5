// One element behind a local array, beside which another lies. Guide, 8.3.2 (local memory).
// options: -G
#include "../suite.h"

__global__ void work(int n, int *out) {
    volatile int first[8];
    volatile int second[8];
    for (int i = 0; i < 8; ++i)
        second[i] = 1;
    for (int i = 0; i < n; ++i)
        first[i] = i; // bug: memory.local
    int s = 0;
    for (int i = 0; i < 8; ++i)
        s += first[i] + second[i];
    *out = s;
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
#ifdef BUG
    work<<<1, 1>>>(9, out);
#else
    work<<<1, 1>>>(8, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 36);
}
