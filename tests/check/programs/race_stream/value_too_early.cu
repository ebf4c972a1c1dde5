// A stream writes the word that another one waits for in front of the kernel, not behind it.
// Guide, 6.2.8.5: a stream's commands run in order.
// options: -lcuda
#include "../suite.h"
#include <cuda.h>

__global__ void produce(int *a) {
    a[threadIdx.x] = threadIdx.x; // bug: race.value
}

__global__ void consume(const int *a, int *b) {
    b[threadIdx.x] = a[threadIdx.x]; // with
}

int main() {
    int *a, *b, h;
    unsigned long long *flag;
    cudaStream_t s, t;
    OK(cudaMalloc(&a, 32 * sizeof(int)));
    OK(cudaMalloc(&b, 32 * sizeof(int)));
    OK(cudaMalloc(&flag, sizeof *flag));
    OK(cudaMemset(a, 0, 32 * sizeof(int)));
    OK(cudaMemset(flag, 0, sizeof *flag));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
#ifdef BUG
    cuStreamWriteValue64((CUstream)s, (CUdeviceptr)flag, 1, 0);
    produce<<<1, 32, 0, s>>>(a);
#else
    produce<<<1, 32, 0, s>>>(a);
    cuStreamWriteValue64((CUstream)s, (CUdeviceptr)flag, 1, 0);
#endif
    cuStreamWaitValue64((CUstream)t, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ);
    consume<<<1, 32, 0, t>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, b + 31, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(flag));
    return verdict(h == 31);
}
