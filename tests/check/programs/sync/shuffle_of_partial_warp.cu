// A warp of which a part has elements adds them up by shuffles that name all its lanes; the others
// wait for the block. Guide, 10.22: all that the mask names have to call it.
#include "../suite.h"

__global__ void sums(const int *in, int n, int *out) {
    __shared__ int partial[2];
    int t = threadIdx.x;
#ifdef BUG
    if (t < n) {
        int v = in[t];
#else
    {
        int v = t < n ? in[t] : 0;
#endif
        for (int d = 16; d; d /= 2)
            v += __shfl_down_sync(0xffffffff, v, d); // bug: sync.mask
        if (t % 32 == 0)
            partial[t / 32] = v;
    }
    __syncthreads(); // or
    if (t == 0)
        *out = partial[0] + partial[1];
}

int main() {
    const int n = 40;
    int *in, *out, h[n], r;
    for (int i = 0; i < n; ++i)
        h[i] = 1;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof r));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    sums<<<1, 64>>>(in, n, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(r == n);
}
