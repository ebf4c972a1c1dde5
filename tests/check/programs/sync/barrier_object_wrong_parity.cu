// The second phase of a barrier object is waited for by the first one's parity: threads go on at
// once, or wait for ever. Guide, 10.26.
// ends: deadlock
#include "../suite.h"
#include <cuda/barrier>
#include <cuda/ptx>

__global__ void turn(int *out) {
    __shared__ int s[64];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&bar, 64);
    __syncthreads();
    int v = threadIdx.x;
    for (int phase = 0; phase < 2; ++phase) {
        __syncthreads();
        s[threadIdx.x] = v + phase; // or
        cuda::ptx::mbarrier_arrive(&bar);
#ifdef BUG
        while (!cuda::ptx::mbarrier_try_wait_parity(&bar, 0)) // bug: sync.deadlock
            ;
#else
        while (!cuda::ptx::mbarrier_try_wait_parity(&bar, phase & 1))
            ;
#endif
        v = s[63 - threadIdx.x]; // or
    }
    out[threadIdx.x] = v;
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    turn<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[5] == 6);
}
