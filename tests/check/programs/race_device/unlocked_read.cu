// Writers take the lock, a reader does not. Guide, 10.14.
#include "../suite.h"
#include <cuda/atomic>

__device__ int word, high, low, seen;

__global__ void work() {
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(word);
#ifdef BUG
    if (blockIdx.x == 7) {
        seen = high - low; // bug: race.lock
        return;
    }
#endif
    while (lock.exchange(1, cuda::memory_order_acquire) != 0) {
    }
    if (blockIdx.x == 7)
        seen = high - low;
    ++high, ++low; // with
    lock.store(0, cuda::memory_order_release);
}

int main() {
    int h;
    work<<<8, 1>>>();
    OK(cudaGetLastError());
    OK(cudaMemcpyFromSymbol(&h, seen, sizeof h));
    return verdict(h == 0);
}
