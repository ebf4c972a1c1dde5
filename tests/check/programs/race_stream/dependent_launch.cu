// A kernel that may start before the one ahead of it has ended reads that one's result without
// waiting. Guide, 6.2.8.6.2: cudaGridDependencySynchronize.
#include "../suite.h"

__global__ void first(int *a) {
    cudaTriggerProgrammaticLaunchCompletion();
    a[threadIdx.x] = threadIdx.x; // bug: race.dependent-launch
}
__global__ void second(const int *a, int *b) {
#ifndef BUG
    cudaGridDependencySynchronize();
#endif
    b[threadIdx.x] = a[31 - threadIdx.x]; // with
}

int main() {
    cudaStream_t s;
    int *a, *b, h[32];
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMemset(a, 0, sizeof h));
    OK(cudaDeviceSynchronize());
    first<<<1, 32, 0, s>>>(a);
    OK(cudaGetLastError());
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1), config.blockDim = dim3(32), config.stream = s;
    config.attrs = &attribute, config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, second, (const int *)a, b));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaStreamDestroy(s));
    return verdict(h[0] == 31);
}
