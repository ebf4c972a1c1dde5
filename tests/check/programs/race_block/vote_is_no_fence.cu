// A vote between write and read is taken for a barrier. Guide, 10.19: votes imply no memory
// barrier.
#include "../suite.h"

__global__ void publish(int *out) {
    __shared__ int value;
    if (threadIdx.x == 3)
        value = 7; // bug: race.warp
    unsigned all = __ballot_sync(0xffffffff, threadIdx.x != 40);
#ifndef BUG
    __syncwarp();
#endif
    if (all == 0xffffffff)
        out[threadIdx.x] = value; // with
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    publish<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[31] == 7);
}
