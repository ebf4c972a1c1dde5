// An element of an array that each iteration of a loop has anew is looked at in the next one. C++
// [basic.stc.auto], which holds in device code too: guide, 18.
// options: -G
#include "../suite.h"

__device__ __noinline__ void fill(int *p, int from) {
    for (int i = 0; i < 4; ++i)
        p[i] = from + i;
}

__global__ void work(int *out) {
    int before[4] = {0, 0, 0, 0}, *last = before, sum = 0;
    for (int round = 0; round < 3; ++round) {
        sum += last[3]; // bug: memory.scope
        int row[4];
        fill(row, round);
#ifdef BUG
        last = row;
#else
        before[3] = row[3];
#endif
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
    return verdict(h == 7);
}
