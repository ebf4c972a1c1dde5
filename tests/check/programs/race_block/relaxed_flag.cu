// A flag between two warps is an atomic object, but its orders are relaxed. Guide, 10.5.
#include "../suite.h"
#include <cuda/atomic>

#ifdef BUG
static constexpr auto release = cuda::memory_order_relaxed, acquire = cuda::memory_order_relaxed;
#else
static constexpr auto release = cuda::memory_order_release, acquire = cuda::memory_order_acquire;
#endif

__global__ void pass_on(int *out) {
    __shared__ int data, flag;
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42; // bug: race.flag
        ready.store(1, release);
    } else if (threadIdx.x == 32) {
        while (ready.load(acquire) == 0) {
        }
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
