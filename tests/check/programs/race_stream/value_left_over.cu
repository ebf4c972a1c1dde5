// A stream waits for a value that the round before has left in the word: nothing orders it behind
// the second round's write. Guide, 6.2.8.5: streams may run out of order with respect to another.
// options: -lcuda
#include "../suite.h"
#include <cuda.h>

__global__ void produce(int *a, int x) {
    a[threadIdx.x] = x; // bug: race.value
}

__global__ void consume(const int *a, int *b) {
    b[threadIdx.x] += a[threadIdx.x]; // with
}

int main() {
    int *a, *b, h;
    unsigned *flag;
    cudaStream_t s, t;
    cudaEvent_t used;
    OK(cudaMalloc(&a, 32 * sizeof(int)));
    OK(cudaMalloc(&b, 32 * sizeof(int)));
    OK(cudaMalloc(&flag, sizeof *flag));
    OK(cudaMemset(b, 0, 32 * sizeof(int)));
    OK(cudaMemset(flag, 0, sizeof *flag));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
    for (int round = 1; round <= 2; round++) {
#ifdef BUG
        int value = 1;
#else
        int value = round;
#endif
        produce<<<1, 32, 0, s>>>(a, round);
        cuStreamWriteValue32((CUstream)s, (CUdeviceptr)flag, value, 0);
        cuStreamWaitValue32((CUstream)t, (CUdeviceptr)flag, value, CU_STREAM_WAIT_VALUE_GEQ);
        consume<<<1, 32, 0, t>>>(a, b);
        OK(cudaEventRecord(used, t));
        OK(cudaStreamWaitEvent(s, used, 0));
    }
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaEventDestroy(used));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(flag));
    return verdict(h == 3);
}
