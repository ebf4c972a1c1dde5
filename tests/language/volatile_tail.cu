// The end of a reduction as older programs write it: the last warp adds in global memory, through a
// volatile pointer and without a barrier. All lanes have loaded before one of them stores.
#include "check.h"

enum { BLOCKS = 16, THREADS = 128 };

__global__ void reduce_in_place(int *numbers, int *sums) {
    int t = threadIdx.x;
    int *mine = numbers + blockIdx.x * blockDim.x;
    if (t < 64)
        mine[t] += mine[t + 64];
    __syncthreads();
    if (t < 32) {
        volatile int *v = mine;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0)
        sums[blockIdx.x] = mine[0];
}

int main() {
    int *numbers = shared_array<int>(BLOCKS * THREADS), *sums = shared_array<int>(BLOCKS);
    int expected[BLOCKS] = {0};
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        numbers[i] = 1 + i * 7 % 11;
        expected[i / THREADS] += numbers[i];
    }
    reduce_in_place<<<BLOCKS, THREADS>>>(numbers, sums);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < BLOCKS; b++)
        CHECK(sums[b] == expected[b]);
    return failures != 0;
}
