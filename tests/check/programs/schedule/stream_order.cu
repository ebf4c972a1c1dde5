// What two streams leave depends on which comes first, and nothing orders them. Guide, 6.2.8.5.2:
// streams may run out of order with respect to one another.
// check: --schedules 2
#include "../suite.h"

__global__ void put(int *place, int value) {
    atomicExch(place, value); // bug: schedule.order
}

int main() {
    int *place, h;
    cudaStream_t first, second;
    cudaEvent_t done;
    OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    OK(cudaEventCreate(&done));
    OK(cudaMalloc(&place, sizeof(int)));
    put<<<1, 1, 0, first>>>(place, 1);
    OK(cudaEventRecord(done, first));
#ifndef BUG
    OK(cudaStreamWaitEvent(second, done, 0));
#endif
    put<<<1, 1, 0, second>>>(place, 2);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, place, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaEventDestroy(done));
    OK(cudaStreamDestroy(first));
    OK(cudaStreamDestroy(second));
    OK(cudaFree(place));
    return verdict(h == 2);
}
