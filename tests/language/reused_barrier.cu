// An mbarrier object that a thread initialises anew as soon as it has passed it, while others still
// ask whether the phase has ended: they have been waiting, and hear of its end (guide 10.26). The
// loop is that of libraries: it counts, and from some turn on looks at the clock and sleeps.
#include "check.h"

__device__ static bool ended(unsigned int barrier, unsigned long long state) {
    int ready;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(ready)
                 : "r"(barrier), "l"(state)
                 : "memory");
    return ready;
}

__device__ static void wait(unsigned int barrier, unsigned long long state) {
    long long start = __globaltimer();
    for (int turns = 0; !ended(barrier, state);) {
        if (turns < 16) {
            if (turns > 8)
                __nanosleep(0);
            turns++;
            continue;
        }
        long long step = (__globaltimer() - start) / 4;
        __nanosleep(step >= 1000000 ? 1000000 : step >= 10000 ? (unsigned int)step : 1);
    }
}

__global__ void phases(unsigned int *out, int bytes) {
    __shared__ unsigned long long object;
    __shared__ unsigned int sum;
    unsigned int at = (unsigned int)__cvta_generic_to_shared(&object);
    for (int turn = 0; turn < 4; turn++) {
        if (threadIdx.x == 0) {
            sum = 0;
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x)
                         : "memory");
        }
        __syncthreads();
        atomicAdd(&sum, threadIdx.x + turn);
        unsigned long long state;
        asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(state)
                     : "r"(at), "r"(bytes)
                     : "memory");
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at),
                     "r"(bytes)
                     : "memory");
        wait(at, state);
        if (threadIdx.x == 0)
            out[turn] = sum;
    }
}

// The first thread lets go of the object when it has passed it, as destructors do, while others
// have still to ask; they find the phase ended.
__global__ void late(unsigned int *out) {
    __shared__ unsigned long long object;
    unsigned int at = (unsigned int)__cvta_generic_to_shared(&object);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
    __syncthreads();
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    for (unsigned int turns = 0; !ended(at, state); turns++)
        atomicAdd(&out[1], 1);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
    atomicAdd(&out[0], 1);
}

int main() {
    const unsigned int threads = 256;
    unsigned int *out = shared_array<unsigned int>(4);
    phases<<<1, threads>>>(out, 1);
    CUDA(cudaDeviceSynchronize());
    for (unsigned int turn = 0; turn < 4; turn++)
        CHECK(out[turn] == threads * (threads - 1) / 2 + turn * threads);
    unsigned int *passed = shared_array<unsigned int>(2);
    late<<<1, threads>>>(passed);
    CUDA(cudaDeviceSynchronize());
    CHECK(passed[0] == threads);
    return failures != 0;
}
