// A shuffle in a branch names all lanes, of which half do not come. Guide, 10.22: all threads named
// must execute it.
#include "../suite.h"

__global__ void work(int *out) {
    int v = threadIdx.x;
    if (threadIdx.x < 16) {
#ifdef BUG
        v = __shfl_sync(0xffffffff, v, 15 - threadIdx.x); // bug: sync.mask
#else
        v = __shfl_sync(0x0000ffff, v, 15 - threadIdx.x);
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
    return verdict(h[0] == 15);
}
