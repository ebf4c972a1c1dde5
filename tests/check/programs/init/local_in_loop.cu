// An array that each iteration of a loop has anew is filled in the first one alone: what the others
// read there has no value. C++ [dcl.init], which holds in device code too: guide, 18.
// options: -G
#include "../suite.h"

__device__ __noinline__ void fill(int *p, int from) {
    for (int i = 0; i < 4; ++i)
        p[i] = from + i;
}

__global__ void work(int *out) {
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
        int row[4];
#ifdef BUG
        if (round == 0)
#endif
            fill(row, round);
        if (row[3] > 2) // bug: init.local
            sum += 1;
    }
    *out = sum;
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
    work<<<1, 40>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 3);
}
