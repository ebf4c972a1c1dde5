// Specialisations of a function template that are for one side where the template is for both.
#include "check.h"

template <typename T> inline __host__ __device__ float toward_zero(T t);
template <> inline __host__ __device__ float toward_zero(float f) {
    return f;
}
template <> inline __device__ float toward_zero(int i) {
    return __int2float_rz(i);
}
template <> __host__ float toward_zero<unsigned>(unsigned u) {
    return (float)u;
}

__global__ void convert(float *out) {
    out[0] = toward_zero(0x7fffffff);
    out[1] = toward_zero(3.0f);
}

int main() {
    float *out = shared_array<float>(2);
    convert<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 2147483520.0f && out[1] == 3);
    CHECK(toward_zero(7u) == 7 && toward_zero(2.0f) == 2);
    return failures != 0;
}
