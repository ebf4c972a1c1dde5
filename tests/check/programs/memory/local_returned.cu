// A function that is inlined returns the address of its own array. C++ [basic.stc.auto], which
// holds in device code too: guide, 18.
// options: -G
#include "../suite.h"

__device__ __forceinline__ const float *weights(float w, float *given) {
    float own[3];
#ifdef BUG
    float *to = own;
#else
    float *to = given;
#endif
    own[0] = to[0] = w;
    own[1] = to[1] = 2 * w;
    own[2] = to[2] = w;
    return to;
}

__global__ void smooth(const float *in, float *out, int n) {
    float storage[3];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1)
        return;
    const float *w = weights(0.25f, storage);
    out[i] = w[0] * in[i - 1] + w[1] * in[i] + w[2] * in[i + 1]; // bug: memory.scope
}

int main() {
    const int n = 100;
    float *in, *out, h[n];
    for (float &v : h)
        v = 8;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0, sizeof h));
    smooth<<<2, 64>>>(in, out, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[0] == 0 && h[1] == 8 && h[98] == 8);
}
