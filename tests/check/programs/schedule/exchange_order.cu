// The last value exchanged into a place stays, and any block's may be the last. Guide, 10.14.1.3.
// check: --schedules 2
#include "../suite.h"

__global__ void work(int *out) {
    if (threadIdx.x != 0)
        return;
#ifdef BUG
    atomicExch(out, (int)blockIdx.x); // bug: schedule.order
#else
    atomicMax(out, (int)blockIdx.x);
#endif
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
    work<<<16, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 15);
}
