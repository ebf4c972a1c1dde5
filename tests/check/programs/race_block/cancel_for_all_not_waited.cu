// A block of a cluster asks for another one's work for both (cluster launch control), and the other
// block reads the answer behind the cluster's barrier, which does not wait for it: its own mbarrier
// object does. Guide, 12.2.4; PTX ISA, clusterlaunchcontrol.try_cancel.
// options: -arch=sm_100a
#include "../tensor.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(2) work(int *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        object_begin(&bar, 1);
    cluster.sync();
    unsigned block = blockIdx.x;
    for (unsigned phase = 0;; phase ^= 1) {
        if (threadIdx.x == 0)
            expect(&bar, sizeof answer);
        cluster.sync();
        if (cluster.thread_rank() == 0)
            ptx::clusterlaunchcontrol_try_cancel_multicast(&answer, &bar); // bug: race.cancel
        atomicAdd(&out[block * 64 + threadIdx.x], (int)(block + threadIdx.x));
#ifdef BUG
        cluster.sync();
#else
        wait_for(&bar, phase);
#endif
        uint4 found = answer; // with
        wait_for(&bar, phase);
        cluster.sync(); // all have read it
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(found))
            return;
        block = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<unsigned>(found) +
                cluster.block_rank();
        ptx::fence_proxy_async(ptx::space_shared);
    }
}

int main() {
    enum { BLOCKS = 40 };
    static int h[BLOCKS * 64];
    int *out;
    bool right = true;
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    work<<<BLOCKS, 64>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int k = 0; k < BLOCKS * 64; k++)
        right &= h[k] == k / 64 + k % 64;
    OK(cudaFree(out));
    return verdict(right);
}
