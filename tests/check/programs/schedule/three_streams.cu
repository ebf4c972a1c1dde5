// Of three streams whose kernels change one counter, the second one does not wait for the first.
// Guide, 6.2.8.5.2: streams may run out of order with respect to one another.
// check: --schedules 2
#include "../suite.h"

__global__ void add(unsigned *count) {
    atomicAdd(count, 1); // bug: schedule.order
}
__global__ void limit(unsigned *count) {
    atomicMin(count, 40); // or
}

int main() {
    unsigned *count, h;
    cudaStream_t streams[3];
    cudaEvent_t done[2];
    OK(cudaMalloc(&count, sizeof *count));
    OK(cudaMemset(count, 0, sizeof *count));
    limit<<<1, 1>>>(count);
    OK(cudaDeviceSynchronize());
    for (cudaStream_t &s : streams)
        OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (cudaEvent_t &e : done)
        OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    add<<<1, 64, 0, streams[0]>>>(count);
    OK(cudaEventRecord(done[0], streams[0]));
#ifndef BUG
    OK(cudaStreamWaitEvent(streams[1], done[0]));
#endif
    limit<<<1, 1, 0, streams[1]>>>(count);
    OK(cudaEventRecord(done[1], streams[1]));
    OK(cudaStreamWaitEvent(streams[2], done[1]));
    add<<<1, 64, 0, streams[2]>>>(count);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, count, sizeof h, cudaMemcpyDeviceToHost));
    for (cudaEvent_t e : done)
        OK(cudaEventDestroy(e));
    for (cudaStream_t s : streams)
        OK(cudaStreamDestroy(s));
    OK(cudaFree(count));
    return verdict(h == 104);
}
