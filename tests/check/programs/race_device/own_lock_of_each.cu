// Two blocks write one word, the first one outside of the lock that both take once. That it took
// the lock behind the write, and came first, orders them in one order of the blocks alone. Guide,
// 10.14.
// check: --schedules 2
#include "../suite.h"
#include <cuda/atomic>

__device__ int lock, word, taken;

__device__ void take() {
    cuda::atomic_ref<int, cuda::thread_scope_device> l(lock);
    while (l.exchange(1, cuda::memory_order_acquire) != 0) {
    }
}

__device__ void release() {
    cuda::atomic_ref<int, cuda::thread_scope_device>(lock).store(0, cuda::memory_order_release);
}

__global__ void work() {
#ifdef BUG
    if (blockIdx.x == 0)
        word = 1; // bug: race.global
#endif
    take();
#ifndef BUG
    if (blockIdx.x == 0)
        word = 1;
#endif
    ++taken;
    if (blockIdx.x == 1)
        word = 2; // with
    release();
}

int main() {
    int h;
    work<<<2, 1>>>();
    OK(cudaGetLastError());
    OK(cudaMemcpyFromSymbol(&h, taken, sizeof h));
    return verdict(h == 2);
}
