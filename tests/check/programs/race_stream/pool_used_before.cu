// Memory of a pool is used in a stream that is not behind the stream which takes it. Guide, 15.3.
#include "../suite.h"

__global__ void fill(int *a) {
    a[threadIdx.x] = threadIdx.x; // bug: race.pool
}

int main() {
    int *a, h[32];
    cudaStream_t s, t;
    cudaEvent_t taken;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaEventCreate(&taken));
    OK(cudaMallocAsync(&a, sizeof h, s));
    OK(cudaEventRecord(taken, s));
#ifndef BUG
    OK(cudaStreamWaitEvent(t, taken, 0));
#endif
    fill<<<1, 32, 0, t>>>(a);
    OK(cudaGetLastError());
    OK(cudaMemcpyAsync(h, a, sizeof h, cudaMemcpyDeviceToHost, t));
    OK(cudaStreamSynchronize(t));
    OK(cudaFreeAsync(a, t));
    OK(cudaDeviceSynchronize());
    OK(cudaEventDestroy(taken));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    return verdict(h[31] == 31);
}
