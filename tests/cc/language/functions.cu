// Recursion, function pointers, function objects, templates, lambdas, inlining hints, launch
// bounds, unrolling, restrict, inline PTX.
// CHECK: .maxntid
// CHECK: .minnctapersm
// CHECK: call
// CHECK: lop3.b32
#include <type_traits>
__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ __forceinline__ int twice(int x) {
    return 2 * x;
}
__device__ int thrice(int x) {
    return 3 * x;
}
typedef int (*operation)(int);
__device__ operation operations[] = {thrice, fibonacci};
__device__ operation selected = thrice;
__host__ __device__ constexpr int square(int x) {
    return x * x;
}
__host__ __device__ constexpr int both(int x) {
    return x + 1;
}
struct add {
    int n;
    __host__ __device__ int operator()(int x) const {
        return x + n;
    }
};
template <typename F> __global__ void apply(F f, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = f(i);
}
template <typename... T> __device__ int total(T... v) {
    return (0 + ... + v);
}
__global__ void __launch_bounds__(256) bounded(int *out) {
    *out = 1;
}
__global__ void __launch_bounds__(256, 2) bounded_twice(int *out) {
    *out = 2;
}
__global__ void __launch_bounds__(128, 2, 4) bounded_thrice(int *out) {
    *out = 3;
}
__global__ void calls(int *__restrict__ out, const int *__restrict__ in, int n) {
    out[0] = operations[n](in[0]) + selected(in[1]);
    out[1] = fibonacci(n) + twice(n) + square(n) + both(n);
    out[2] = total(1, n, in[2]);
    auto local = [=](int x) { return x + n; };
    out[3] = local(4);
#pragma unroll
    for (int i = 0; i < 4; ++i)
        out[4 + i] = in[i];
#pragma unroll 2
    for (int i = 0; i < n; ++i)
        out[8 + i] = in[i];
#pragma unroll 1
    for (int i = 0; i < n; ++i)
        out[8 + i] += in[i];
    int bits;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(bits) : "r"(in[0]), "r"(in[1]), "r"(in[2]));
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p add.s32 %0, %0, 1; }"
                 : "+r"(bits)
                 : "r"(n));
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    out[20] = bits + lane;
    static_assert(std::is_same<decltype(bits), int>::value, "");
}
__global__ void by_value(const __grid_constant__ add a, int *out) {
    *out = a(1);
}
struct big {
    int v[1000];
};
__global__ void big_parameter(big b, int *out, int i) {
    *out = b.v[i];
}
void host(int *p, int k) {
    apply<<<1, 32>>>(add{3}, p, 4);
    apply<<<1, 32>>>([=] __device__(int i) { return i * k; }, p, 4);
    apply<<<1, 32>>>([=] __host__ __device__(int i) { return i + k; }, p, 4);
    auto named = [] __device__(int i) { return -i; };
    apply<<<dim3(1), dim3(32), 0, cudaStream_t(0)>>>(named, p, 4);
    bounded<<<1, 1>>>(p);
    by_value<<<1, 1>>>(add{1}, p);
    big b = {};
    big_parameter<<<1, 1>>>(b, p, 1);
    void (*kernel)(int *) = bounded_twice;
    kernel<<<1, 1>>>(p);
    void *args[] = {&p};
    cudaLaunchKernel((const void *)bounded, dim3(1), dim3(1), args, 0, 0);
    cudaLaunchKernel(bounded_thrice, dim3(1), dim3(1), args, 0, 0);
}
