// A ticket counter is not zeroed: the old value that an atomic function gives chooses the address.
// Guide, 10.14.
#include "../suite.h"

__global__ void append(unsigned *counter, int *list) {
    unsigned at = atomicAdd(counter, 1u);
    list[at & 31] = threadIdx.x; // bug: init.atomic
}

int main() {
    unsigned *counter;
    int *list, h[32], sum = 0;
    OK(cudaMalloc(&counter, sizeof(unsigned)));
    OK(cudaMalloc(&list, sizeof h));
    OK(cudaMemset(list, 0, sizeof h));
#ifndef BUG
    OK(cudaMemset(counter, 0, sizeof(unsigned)));
#endif
    append<<<1, 32>>>(counter, list);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, list, sizeof h, cudaMemcpyDeviceToHost));
    for (int v : h)
        sum += v;
    OK(cudaFree(counter));
    OK(cudaFree(list));
    return verdict(sum == 31 * 16);
}
