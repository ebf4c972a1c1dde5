// An index that loses no bits where it is used first: one thread of 64 sets its group's word, all
// read it.
#include "check.h"

constexpr int threads = 256, group = 64;

__shared__ unsigned long long words[16];

__device__ unsigned address() {
    return (unsigned)__cvta_generic_to_shared(&words[threadIdx.x / group]);
}

__global__ void take(int *out, int n) {
    __syncthreads();
    if (threadIdx.x % group == 0)
        asm volatile("st.shared.u64 [%0], %1;" ::"r"(address()), "l"(100ull + threadIdx.x)
                     : "memory");
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        unsigned long long word;
        asm volatile("ld.shared.u64 %0, [%1];" : "=l"(word) : "r"(address()) : "memory");
        sum += (int)word;
    }
    out[threadIdx.x] = sum;
}

int main() {
    int *out = shared_array<int>(threads);
    take<<<1, threads>>>(out, 3);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < threads; i++)
        CHECK(out[i] == 3 * (100 + i / group * group));
    return failures != 0;
}
