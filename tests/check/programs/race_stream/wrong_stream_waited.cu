// The host waits for another stream than the one in which the first kernel runs. Guide, 6.2.8.5.3.
#include "../suite.h"

__global__ void produce(int *a) {
    a[threadIdx.x] = threadIdx.x; // bug: race.stream
}
__global__ void consume(const int *a, int *b) {
    b[threadIdx.x] = a[31 - threadIdx.x]; // with
}

int main() {
    int *a, *b, h[32];
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMemset(a, 0, sizeof h));
    OK(cudaDeviceSynchronize());
    cudaStream_t s, t;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    produce<<<1, 32, 0, s>>>(a);
#ifdef BUG
    OK(cudaStreamSynchronize(t));
#else
    OK(cudaStreamSynchronize(s));
#endif
    consume<<<1, 32, 0, t>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 31);
}
