// The host sets up the next launch's managed memory while the last kernel may still read it. Guide,
// 24.1.2.2.
#include "../suite.h"

__global__ void work(const int *a, int *out) {
    atomicAdd(out, a[threadIdx.x]); // bug: race.host
}

int main() {
    int *a, *out, h;
    OK(cudaMallocManaged((void **)&a, 32 * sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
    for (int launch = 0; launch < 3; ++launch) {
        for (int i = 0; i < 32; ++i)
            a[i] = launch; // with
        work<<<1, 32>>>(a, out);
        OK(cudaGetLastError());
#ifndef BUG
        OK(cudaDeviceSynchronize());
#endif
    }
    OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(h == 96);
}
