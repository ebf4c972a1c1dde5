// Large objects that go from shared memory through pointers in memory, of which the compiler does
// not know what space they are of, by copies that may overlap and by copies that may not.
#include "check.h"

struct large {
    int words[128];
};
constexpr int threads = 32;

// The table's address is known elsewhere: for all the compiler knows `moved` may point to it.
__global__ void copies(large **moved, large **copied, const int *which, large **known) {
    __shared__ large table[2];
    for (int i = threadIdx.x; i < 2 * 128; i += blockDim.x)
        table[i / 128].words[i % 128] = 1000 * (i / 128) + i % 128;
    __syncthreads();
    int t = threadIdx.x;
    if (t == 0)
        *known = table;
    __threadfence_block();
    __builtin_memmove(moved[t], &table[which[t]], sizeof(large));
    *copied[t] = table[1 - which[t]];
    __syncthreads();
    // The same memory, one word further on.
    __builtin_memmove(&moved[t]->words[1], &moved[t]->words[0], 127 * sizeof(int));
}

int main() {
    large *objects = shared_array<large>(2 * threads);
    large **moved = shared_array<large *>(threads), **copied = shared_array<large *>(threads);
    int *which = shared_array<int>(threads);
    for (int t = 0; t < threads; t++) {
        moved[t] = &objects[t];
        copied[t] = &objects[threads + t];
        which[t] = t % 3 == 0;
    }
    copies<<<1, threads>>>(moved, copied, which, shared_array<large *>(1));
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < threads; t++)
        for (int i = 0; i < 128; i++) {
            CHECK(moved[t]->words[i] == 1000 * which[t] + (i ? i - 1 : 0));
            CHECK(copied[t]->words[i] == 1000 * (1 - which[t]) + i);
        }
    return failures != 0;
}
