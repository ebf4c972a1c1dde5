// A barrier object is arrived at with .relaxed, and no fence is made before, which would publish
// the writes. PTX mbarrier.arrive; guide, 10.26.2 and 10.5.
#include "../suite.h"

__global__ void swap(int *out) {
    __shared__ int tile[64];
    __shared__ unsigned long long object;
    unsigned at = (unsigned)__cvta_generic_to_shared(&object), done;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    __syncthreads();
    tile[threadIdx.x] = threadIdx.x; // bug: race.barrier-object
#ifndef BUG
    __threadfence_block();
#endif
    asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
    do
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    while (!done);
    out[threadIdx.x] = tile[63 - threadIdx.x]; // with
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    swap<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 63);
}
