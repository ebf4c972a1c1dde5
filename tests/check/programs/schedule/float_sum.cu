// A sum of floats by atomic functions rounds in the order in which threads come. Guide, 10.14: no
// order between threads is given.
// check: --schedules 2
#include "../suite.h"

#ifdef BUG
typedef float Sum;
#else
typedef unsigned long long Sum;
#endif

__global__ void sum(Sum *s) {
    Sum v = blockIdx.x == 0 ? (Sum)(1 << 25) : (Sum)1;
    if (threadIdx.x == 0)
        atomicAdd(s, v); // bug: schedule.order
}

int main() {
    Sum *s, h;
    OK(cudaMalloc(&s, sizeof(Sum)));
    OK(cudaMemset(s, 0, sizeof(Sum)));
    sum<<<65, 32>>>(s);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, s, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(s));
    return verdict(h == (Sum)((1 << 25) + 64));
}
