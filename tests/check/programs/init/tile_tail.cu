// The last block's tile is filled as far as there are elements, and added up to its end. Guide,
// 5.3.2: shared memory has no initial value.
#include "../suite.h"

__global__ void sum(const float *in, int n, float *out) {
    __shared__ float tile[128];
    int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x;
    if (i < n)
        tile[t] = in[i];
#ifndef BUG
    else
        tile[t] = 0;
#endif
    __syncthreads();
    for (int half = 64; half; half /= 2) {
        if (t < half)
            tile[t] += tile[t + half]; // bug: init.shared
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = tile[0]; // or
}

int main() {
    const int n = 300;
    float *in, *out, h[n];
    for (float &v : h)
        v = 1;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, 3 * sizeof(float)));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    sum<<<3, 128>>>(in, n, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, 3 * sizeof(float), cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[0] == 128 && h[2] == 300 - 256);
}
