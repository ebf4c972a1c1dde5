// Two streams hand on a buffer: the second one waits for it to be full, the first one does not
// wait for it to be free again. Guide, 6.2.8.5: events.
#include "../suite.h"

__global__ void produce(int *buffer, int n, int from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        buffer[i] = from + i; // bug: race.stream
}

__global__ void consume(const int *buffer, int n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += buffer[i]; // with
}

int main() {
    const int n = 256;
    int *buffer, *out, h[n];
    cudaStream_t first, second;
    cudaEvent_t full, free;
    OK(cudaStreamCreate(&first));
    OK(cudaStreamCreate(&second));
    OK(cudaEventCreateWithFlags(&full, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&free, cudaEventDisableTiming));
    OK(cudaMalloc(&buffer, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemset(out, 0, sizeof h));
    for (int round = 0; round < 3; ++round) {
        produce<<<2, 128, 0, first>>>(buffer, n, round);
        OK(cudaEventRecord(full, first));
        OK(cudaStreamWaitEvent(second, full));
        consume<<<2, 128, 0, second>>>(buffer, n, out);
        OK(cudaEventRecord(free, second));
#ifndef BUG
        OK(cudaStreamWaitEvent(first, free));
#endif
    }
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaEventDestroy(full));
    OK(cudaEventDestroy(free));
    OK(cudaStreamDestroy(first));
    OK(cudaStreamDestroy(second));
    OK(cudaFree(buffer));
    OK(cudaFree(out));
    return verdict(h[1] == 6);
}
