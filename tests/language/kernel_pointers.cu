// Kernels' addresses in device code (guide 18.5.10.5): kept in variables, tables and fields, passed
// to functions, and launched by device code.
#include "check.h"

__global__ void add(int *p, int n) {
    atomicAdd(p, n);
}
__global__ void subtract(int *p, int n) {
    atomicSub(p, n);
}
template <int factor> __global__ void add_times(int *p, int n) {
    atomicAdd(p, factor * n);
}

typedef void (*kernel)(int *, int);

__device__ kernel choose(int i) {
    return i == 0 ? &add : i == 1 ? subtract : add_times<3>;
}

struct task {
    kernel run;
    int n;
};

__global__ void parent(int *p, int *same) {
    kernel table[] = {add, &subtract, &add_times<10>};
    for (int i = 0; i < 3; i++)
        table[i]<<<1, 2>>>(p + i, 5);
    for (int i = 0; i < 3; i++)
        choose(i)<<<1, 1>>>(p + 3 + i, 7);
    task t = {subtract, 4};
    t.run<<<2, 1>>>(p + 6, t.n);
    *same = table[0] == choose(0) && table[1] != choose(0);
}

int main() {
    if (!on_kudzu())
        return 77; // NVIDIA's driver refuses these calls without its own device runtime library
    int *p, expected[] = {10, -10, 100, 7, -7, 21, -8, 1};
    cudaMallocManaged(&p, sizeof expected);
    for (int i = 0; i < 8; i++)
        p[i] = 0;
    parent<<<1, 1>>>(p, p + 7);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 8; i++)
        CHECK(p[i] == expected[i]);
    return failures;
}
