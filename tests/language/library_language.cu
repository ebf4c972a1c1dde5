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
    return failures != 0;
}
