// Warps that pass the time in a loop on a clock wait at the same time (guide 10.11): the last one of a
// block begins before the first one is done.
#include "check.h"

__global__ void wait(long long *begin, long long *end, long long clocks) {
    int warp = threadIdx.x / 32;
    long long start = clock64();
    if (threadIdx.x % 32 == 0)
        begin[warp] = start;
    while (clock64() - start < clocks)
        ;
    if (threadIdx.x % 32 == 0)
        end[warp] = clock64();
}
// The form of samples: 32 bits, and a sum.
__global__ void wait_32(long long *begin, long long *end, clock_t clocks) {
    int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        begin[warp] = clock64();
    unsigned start = (unsigned)clock();
    clock_t passed = 0;
    while (passed < clocks)
        passed = (clock_t)((unsigned)clock() - start);
    if (threadIdx.x % 32 == 0)
        end[warp] = clock64();
}

enum { WARPS = 8, ATTEMPTS = 30 };

// A machine that stands still may make them wait one after the other, now and then.
template <class Clock> static bool at_once(void (*kernel)(long long *, long long *, Clock)) {
    long long *begin = shared_array<long long>(WARPS), *end = shared_array<long long>(WARPS);
    const long long clocks = 20 * 1000 * 1000;
    for (int i = 0; i < ATTEMPTS; i++) {
        kernel<<<1, 32 * WARPS>>>(begin, end, (Clock)clocks);
        CUDA(cudaDeviceSynchronize());
        for (int w = 0; w < WARPS; w++)
            CHECK(end[w] - begin[w] >= clocks);
        if (begin[WARPS - 1] < end[0])
            return true;
    }
    return false;
}

int main() {
    CHECK(at_once<long long>(wait));
    CHECK(at_once<clock_t>(wait_32));
    printf("%d failures\n", failures);
    return failures != 0;
}
