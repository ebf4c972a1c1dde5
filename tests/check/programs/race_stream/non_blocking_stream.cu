// A non-blocking stream does not wait for the default stream. Guide, 6.2.8.5.2 and 6.2.8.5.4.
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
    cudaStream_t t;
#ifdef BUG
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
#else
    OK(cudaStreamCreate(&t));
#endif
    produce<<<1, 32>>>(a);
    consume<<<1, 32, 0, t>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaStreamDestroy(t));
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 31);
}
