// Each thread of the host has a default stream of its own: nothing orders what two of them submit.
// Guide, 6.2.8.5.3.
// options: -default-stream per-thread
#include "../suite.h"
#include <thread>

__global__ void produce(int *a) {
    a[threadIdx.x] = threadIdx.x;
}

__global__ void consume(const int *a, int *out) {
    out[threadIdx.x] = a[31 - threadIdx.x]; // bug: race.stream
}

int main() {
    int *a, *out, h[32];
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    std::thread other([=] {
        produce<<<1, 32>>>(a);
#ifndef BUG
        OK(cudaStreamSynchronize(0));
#endif
    });
    other.join();
    consume<<<1, 32>>>(a, out);
    OK(cudaMemcpyAsync(h, out, sizeof h, cudaMemcpyDeviceToHost, 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaDeviceSynchronize());
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h[0] == 31);
}
