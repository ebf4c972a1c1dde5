// A vote in a branch names lanes that are on the other way, which go on without it. Guide, 10.19,
// and 5.4.6.6 of the later edition: a lane that a mask names comes to the call, or ends.
#include "../suite.h"

__global__ void work(int *out) {
    int votes = 0;
    if (threadIdx.x % 2 == 0) {
#ifdef BUG
        votes = __popc(__ballot_sync(0xffffffff, 1)); // bug: sync.mask
#else
        votes = __popc(__ballot_sync(0x55555555, 1));
#endif
    }
    out[threadIdx.x] = votes;
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 16 && h[1] == 0);
}
