// Two children in streams of their parent, of which the second needs the first, and does not wait
// for its event. Guide, 13.3.1.2.1 and 13.3.1.3.
// options: -rdc=true -lcudadevrt
#include "../suite.h"

__global__ void first(int *a) {
    a[threadIdx.x] = threadIdx.x; // bug: race.child
}
__global__ void second(const int *a, int *b) {
    b[threadIdx.x] = a[31 - threadIdx.x]; // with
}
__global__ void parent(int *a, int *b) {
    cudaStream_t one, two;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    first<<<1, 32, 0, one>>>(a);
    cudaEventRecord(done, one);
#ifndef BUG
    cudaStreamWaitEvent(two, done, 0);
#endif
    second<<<1, 32, 0, two>>>(a, b);
    cudaEventDestroy(done);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}

int main() {
    int *a, *b, h[32];
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMemset(a, 0, sizeof h));
    parent<<<1, 1>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 31);
}
