// A volatile flag from block to block orders nothing but itself. Guide, 18.5.3.3 and 10.5.
#include "../suite.h"
#include <cuda/atomic>

__device__ int data, flag, result;

__global__ void pass_on() {
    if (blockIdx.x == 0) {
        data = 42; // bug: race.flag
#ifdef BUG
        *(volatile int *)&flag = 1;
#else
        cuda::atomic_ref<int, cuda::thread_scope_device>(flag).store(1, cuda::memory_order_release);
#endif
    } else {
#ifdef BUG
        while (*(volatile int *)&flag == 0) {
        }
#else
        while (cuda::atomic_ref<int, cuda::thread_scope_device>(flag).load(
                   cuda::memory_order_acquire) == 0) {
        }
#endif
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
