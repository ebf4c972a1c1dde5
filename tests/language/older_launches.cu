// The older interface of dynamic parallelism (guide 13.5.2), which devices from compute
// capability 9.0 on do not have: kernels that could wait for their children are not loaded, all
// others are.
#include "check.h"

__global__ void child(int *n) {
    *n = 5;
}
__device__ __noinline__ cudaError_t wait_for_children() {
    return cudaDeviceSynchronize();
}
__global__ void waits(int *n) {
    child<<<1, 1>>>(n);
    n[1] = wait_for_children();
}
__global__ void launches(int *n) {
    child<<<1, 1>>>(n);
    waits<<<1, 1>>>(n);
    n[2] = cudaGetLastError();
}

int main() {
    if (!on_kudzu())
        return 77; // NVIDIA's driver refuses launches from the device without its own runtime
                   // library
    int *n = shared_array<int>(3);
    cudaFuncAttributes attributes;
    waits<<<1, 1>>>(n);
    CHECK(cudaGetLastError() == cudaErrorSymbolNotFound);
    CHECK(cudaFuncGetAttributes(&attributes, waits) == cudaErrorSymbolNotFound);
    cudaGetLastError();
    launches<<<1, 1>>>(n);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    CHECK(n[0] == 5 && n[1] == 0 && n[2] == cudaErrorSymbolNotFound);
    return failures != 0;
}
