// The tile of a bulk copy (TMA) is read before the barrier's phase that counts its bytes has ended.
// Guide, 10.29.1.
#include "../suite.h"
#include <cuda/barrier>
#include <cuda/ptx>

__device__ alignas(16) int source[64];

__global__ void fill() {
    source[threadIdx.x] = 7;
}

__global__ void copy(int *out) {
    __shared__ alignas(16) int tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> filled;
    if (threadIdx.x == 0) {
        init(&filled, blockDim.x);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        auto size = cuda::aligned_size_t<16>(sizeof tile);
        cuda::device::memcpy_async_tx(tile, source, size, filled); // bug: race.bulk
        token = cuda::device::barrier_arrive_tx(filled, 1, sizeof tile);
    } else {
        token = filled.arrive();
    }
#ifndef BUG
    filled.wait(std::move(token));
#endif
    out[threadIdx.x] = tile[threadIdx.x]; // with
#ifdef BUG
    filled.wait(std::move(token));
#endif
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    fill<<<1, 64>>>();
    copy<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[63] == 7);
}
