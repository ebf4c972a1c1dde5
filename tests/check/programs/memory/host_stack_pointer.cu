// The result is written to a variable on the host's stack, which a GPU cannot do. Guide, 6.2.2.
#include "../suite.h"

__global__ void sum(const int *a, int *result) {
    int s = 0;
    for (int i = 0; i < 4; ++i)
        s += a[i];
    *result = s; // bug: memory.host
}

int main() {
    int h[4] = {1, 2, 3, 4}, total = 0, *a, *result;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&result, sizeof(int)));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
#ifdef BUG
    sum<<<1, 1>>>(a, &total);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
#else
    sum<<<1, 1>>>(a, result);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&total, result, sizeof(int), cudaMemcpyDeviceToHost));
#endif
    OK(cudaFree(a));
    OK(cudaFree(result));
    return verdict(total == 10);
}
