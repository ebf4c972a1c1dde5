// Lanes skip a step of a loop by `continue` and wait behind it; the others name them in a ballot.
// Guide, 10.19.
// ends: deadlock
#include "../suite.h"

__global__ void work(const int *in, int n, int *out) {
    int c = 0;
    for (int i = threadIdx.x; i < 128; i += 32) {
#ifdef BUG
        if (i >= n)
            continue;
        c += __popc(__ballot_sync(0xffffffff, in[i] > 0)); // bug: sync.mask
#else
        c += __popc(__ballot_sync(0xffffffff, i < n && in[i] > 0));
#endif
    }
    __syncwarp();
    out[threadIdx.x] = c;
}

int main() {
    int h[128], *in, *out;
    for (int &x : h)
        x = 1;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    work<<<1, 32>>>(in, 100, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof(int) * 32, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[0] >= 96);
}
