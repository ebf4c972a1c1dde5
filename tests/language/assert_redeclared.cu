// NDEBUG before and after libcu++'s own declaration of what assert calls (cuda/std/__cccl/assert.h
// of CCCL 2.8.5 declares it for both sides where NDEBUG is defined).
#define NDEBUG
#include <cassert>
extern "C" {
__host__ __device__ void __assert_fail(const char *expression, const char *file, unsigned int line,
                                       const char *function) noexcept __attribute__((__noreturn__));
}
#include "check.h"

__device__ int checked(int x) {
    return x > 0 ? x : (__assert_fail("x > 0", __FILE__, __LINE__, __func__), 0);
}

#undef NDEBUG
#include <assert.h>

__host__ __device__ int doubled(int x) {
    assert(x < 1000);
    return 2 * x;
}

__global__ void kernel(int *out, int x) {
    assert(x != 5);
    out[threadIdx.x] = checked(x) + doubled(x);
}

int main() {
    int *out = shared_array<int>(32);
    kernel<<<1, 32>>>(out, 7);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 21 && out[31] == 21 && doubled(3) == 6);
    kernel<<<1, 1>>>(out, -1);
    CHECK(cudaDeviceSynchronize() == cudaErrorAssert && out[0] == 21);
    return failures != 0;
}
