// What is read of shared memory too early decides nothing. Compiled as it is written the read is
// there, and races with the write of another warp. Guide, 10.6.
// options: -G
#include "../suite.h"

__global__ void k(unsigned *counter, unsigned *out) {
    __shared__ unsigned last;
    unsigned t = threadIdx.x, sum = t;
    if (t == blockDim.x - 1)
        last = atomicAdd(counter, t); // bug: race.block
#ifndef BUG
    __syncthreads();
#endif
    sum += last; // with
    __syncthreads();
    out[t] = last;
}

int main() {
    unsigned *counter, *out, h[128], sum = 0;
    OK(cudaMalloc(&counter, sizeof *counter));
    OK(cudaMemset(counter, 0, sizeof *counter));
    OK(cudaMalloc(&out, sizeof h));
    k<<<1, 128>>>(counter, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (unsigned v : h)
        sum += v;
    OK(cudaFree(counter));
    OK(cudaFree(out));
    return verdict(sum == 0);
}
