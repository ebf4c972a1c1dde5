// Rows and columns of a matrix that is not square change places: the last rows lie behind it.
// Guide, 5.3.1.
#include "../suite.h"

__global__ void transpose(const int *in, int *out, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
#ifdef BUG
        out[x * columns + y] = in[y * columns + x]; // bug: memory.global
#else
        out[x * rows + y] = in[y * columns + x];
#endif
    }
}

int main() {
    const int rows = 20, columns = 36;
    int *in, *out, h[rows * columns];
    for (int i = 0; i < rows * columns; ++i)
        h[i] = i;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    transpose<<<dim3(3, 2), dim3(16, 16)>>>(in, out, rows, columns);
    OK(cudaGetLastError());
#ifndef BUG
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
#endif
    OK(cudaDeviceSynchronize());
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[1] == columns);
}
