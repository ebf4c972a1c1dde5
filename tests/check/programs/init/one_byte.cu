// Three of a word's four bytes are set before all four decide a branch. Guide, 10.2.3.
#include "../suite.h"

__global__ void work(int n, int *out) {
    __shared__ int word;
    if (threadIdx.x == 0)
        for (int i = 0; i < n; ++i)
            ((volatile char *)&word)[i] = 1;
    __syncthreads();
    out[threadIdx.x] = 1;
    if (word > 0) // bug: init.byte
        out[threadIdx.x] = 2;
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    work<<<1, 32>>>(3, out);
#else
    work<<<1, 32>>>(4, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[31] == 2);
}
