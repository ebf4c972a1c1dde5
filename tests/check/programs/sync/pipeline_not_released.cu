// The consumers never release a stage of a pipeline, for which its producers wait. Guide, 10.28.3.
// ends: deadlock
#include "../suite.h"
#include <cooperative_groups.h>
#include <cuda/pipeline>

__global__ void work(int *out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int i = 0; i < 3; ++i) {
        pipe.producer_acquire(); // bug: sync.object
        pipe.producer_commit();
        pipe.consumer_wait();
        out[threadIdx.x] = i + 1;
#ifndef BUG
        pipe.consumer_release();
#endif
    }
}

int main() {
    int *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<1, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[63] == 3);
}
