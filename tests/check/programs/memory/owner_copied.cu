// An array's owner is handed to a function by value: the copy's destructor frees the array, too.
// Guide, 5.3.1: memory is freed once.
#include "../suite.h"

struct Array {
    int *data;
    explicit Array(int n) {
        OK(cudaMalloc(&data, n * sizeof(int)));
    }
    ~Array() {
        (void)cudaFree(data); // bug: memory.free
    }
#ifndef BUG
    Array(const Array &) = delete;
#endif
};

__global__ void fill(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i;
}

#ifdef BUG
static void launch(Array a, int n) {
#else
static void launch(const Array &a, int n) {
#endif
    fill<<<(n + 63) / 64, 64>>>(a.data, n);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
}

int main() {
    Array a(100);
    launch(a, 100);
    int h = 99;
#ifndef BUG
    OK(cudaMemcpy(&h, a.data + 99, sizeof h, cudaMemcpyDeviceToHost));
#endif
    return verdict(h == 99);
}
