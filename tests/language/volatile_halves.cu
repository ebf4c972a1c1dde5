// Halves and bfloat16 that other threads write are read and written through volatile pointers.
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> __host__ __device__ T larger(T a, T b) {
    return a < b ? b : a;
}

// The last warp's steps of a reduction, as they were written before __syncwarp.
template <typename T> __global__ void largest(const T *in, volatile T *out) {
    __shared__ volatile T tile[64];
    unsigned i = threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
    for (unsigned step = 32; step; step /= 2) {
        if (i < step)
            tile[i] = larger<T>(tile[i], tile[i + step]);
        __syncthreads();
    }
    if (i == 0)
        *out = tile[0];
}

template <typename T> static void check() {
    T *in = shared_array<T>(64), *out = shared_array<T>(1);
    for (int i = 0; i < 64; i++)
        in[i] = T(float(i * 29 % 64) / 4);
    largest<T><<<1, 64>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    volatile T copy;
    copy = *out;
    CHECK(float(T(copy)) == 63 / 4.f);
    cudaFree(in);
    cudaFree(out);
}

int main() {
    check<__half>();
    check<__nv_bfloat16>();
    return failures != 0;
}
