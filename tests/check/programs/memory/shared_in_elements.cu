// The launch is told how many elements of dynamic shared memory there are, where it takes bytes.
// Guide, 10.2.3.
#include "../suite.h"

__global__ void reverse(double *data) {
    extern __shared__ double tile[];
    tile[threadIdx.x] = data[threadIdx.x]; // bug: memory.shared
    __syncthreads();
    data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x]; // or
}

int main() {
    const int n = 96;
    double *data, h[n];
    for (int i = 0; i < n; ++i)
        h[i] = i;
    OK(cudaMalloc(&data, sizeof h));
    OK(cudaMemcpy(data, h, sizeof h, cudaMemcpyHostToDevice));
#ifdef BUG
    reverse<<<1, n, n>>>(data);
#else
    reverse<<<1, n, n * sizeof(double)>>>(data);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, data, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(data));
    return verdict(h[0] == n - 1);
}
