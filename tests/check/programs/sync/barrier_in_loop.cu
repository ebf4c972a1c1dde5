// The number of barriers in a loop depends on the thread. Guide, 10.6.
#include "../suite.h"

__global__ void work(int *out) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
#ifdef BUG
    int rounds = 3 + threadIdx.x % 2;
#else
    int rounds = 4;
#endif
    for (int i = 0; i < rounds; ++i) {
        if (threadIdx.x == 1)
            sum += 1;
        __syncthreads(); // bug: sync.barrier
    }
    out[threadIdx.x] = sum;
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[1] == 4 && h[63] == 4);
}
