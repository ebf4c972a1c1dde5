// The thread beside the last element reads its neighbour for the tile's edge: the index is compared
// with n, which is no element. Guide, 5.3.1: kernels access what has been allocated.
#include "../suite.h"

enum { Radius = 1, Block = 64 };

__global__ void blur(const float *in, float *out, int n) {
    __shared__ float tile[Block + 2 * Radius];
    int i = blockIdx.x * Block + threadIdx.x, t = threadIdx.x + Radius;
    tile[t] = i < n ? in[i] : 0;
    if (threadIdx.x < Radius)
        tile[t - Radius] = i >= Radius ? in[i - Radius] : 0;
    if (threadIdx.x >= Block - Radius) {
#ifdef BUG
        bool there = i + Radius <= n;
#else
        bool there = i + Radius < n;
#endif
        tile[t + Radius] = there ? in[i + Radius] : 0; // bug: memory.global
    }
    __syncthreads();
    if (i < n)
        out[i] = tile[t - 1] + tile[t] + tile[t + 1];
}

int main() {
    const int n = 3 * Block;
    float *in, *out, h[n];
    for (float &v : h)
        v = 1;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    blur<<<n / Block, Block>>>(in, out, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[0] == 2 && h[1] == 3);
}
