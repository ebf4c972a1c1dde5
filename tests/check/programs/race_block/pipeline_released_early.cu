// A stage of a pipeline is released before the block has read it, so that the producers may fill it
// again. Guide, 10.28.1.
#include "../suite.h"
#include <cooperative_groups.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

__global__ void sum(const int *a, int *out, int tiles) {
    __shared__ int stage[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int s = 0, next = 0;
    for (int t = 0; t < tiles; ++t) {
        for (; next < tiles && next < t + 2; ++next) {
            pipeline.producer_acquire();
            int *to = &stage[next % 2][threadIdx.x];
            const int *from = a + next * 64 + threadIdx.x;
            cuda::memcpy_async(to, from, sizeof(int), pipeline); // bug: race.shared
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
#ifdef BUG
        pipeline.consumer_release();
        s += stage[t % 2][63 - threadIdx.x]; // or
#else
        s += stage[t % 2][63 - threadIdx.x];
        pipeline.consumer_release();
#endif
    }
    out[threadIdx.x] = s;
}

int main() {
    int *a, *out, h[8 * 64];
    for (int i = 0; i < 8 * 64; ++i)
        h[i] = i % 64;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&out, 64 * sizeof(int)));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    sum<<<1, 64>>>(a, out, 8);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h[0] == 8 * 63);
}
