// What header libraries use of the language: declarations with an ellipsis that device code chooses
// between, the traits of extended lambdas, shared memory of the cluster, programmatic dependence.
#include "check.h"

struct big {
    int words[3];
    __host__ __device__ big(int n) : words{n, n, n} {
    }
    __host__ __device__ big(const big &o) : words{o.words[0], o.words[1], o.words[2]} {
    }
};

template <typename T> struct from_int {
    __host__ __device__ static char test(...);
    template <typename U> __host__ __device__ static long test(U *, decltype(U{1}) * = nullptr);
    static constexpr bool value = sizeof(test((T *)nullptr)) == sizeof(long);
};
static_assert(from_int<big>::value && !from_int<int *>::value, "");

__device__ static int nothing(...) {
    return 3;
}

// Code for each space a pointer may be of: when it is known, the others are never reached.
__device__ static int read(const int *p) {
    int value;
    if (__isShared(p))
        asm volatile("ld.shared.u32 %0, [%1];"
                     : "=r"(value)
                     : "r"((unsigned int)__cvta_generic_to_shared(p))
                     : "memory");
    else if (__isGlobal(p))
        asm volatile("ld.global.u32 %0, [%1];"
                     : "=r"(value)
                     : "l"(__cvta_generic_to_global(p))
                     : "memory");
    else
        value = *(const volatile int *)p;
    return value;
}

__global__ void read_spaces(int *out, int at) {
    __shared__ int shared[32], word;
    int local[32];
    word = 4 * at;
    for (int i = 0; i < 32; i++)
        local[i] = i * at, shared[i] = 100 * i;
    out[0] = read(&local[at]);
    out[1] = read(&shared[at]);
    out[2] = read(&out[3]);
    out[4] = read(&word);
}

__global__ void ask(int *out) {
    __shared__ int word;
    cudaGridDependencySynchronize();
    word = 7;
    if (threadIdx.x == 0) {
        int local = 0;
        out[0] = nothing(1, 2.0, out);
        out[1] = __isClusterShared(&word) && __isShared(&word);
        out[2] = __isClusterShared(out) || __isClusterShared(&local);
        out[3] = from_int<big>::value;
        out[4] = *(int *)__nv_associate_access_property(&word, 0);
    }
    cudaTriggerProgrammaticLaunchCompletion();
}

int main() {
    auto plain = [](int x) { return x; };
    static_assert(!__nv_is_extended_device_lambda_closure_type(decltype(plain)), "");
    static_assert(!__nv_is_extended_host_device_lambda_closure_type(decltype(plain)), "");
    static_assert(!__nv_is_extended_device_lambda_with_preserved_return_type(decltype(plain)), "");
    int *out = shared_array<int>(5);
    ask<<<1, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 3 && out[1] == 1 && out[2] == 0 && out[3] == 1 && out[4] == 7 && plain(1) == 1);
    out[3] = 77;
    read_spaces<<<1, 1>>>(out, 5);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 25 && out[1] == 500 && out[2] == 77 && out[4] == 20);
    return failures != 0;
}
