// A program for clang's own CUDA driver: templates, variables of the device, mathematical
// functions.
#include <cmath>
#include <cstdio>

__device__ int counter;
__constant__ float factors[2];

template <class T> __global__ void scale(T *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = sinf(x[i]) * factors[1];
    atomicAdd(&counter, 1);
}

int main() {
    enum { N = 200, THREADS = 256 };
    float *d, x[N], f[2] = {0, 2};
    int n = 0;
    for (int i = 0; i < N; i++)
        x[i] = i * 0.01f;
    cudaMalloc(&d, sizeof x);
    cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(factors, f, sizeof f);
    scale<<<2, THREADS / 2>>>(d, N);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&n, counter, sizeof n);
    for (int i = 0; i < N; i++)
        if (std::fabs(x[i] - 2 * std::sin(i * 0.01)) > 1e-5)
            e = cudaErrorUnknown;
    std::puts(e == cudaSuccess && n == THREADS ? "passed" : "failed");
}
