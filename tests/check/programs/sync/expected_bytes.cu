// A barrier object is told of more bytes than the bulk copy brings, so that the block waits for
// ever. Guide, 10.29.
// options: -arch=sm_90
// ends: deadlock
#include "../suite.h"
#include <cuda/barrier>
#include <cuda/ptx>
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void load(const int *a, int *b) {
    alignas(16) __shared__ int s[64];
    __shared__ barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, (int)blockDim.x);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(s, a, cuda::aligned_size_t<16>(sizeof s), bar);
#ifdef BUG
        token = cuda::device::barrier_arrive_tx(bar, 1, 2 * sizeof s);
#else
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof s);
#endif
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token)); // bug: sync.object
    b[threadIdx.x] = s[63 - threadIdx.x];
}

int main() {
    int h[64], *a, *b;
    for (int i = 0; i < 64; i++)
        h[i] = i;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    load<<<1, 64>>>(a, b);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 63);
}
