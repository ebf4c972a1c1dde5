// A vote in a branch names lanes that are on the other way. Guide, 10.19.
#include "../suite.h"

__global__ void work(int *out) {
    if (threadIdx.x % 2 == 0) {
#ifdef BUG
        out[threadIdx.x] = __popc(__ballot_sync(0xffffffff, 1)); // bug: sync.mask
#else
        out[threadIdx.x] = __popc(__ballot_sync(0x55555555, 1));
#endif
    }
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 16);
}
