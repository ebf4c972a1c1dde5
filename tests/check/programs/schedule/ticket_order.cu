// The order of a list is that in which threads took tickets: it may be another one in every run.
// Guide, 5.1 and 7.1.
// check: --schedules 2
#include "../suite.h"

__global__ void list_even(const int *a, int *list, int *n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUG
    if (a[i] % 2 == 0)
        list[atomicAdd(n, 1)] = i; // bug: schedule.order
#else
    if (a[i] % 2 == 0) {
        int before = 0;
        for (int k = 0; k < i; ++k)
            before += a[k] % 2 == 0;
        list[before] = i;
        atomicAdd(n, 1);
    }
#endif
}

int main() {
    int h[256], *a, *list, *n, ordered = 1;
    for (int i = 0; i < 256; ++i)
        h[i] = i;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&list, sizeof h / 2));
    OK(cudaMalloc(&n, sizeof(int)));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemset(n, 0, sizeof(int)));
    list_even<<<8, 32>>>(a, list, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, list, sizeof h / 2, cudaMemcpyDeviceToHost));
    for (int i = 1; i < 128; ++i)
        ordered &= h[i - 1] < h[i];
    OK(cudaFree(a));
    OK(cudaFree(list));
    OK(cudaFree(n));
    return verdict(ordered);
}
