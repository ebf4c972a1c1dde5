// Two arrays of dynamic shared memory begin at one address. Guide, 10.2.3: offsets keep them apart.
#include "../suite.h"

extern __shared__ int first[];
extern __shared__ int second[];

__global__ void work(int *out) {
    int t = threadIdx.x;
#ifdef BUG
    int *other = second;
#else
    int *other = second + 64;
#endif
    first[t] = t;      // bug: race.block
    other[63 - t] = 2; // with
    __syncthreads();
    out[t] = first[t] + other[t];
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 64, 128 * sizeof(int)>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[1] == 3);
}
