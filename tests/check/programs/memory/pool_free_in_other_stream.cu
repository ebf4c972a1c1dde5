// Freed in another stream than the one that uses it, with no event between. Guide, 15.3: the user
// orders the free behind every access.
#include "../suite.h"

__global__ void fill(int *a) {
    a[threadIdx.x] = threadIdx.x; // or
}

int main() {
    cudaStream_t use, release;
    cudaEvent_t used;
    int *a;
    OK(cudaStreamCreateWithFlags(&use, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&release, cudaStreamNonBlocking));
    OK(cudaEventCreate(&used));
    OK(cudaMallocAsync((void **)&a, 32 * sizeof(int), use));
    OK(cudaEventRecord(used, use));
    OK(cudaStreamWaitEvent(release, used, 0));
    fill<<<1, 32, 0, use>>>(a);
    OK(cudaGetLastError());
#ifndef BUG
    OK(cudaEventRecord(used, use));
    OK(cudaStreamWaitEvent(release, used, 0));
#endif
    OK(cudaFreeAsync(a, release)); // bug: memory.free-order
    OK(cudaDeviceSynchronize());
    OK(cudaEventDestroy(used));
    OK(cudaStreamDestroy(use));
    OK(cudaStreamDestroy(release));
    return verdict(true);
}
