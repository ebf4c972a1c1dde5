// Two blocks take two locks in opposite orders, each its second when the other has taken its first.
// Guide, 10.14.
// ends: deadlock
#include "../suite.h"
#include <cuda/atomic>

__device__ int locks[2], arrived;

__device__ void take(int i) {
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(locks[i]);
    while (lock.exchange(1, cuda::memory_order_acquire) != 0) { // bug: sync.deadlock
    }
}

__device__ void release(int i) {
    cuda::atomic_ref<int, cuda::thread_scope_device>(locks[i]).store(0, cuda::memory_order_release);
}

__global__ void work(int *out) {
#ifdef BUG
    int first = blockIdx.x;
    take(first);
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < 2) {
    }
#else
    int first = 0;
    take(first);
#endif
    take(1 - first);
    *out += 1;
    release(1 - first);
    release(first);
}

int main() {
    int *out, h[1];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<2, 1>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 2);
}
