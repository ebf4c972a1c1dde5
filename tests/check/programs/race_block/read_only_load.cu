// A load by the read-only cache from what the kernel itself writes, though a barrier is between
// them. Guide, 10.10: read-only for the whole kernel.
#include "../suite.h"

__global__ void turn(int *a, int *out) {
    a[threadIdx.x] = threadIdx.x; // bug: race.read_only
    __syncthreads();
#ifdef BUG
    out[threadIdx.x] = __ldg(a + 63 - threadIdx.x); // or
#else
    out[threadIdx.x] = a[63 - threadIdx.x];
#endif
}

int main() {
    int *a, *out, h[64];
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    turn<<<1, 64>>>(a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h[0] == 63);
}
