// A constant is set for the next kernel while the one before may still read it. Guide, 6.2.8.5.
#include "../suite.h"

__constant__ float factor[32];

__global__ void scale(const float *in, float *out) {
    out[threadIdx.x] = factor[threadIdx.x] * in[threadIdx.x]; // bug: race.stream
}

int main() {
    cudaStream_t s, t;
    float h[32], *in, *out, *f;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaMallocHost(&f, sizeof h));
    for (int i = 0; i < 32; ++i)
        h[i] = 1, f[i] = 2;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToSymbol(factor, f, sizeof h));
    scale<<<1, 32, 0, s>>>(in, out);
    OK(cudaGetLastError());
#ifndef BUG
    OK(cudaStreamSynchronize(s));
#endif
    OK(cudaMemcpyToSymbolAsync(factor, f, sizeof h, 0, cudaMemcpyHostToDevice, t));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaFreeHost(f));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[9] == 2);
}
