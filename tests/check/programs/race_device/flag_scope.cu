// The flag from block to block has the right orders in the scope of a block. Guide, 10.5 and 10.14.
#include "../suite.h"
#include <cuda/atomic>

__device__ int data, flag, result;

#ifdef BUG
using Flag = cuda::atomic_ref<int, cuda::thread_scope_block>;
#else
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
#endif

__global__ void pass_on() {
    if (blockIdx.x == 0) {
        data = 42; // bug: race.flag
        Flag(flag).store(1, cuda::memory_order_release);
    } else {
        while (Flag(flag).load(cuda::memory_order_acquire) == 0) {
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
