// Two kinds of blocks guard one sum with two locks. Guide, 10.14.
#include "../suite.h"
#include <cuda/atomic>

__device__ int locks[2], sum;

__global__ void add() {
#ifdef BUG
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(locks[blockIdx.x % 2]);
#else
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(locks[0]);
#endif
    while (lock.exchange(1, cuda::memory_order_acquire) != 0) {
    }
    sum = sum + blockIdx.x; // bug: race.lock
    lock.store(0, cuda::memory_order_release);
}

int main() {
    int h;
    add<<<8, 1>>>();
    OK(cudaGetLastError());
    OK(cudaMemcpyFromSymbol(&h, sum, sizeof h));
    return verdict(h == 28);
}
