// A shuffle takes the value of a lane that is not in it. Guide, 10.22: then the value is undefined.
#include "../suite.h"

__global__ void work(int *out) {
    int v = threadIdx.x;
    if (threadIdx.x < 16) {
#ifdef BUG
        v = __shfl_sync(0x0000ffff, v, threadIdx.x + 15); // bug: sync.shuffle
#else
        v = __shfl_sync(0x0000ffff, v, 1 - threadIdx.x % 2);
#endif
    }
    out[threadIdx.x] = v;
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[1] == 0);
}
