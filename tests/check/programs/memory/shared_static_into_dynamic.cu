// A static shared array is left into the dynamic one behind it, which is large enough. Guide,
// 10.2.3.
#include "../suite.h"

__global__ void work(int n, int *out) {
    __shared__ int fixed[4];
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = 7;
    __syncthreads();
    if (threadIdx.x < n)
        fixed[threadIdx.x] = threadIdx.x; // bug: memory.shared
    __syncthreads();
    out[threadIdx.x] = dynamic[threadIdx.x] + fixed[threadIdx.x % 4];
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    work<<<1, 32, 256>>>(5, out);
#else
    work<<<1, 32, 256>>>(4, out);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[3] == 10 && h[31] == 10);
}
