// needs: protection keys
// A function of the host in a stream writes memory of a pool. Guide, 6.2.2 and 15: it is the
// device's.
#include <string.h>

#include "../suite.h"

static void clear(void *p) {
    memset(p, 0, 32 * sizeof(int)); // bug: memory.host
}

__global__ void count(int *a) {
    a[threadIdx.x] += 1;
}

int main() {
    int *a, value;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaMallocAsync((void **)&a, 32 * sizeof(int), s));
    OK(cudaMemsetAsync(a, 0, 32 * sizeof(int), s));
#ifdef BUG
    OK(cudaLaunchHostFunc(s, clear, a));
#else
    (void)clear;
#endif
    count<<<1, 32, 0, s>>>(a);
    OK(cudaMemcpyAsync(&value, a + 31, sizeof value, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaFreeAsync(a, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaStreamDestroy(s));
    return verdict(value == 1);
}
