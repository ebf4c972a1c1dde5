// What code for sm_90a alone can tell (guide 6.1.2; 13.x: 5.4.7.2).
#include "check.h"

#if defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ != 900 || __CUDA_ARCH_SPECIFIC__ != 900 || __CUDA_ARCH_FAMILY_SPECIFIC__ != 900
#error "the macros of a target with features of its own"
#endif
#elif defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
#error "host code has none"
#endif

__global__ void features(int *result) {
#if defined(__CUDA_ARCH__)
    *result = __CUDA_ARCH_SPECIFIC__ + __CUDA_ARCH_FAMILY_SPECIFIC__;
#endif
}

int main() {
    int *device = shared_array<int>(1);
    features<<<1, 1>>>(device);
    CUDA(cudaDeviceSynchronize());
    CHECK(*device == 1800);
    return failures != 0;
}
