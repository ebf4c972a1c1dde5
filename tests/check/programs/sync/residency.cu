// Each block waits for a flag of the next one, and the grid is larger than what a GPU holds at
// once. Guide, 5.1 and 11.8: blocks need not run together unless launched so.
// ends: deadlock
#include "../suite.h"
#include <cuda/atomic>

__device__ int flags[40001];

__global__ void chain(int blocks) {
    cuda::atomic_ref<int, cuda::thread_scope_device> next(flags[blockIdx.x + 1]),
        own(flags[blockIdx.x]);
    if (blockIdx.x + 1 < blocks)
        while (next.load(cuda::memory_order_acquire) == 0) { // bug: sync.residency
        }
    own.store(1, cuda::memory_order_release);
}

int main() {
    int h;
#ifdef BUG
    chain<<<40000, 1>>>(40000);
    OK(cudaGetLastError());
#else
    int blocks = 2;
    void *arguments[] = {&blocks};
    OK(cudaLaunchCooperativeKernel(chain, dim3(2), dim3(1), arguments, 0, 0));
#endif
    OK(cudaMemcpyFromSymbol(&h, flags, sizeof h));
    return verdict(h == 1);
}
