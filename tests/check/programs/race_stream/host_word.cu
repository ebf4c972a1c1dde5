// The kernel waits for a word of the host, which changes what the kernel has read before it says
// so. Guide, 24.1.2.2. The word itself is atomic on both sides.
#include <cuda/atomic>

#include <new>

#include "../suite.h"

__global__ void work(cuda::atomic<int> *word, const int *number, int *out) {
    int n = *number; // bug: race.host
    while (word->load(cuda::memory_order_acquire) == 0)
        ;
    *out = n;
}

int main() {
    cuda::atomic<int> *word;
    int *number, *out, h;
    OK(cudaMallocManaged((void **)&word, sizeof *word));
    OK(cudaMallocManaged((void **)&number, sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    new (word) cuda::atomic<int>(0);
    *number = 3;
    work<<<1, 1>>>(word, number, out);
    OK(cudaGetLastError());
#ifdef BUG
    *number = 4; // with
#endif
    word->store(1, cuda::memory_order_release);
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(word));
    OK(cudaFree(number));
    OK(cudaFree(out));
    return verdict(h == 3);
}
