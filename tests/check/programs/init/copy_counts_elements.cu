// The copy to the device is told how many elements there are where it takes bytes. Guide, 5.3.1:
// what it has not written has no value.
#include "../suite.h"

__global__ void scale(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i]; // bug: init.global
}

int main() {
    const int n = 200;
    float *in, *out, h[n];
    for (float &v : h)
        v = 1;
    OK(cudaMalloc(&in, n * sizeof(float)));
    OK(cudaMalloc(&out, n * sizeof(float)));
#ifdef BUG
    OK(cudaMemcpy(in, h, n, cudaMemcpyHostToDevice));
#else
    OK(cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice));
#endif
    scale<<<2, 128>>>(in, out, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, n * sizeof(float), cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[0] == 2 && h[n - 1] == 2);
}
