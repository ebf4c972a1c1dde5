// A block stores to the memory of all devices of a multicast object (multimem.st), and another one
// reads the device's own memory by a plain load, without waiting for the word that tells so.
// Guide, 14.9; PTX ISA, multimem.st.
// options: -lcuda
#include "../multicast.h"

__global__ void exchange(int *all, const int *own, int *told, int *out) {
    if (blockIdx.x == 0) {
        asm volatile("multimem.st.relaxed.sys.global.s32 [%0], %1;" // with
                     :
                     : "l"(all + threadIdx.x), "r"((int)threadIdx.x)
                     : "memory");
        __threadfence_system();
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("multimem.red.release.sys.global.add.s32 [%0], 1;" ::"l"(all + 64)
                         : "memory");
        return;
    }
    if (threadIdx.x == 0) {
        int n = 0;
        while (!n)
            asm volatile("multimem.ld_reduce.acquire.sys.global.add.s32 %0, [%1];"
                         : "=r"(n)
                         : "l"(all + 64)
                         : "memory");
        *told = n;
    }
#ifndef BUG
    __syncthreads();
#endif
    asm volatile("fence.proxy.alias;" ::: "memory");
    out[threadIdx.x] = own[threadIdx.x]; // bug: race.multimem
}

int main() {
    multicast m = multicast_begin();
    int h[64], *out;
    bool right = true;
    OK(cudaMalloc(&out, sizeof h + sizeof *out));
    exchange<<<2, 64>>>((int *)m.all, (const int *)m.own, out + 64, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 64; k++)
        right &= h[k] == k;
    multicast_end(m);
    OK(cudaFree(out));
    return verdict(right);
}
