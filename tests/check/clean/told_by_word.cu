// A kernel that sets a word is behind another stream's kernel, whose results the one that waits for
// the word reads. Guide, 5.4.2: what is ordered before a fence is seen behind the other fence.
#include "../programs/suite.h"

__global__ void fill(int *a) {
    a[threadIdx.x] = threadIdx.x;
}
__global__ void tell(unsigned *flag) {
    __threadfence();
    *(volatile unsigned *)flag = 1;
}
__global__ void wait_and_add(const unsigned *flag, const int *a, int *sum) {
    if (threadIdx.x == 0)
        while (*(const volatile unsigned *)flag == 0)
            ;
    __threadfence();
    __syncthreads();
    atomicAdd(sum, a[threadIdx.x]);
}
int main() {
    int *a, *sum, h;
    unsigned *flag;
    cudaStream_t s, t, u;
    cudaEvent_t filled;
    OK(cudaMalloc(&a, 32 * sizeof(int)));
    OK(cudaMalloc(&sum, sizeof(int)));
    OK(cudaMalloc(&flag, sizeof *flag));
    OK(cudaMemset(sum, 0, sizeof(int)));
    OK(cudaMemset(flag, 0, sizeof *flag));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    fill<<<1, 32, 0, s>>>(a);
    OK(cudaEventRecord(filled, s));
    OK(cudaStreamWaitEvent(t, filled, 0));
    tell<<<1, 1, 0, t>>>(flag);
    wait_and_add<<<1, 32, 0, u>>>(flag, a, sum);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&h, sum, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaEventDestroy(filled));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaStreamDestroy(u));
    OK(cudaFree(a));
    OK(cudaFree(sum));
    OK(cudaFree(flag));
    return verdict(h == 496);
}
