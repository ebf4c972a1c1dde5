// Dynamic shared memory is cut into parts so that the doubles begin at an odd multiple of four.
// Guide, 10.2.3: each part has to be aligned for its type.
#include "../suite.h"

__global__ void work(int n, double *out) {
    extern __shared__ __align__(16) char memory[];
    float *floats = (float *)memory;
    double *doubles = (double *)(floats + n);
    floats[threadIdx.x] = 1;
    doubles[threadIdx.x] = 2; // bug: memory.misaligned
    __syncthreads();
    out[threadIdx.x] = floats[threadIdx.x] + doubles[threadIdx.x];
}

int main() {
    double *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    work<<<1, 32, 512>>>(33, out);
#else
    work<<<1, 32, 512>>>(34, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[31] == 3);
}
