#include "scale.h"

__global__ static void scale_kernel(float *x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factor;
}

cudaError_t scale(float *x, float factor, int n) {
    scale_kernel<<<(n + 127) / 128, 128>>>(x, factor, n);
    return cudaDeviceSynchronize();
}
