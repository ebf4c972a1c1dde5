// The width of a shuffle is no power of two. Guide, 10.22.2.
#include "../suite.h"

__global__ void sum(int *out, int width) {
    int v = threadIdx.x;
    for (int d = width / 2; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d, width); // bug: sync.width
    out[threadIdx.x] = v;
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    sum<<<1, 32>>>(out, 24);
#else
    sum<<<1, 32>>>(out, 16);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] != 0);
}
