// The lanes that __activemask gives are taken for all on this way of the branch; which are active
// together is left open. Guide, 10.19.
// check: --schedules 2
#include "../suite.h"

__global__ void count(int *out) {
    int lane = threadIdx.x;
#ifndef BUG
    unsigned mask = __ballot_sync(0xffffffff, lane < 20);
#endif
    if (lane < 20) {
#ifdef BUG
        unsigned mask = __activemask(); // bug: schedule.active-mask
#endif
        if (lane == 0)
            *out = __popc(mask); // or
    }
}

int main() {
    int *out, h;
    OK(cudaMalloc(&out, sizeof(int)));
    count<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 20);
}
