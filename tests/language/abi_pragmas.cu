// Custom ABI pragmas (guide 10.43): before functions of the device and before calls through
// pointers they limit how many registers a call preserves, which changes nothing of what the code
// means.
#include "check.h"

constexpr int registers = 4 * 4; // of the pragma alone

#pragma nv_abi preserve_n_data(16)
__device__ int twice(int x);

#pragma nv_abi preserve_n_control(8) preserve_n_data(registers)
__device__ __noinline__ int plus_one(int x) {
    return x + 1;
}

#pragma nv_abi preserve_n_data(16)
__device__ __noinline__ int twice(int x) {
    return 2 * x;
}

#pragma nv_abi preserve_n_control(2 + 2)
template <typename T> __device__ __noinline__ T squared(T x) {
    return x * x;
}

#pragma nv_abi preserve_n_data(4)
__device__ int of_a_chain(int x, int depth) {
    return depth ? of_a_chain(x + depth, depth - 1) : x;
}

__global__ void calls(int *out) {
    int i = threadIdx.x, result = 0;
    int (*f)(int) = i % 2 ? twice : plus_one;
#pragma nv_abi preserve_n_data(16) preserve_n_control(8)
    result = f(i);
#pragma nv_abi preserve_n_data(16)
    result += (*f)(10 * i);
#pragma nv_abi preserve_n_control(8)
    result += twice(100 * i); // a direct call: the pragma says nothing about it
    if (i > 2) {
#pragma nv_abi preserve_n_data(0) preserve_n_control(0)
        result += f(1000);
    }
    out[i] = result + squared(i) + (int)squared(0.5 * i) + of_a_chain(0, i % 5);
}

int main() {
    const int n = 64;
    int *out = shared_array<int>(n);
    calls<<<1, n>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        int through = i % 2 ? 2 * i + 20 * i : i + 1 + 10 * i + 1;
        int more = i <= 2 ? 0 : i % 2 ? 2000 : 1001;
        int chain = i % 5 * (i % 5 + 1) / 2;
        CHECK(out[i] == through + 200 * i + more + i * i + i * i / 4 + chain);
    }
    return failures;
}
