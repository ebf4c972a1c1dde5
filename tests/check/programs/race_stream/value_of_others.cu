// Two streams hand over by a word in memory, a third one takes part without waiting for it.
// Guide, 6.2.8.5: streams may run out of order with respect to another.
// options: -lcuda
#include "../suite.h"
#include <cuda.h>

__global__ void produce(int *a, int x) {
    a[threadIdx.x] = x; // bug: race.value
}

__global__ void consume(const int *a, int *b) {
    atomicAdd(b + threadIdx.x, a[threadIdx.x]); // with
}

int main() {
    int *a, *b, h;
    unsigned *flag;
    cudaStream_t s[3];
    OK(cudaMalloc(&a, 32 * sizeof(int)));
    OK(cudaMalloc(&b, 32 * sizeof(int)));
    OK(cudaMalloc(&flag, sizeof *flag));
    OK(cudaMemset(b, 0, 32 * sizeof(int)));
    OK(cudaMemset(flag, 0, sizeof *flag));
    OK(cudaDeviceSynchronize());
    for (cudaStream_t &x : s)
        OK(cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking));
    produce<<<1, 32, 0, s[0]>>>(a, 1);
    cuStreamWriteValue32((CUstream)s[0], (CUdeviceptr)flag, 1, 0);
    CUstreamBatchMemOpParams p = {};
    p.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    p.waitValue.address = (CUdeviceptr)flag;
    p.waitValue.value = 1;
    p.waitValue.flags = CU_STREAM_WAIT_VALUE_AND;
    cuStreamBatchMemOp((CUstream)s[1], 1, &p, 0);
    consume<<<1, 32, 0, s[1]>>>(a, b);
#ifndef BUG
    cuStreamBatchMemOp((CUstream)s[2], 1, &p, 0);
#endif
    consume<<<1, 32, 0, s[2]>>>(a, b);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, b, sizeof h, cudaMemcpyDeviceToHost));
    for (cudaStream_t x : s)
        OK(cudaStreamDestroy(x));
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(flag));
#ifdef BUG
    return verdict(true);
#else
    return verdict(h == 2);
#endif
}
