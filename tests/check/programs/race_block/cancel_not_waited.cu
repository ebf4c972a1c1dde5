// A block asks for another one's work (cluster launch control) and reads the answer behind a
// barrier, which does not wait for it: its mbarrier object does. Guide, 12.2; PTX ISA,
// clusterlaunchcontrol.try_cancel.
// options: -arch=sm_100a
#include "../tensor.h"

namespace ptx = cuda::ptx;

__global__ void work(int *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        object_begin(&bar, 1);
    __syncthreads();
    unsigned block = blockIdx.x;
    for (unsigned phase = 0;; phase ^= 1) {
        if (threadIdx.x == 0) {
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar); // bug: race.cancel
            expect(&bar, sizeof answer);
        }
        atomicAdd(&out[block * 64 + threadIdx.x], (int)(block + threadIdx.x));
#ifdef BUG
        __syncthreads();
#else
        wait_for(&bar, phase);
#endif
        uint4 found = answer; // with
        wait_for(&bar, phase);
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(found))
            return;
        block = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<unsigned>(found);
        __syncthreads(); // all have read it
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
