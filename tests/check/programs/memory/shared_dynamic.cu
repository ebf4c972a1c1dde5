// The launch gives fewer bytes of dynamic shared memory than the kernel uses. Guide, 10.2.3 and
// 10.37.
#include "../suite.h"

__global__ void reverse(int *a) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = a[threadIdx.x]; // bug: memory.shared
    __syncthreads();
    a[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
    int *a, h[64];
    for (int i = 0; i < 64; ++i)
        h[i] = i;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
#ifdef BUG
    reverse<<<1, 64, 64 * sizeof(short)>>>(a);
#else
    reverse<<<1, 64, 64 * sizeof(int)>>>(a);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    return verdict(h[0] == 63);
}
