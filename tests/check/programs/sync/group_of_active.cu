// A group of the threads that were active is synchronised in a branch that some of them have left.
// Guide, 11.4.2.3.
#include "../suite.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void work(int *out) {
    if (threadIdx.x < 16) {
        auto group = cg::coalesced_threads();
#ifdef BUG
        if (threadIdx.x < 8)
            group.sync(); // bug: sync.mask
        else
            out[threadIdx.x] = 1;
#else
        if (threadIdx.x >= 8)
            out[threadIdx.x] = 1;
        group.sync();
#endif
    }
    out[threadIdx.x] = 2;
}

int main() {
    int *out, h[32];
    OK(cudaMalloc(&out, sizeof h));
    work<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[15] == 2);
}
