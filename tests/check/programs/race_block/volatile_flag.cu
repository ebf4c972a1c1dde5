// A volatile flag between two warps orders nothing but itself. Guide, 18.5.3.3 and 10.5: an atomic
// object with release and acquire does.
#include "../suite.h"
#include <cuda/atomic>

__global__ void pass_on(int *out) {
    __shared__ int data, flag;
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42; // bug: race.flag
#ifdef BUG
        *(volatile int *)&flag = 1;
#else
        ready.store(1, cuda::memory_order_release);
#endif
    } else if (threadIdx.x == 32) {
#ifdef BUG
        while (*(volatile int *)&flag == 0) {
        }
#else
        while (ready.load(cuda::memory_order_acquire) == 0) {
        }
#endif
        *out = data; // with
    }
}

int main() {
    int *out, h[1];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    pass_on<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 42);
}
