// A kernel submits a copy in one stream, and in another one a kernel that needs what it brings.
// Guide, 13.3.1.2.1 and 13.3.2.1.
// options: -rdc=true -lcudadevrt
#include "../suite.h"

__global__ void add(const int *a, int *sum) {
    atomicAdd(sum, a[threadIdx.x]); // bug: race.child
}
__global__ void parent(const int *in, int *a, int *sum) {
    cudaStream_t one, two;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaMemcpyAsync(a, in, 32 * sizeof(int), cudaMemcpyDeviceToDevice, one); // with
#ifdef BUG
    add<<<1, 32, 0, two>>>(a, sum);
#else
    add<<<1, 32, 0, one>>>(a, sum);
#endif
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}

int main() {
    int *in, *a, *sum, h[32], r;
    for (int i = 0; i < 32; ++i)
        h[i] = i;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&sum, sizeof *sum));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemset(a, 0, sizeof h));
    OK(cudaMemset(sum, 0, sizeof *sum));
    parent<<<1, 1>>>(in, a, sum);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&r, sum, sizeof r, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(a));
    OK(cudaFree(sum));
    return verdict(r == 496);
}
