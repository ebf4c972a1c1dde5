// Threads compare with the greatest element so far, and then set it: another may have set a greater
// one between. Guide, 10.14: such a thing takes an atomic function.
#include "../suite.h"

__global__ void maximum(const int *in, int n, int *most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUG
    if (i < n && in[i] > *most) // with
        *most = in[i];          // bug: race.device
#else
    if (i < n)
        atomicMax(most, in[i]);
#endif
}

int main() {
    const int n = 1000;
    int *in, *most, h[n], r;
    for (int i = 0; i < n; ++i)
        h[i] = i * 37 % n;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&most, sizeof *most));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemset(most, 0, sizeof *most));
    maximum<<<8, 128>>>(in, n, most);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&r, most, sizeof r, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(most));
    return verdict(r == n - 1);
}
