// A pointer to a thread's local variable is used by another thread. Guide, 5.3: local memory is
// each thread's own.
#include "../suite.h"

__global__ void work(int *out) {
    __shared__ int *published, value;
    int own = threadIdx.x + 5;
    if (threadIdx.x == 0) {
        published = &own;
        value = own;
    }
    __syncthreads();
#ifdef BUG
    out[threadIdx.x] = threadIdx.x < 2 ? *published : value; // bug: memory.local
#else
    out[threadIdx.x] = threadIdx.x == 0 ? *published : value;
#endif
    __syncthreads();
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    work<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 5 && h[31] == 5);
}
