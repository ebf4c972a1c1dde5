// The event is asked for, and nobody looks at the answer. Guide, 6.2.8.8.
#include "../suite.h"

__global__ void work(int *a, int n) {
    for (int i = threadIdx.x; i < n; i += 32)
        a[i] = i + 1; // bug: race.host
}

int main() {
    const int n = 4096;
    int *a;
    cudaEvent_t e;
    OK(cudaEventCreate(&e));
    OK(cudaHostAlloc((void **)&a, n * sizeof(int), cudaHostAllocMapped));
    for (int i = 0; i < n; ++i)
        a[i] = 0;
    work<<<1, 32>>>(a, n);
    OK(cudaEventRecord(e));
#ifdef BUG
    (void)cudaEventQuery(e);
#else
    while (cudaEventQuery(e) == cudaErrorNotReady)
        ;
#endif
    int last = *(volatile int *)&a[n - 1]; // with
    OK(cudaDeviceSynchronize());
    OK(cudaEventDestroy(e));
    OK(cudaFreeHost(a));
    return verdict(last == n || last == 0);
}
