// The flag from block to block is loaded with acquire, but its writer is relaxed. Guide, 10.5.
#include "../suite.h"
#include <cuda/atomic>

__device__ int data, flag, result;

#ifdef BUG
static constexpr auto order = cuda::memory_order_relaxed;
#else
static constexpr auto order = cuda::memory_order_release;
#endif

__global__ void pass_on() {
    if (blockIdx.x == 0) {
        data = 42; // bug: race.flag
        cuda::atomic_ref<int, cuda::thread_scope_device>(flag).store(1, order);
    } else {
        while (cuda::atomic_ref<int, cuda::thread_scope_device>(flag).load(
                   cuda::memory_order_acquire) == 0) {
        }
        result = data; // with
    }
}

int main() {
    int h;
    void *none[] = {nullptr};
    OK(cudaLaunchCooperativeKernel((const void *)pass_on, dim3(2), dim3(1), none, 0, 0));
    OK(cudaMemcpyFromSymbol(&h, result, sizeof h));
    return verdict(h == 42);
}
