// A block tells another one by a release, and writes the data behind it. Guide, 10.14 and the
// memory model of PTX.
#include "../suite.h"
#include <cuda/atomic>

__device__ int data, flag;

__global__ void hand_on(int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> f(flag);
    if (blockIdx.x == 0) {
#ifdef BUG
        f.store(1, cuda::memory_order_release);
        data = 7; // bug: race.global
#else
        data = 7;
        f.store(1, cuda::memory_order_release);
#endif
    } else if (f.load(cuda::memory_order_acquire)) {
        *out = data; // with
    }
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
    hand_on<<<2, 1>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 7 || h == 0);
}
