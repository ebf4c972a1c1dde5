// Every block writes its own number to one place; which stays is not defined. Guide, 5.1 and 5.2:
// blocks run in any order.
#include "../suite.h"

__global__ void mark(int *last) {
    if (threadIdx.x == 0) {
#ifdef BUG
        *last = blockIdx.x; // bug: race.blocks
#else
        atomicMax(last, (int)blockIdx.x);
#endif
    }
}

int main() {
    int *last, h;
    OK(cudaMalloc(&last, sizeof(int)));
    OK(cudaMemset(last, 0, sizeof(int)));
    mark<<<8, 32>>>(last);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, last, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(last));
    return verdict(h == 7);
}
