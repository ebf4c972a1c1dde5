// A grid-stride loop; vectors of four floats; a functor that a template applies, two elements a
// thread a block apart.
#include "bench.h"

__global__ void saxpy_grid_stride(int n, float a, const float *__restrict__ x,
                                  float *__restrict__ y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
}

__global__ void saxpy_float4(int n4, float a, const float4 *x, float4 *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4)
        return;
    float4 u = x[i], v = y[i];
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    y[i] = v;
}

template <typename T> struct Saxpy {
    T a;
    __device__ T operator()(T x, T y) const {
        return fma(a, x, y);
    }
};

template <typename T, typename Op>
__global__ void transform(const T *x, const T *y, T *out, size_t n, Op op) {
    size_t i = (size_t)blockIdx.x * (2 * blockDim.x) + threadIdx.x;
    if (i < n)
        out[i] = op(x[i], y[i]);
    i += blockDim.x;
    if (i < n)
        out[i] = op(x[i], y[i]);
}

VARIANTS(saxpy, "saxpy") {
    const float *x = row_buffer<float>(0).dev;
    float *y = row_buffer<float>(1).dev;
    int n = 1 << 24;
    float a = 2.5f;
    return {
        [=] { saxpy_grid_stride<<<256, 256>>>(n, a, x, y); },
        [=] {
            saxpy_float4<<<(n / 4 + 127) / 128, 128>>>(n / 4, a, (const float4 *)x, (float4 *)y);
        },
        [=] { transform<<<(n + 1023) / 1024, 512>>>(x, y, y, n, Saxpy<float>{a}); },
    };
}
