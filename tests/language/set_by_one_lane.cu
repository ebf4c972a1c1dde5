// A value that one lane sets and all lanes then get from it: in the others it is not set before,
// which must not lead the compiler to take it that they set it, too. Warps reserve places in this
// way.
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void by_shuffle(int *count, int *place_of) {
    int place, wanted = __popc(__ballot_sync(~0u, threadIdx.x % 8 > 2));
    if (threadIdx.x % 32 == 0)
        if (wanted > 0)
            place = atomicAdd(count, wanted);
    place = __shfl_sync(~0u, place, 0);
    place_of[threadIdx.x] = place;
}

__global__ void by_group(int *count, int *place_of) {
    cg::coalesced_group active = cg::coalesced_threads();
    int place, wanted = __popc(active.ballot(threadIdx.x % 8 > 2));
    if (active.thread_rank() == 0) {
        if (wanted > 0)
            place = atomicAdd(count, wanted);
    }
    place = active.shfl(place, 0);
    place_of[threadIdx.x] = place;
}

__device__ __noinline__ int from_first(int value) {
    return __shfl_sync(~0u, value, 0);
}

__global__ void by_function(int *count, int *place_of) {
    int place, wanted = __popc(__ballot_sync(~0u, threadIdx.x % 8 > 2));
    if (threadIdx.x % 32 == 0)
        if (wanted > 0)
            place = atomicAdd(count, wanted);
    place_of[threadIdx.x] = from_first(place);
}

static void check(void (*kernel)(int *, int *)) {
    int *count = shared_array<int>(1), *place_of = shared_array<int>(64);
    kernel<<<1, 64>>>(count, place_of);
    CUDA(cudaDeviceSynchronize());
    CHECK(*count == 40);
    CHECK(place_of[0] + place_of[32] == 20 && (place_of[0] == 0 || place_of[32] == 0));
    for (int i = 0; i < 64; i++)
        CHECK(place_of[i] == place_of[i / 32 * 32]);
    cudaFree(count);
    cudaFree(place_of);
}

int main() {
    check(by_shuffle);
    check(by_group);
    check(by_function);
    return failures != 0;
}
