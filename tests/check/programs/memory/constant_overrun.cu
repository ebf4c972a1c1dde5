// One element behind an array in constant memory, where the next variable may lie. Guide, 10.2.2.
#include "../suite.h"

__constant__ int first[4] = {1, 2, 3, 4}, second[4] = {5, 6, 7, 8};

__global__ void read(int n, int *out) {
    int s = second[0];
    for (int i = 0; i < n; ++i)
        s += first[i]; // bug: memory.constant
    *out = s;
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
#ifdef BUG
    read<<<1, 1>>>(5, out);
#else
    read<<<1, 1>>>(4, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 15);
}
