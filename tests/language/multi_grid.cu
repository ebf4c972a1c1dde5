// Cooperative groups (guide 11.5.1.4, 11.9): the grids of a launch on several devices, which wait
// for each other.
#include <cooperative_groups.h>
#include <cstdint>
#include <type_traits>

#include "check.h"

namespace cg = cooperative_groups;
enum { DEVICES = 3, BLOCKS = 2, THREADS = 64, ROUNDS = 20 };

struct position {
    unsigned long long thread, threads, size;
    unsigned grid, grids;
    bool valid;
};

// In each round a thread adds what its neighbour among all grids had; ranks go round.
__global__ void rounds(int *values, position *positions) {
    cg::multi_grid_group all = cg::this_multi_grid();
    static_assert(std::is_same<unsigned long long, decltype(all.num_threads())>::value, "");
    static_assert(std::is_same<unsigned, decltype(all.grid_rank())>::value, "");
    unsigned long long me = all.thread_rank(), n = all.num_threads();
    positions[me] = {me, n, all.size(), all.grid_rank(), all.num_grids(), all.is_valid()};
    for (int i = 0; i < ROUNDS; i++) {
        int other = ((volatile int *)values)[(me + THREADS + 1) % n];
        all.sync();
        values[me] += other + i;
        cg::sync(all);
    }
}

__global__ void alone(int *valid) {
    *valid = 10 + cg::this_multi_grid().is_valid();
}

static void check_rounds() {
    enum { N = DEVICES * BLOCKS * THREADS };
    int *values = shared_array<int>(N);
    unsigned expected[N], before[N];
    position *positions = shared_array<position>(N);
    for (unsigned i = 0; i < N; i++)
        values[i] = (int)(expected[i] = i * 7 % 13);
    for (unsigned r = 0; r < ROUNDS; r++) {
        memcpy(before, expected, sizeof before);
        for (unsigned i = 0; i < N; i++)
            expected[i] += before[(i + THREADS + 1) % N] + r;
    }
    cudaLaunchParams launches[DEVICES];
    void *args[] = {&values, &positions};
    for (int i = 0; i < DEVICES; i++) {
        CUDA(cudaSetDevice(i));
        launches[i] = {(void *)rounds, dim3(BLOCKS), dim3(THREADS), args, 0, nullptr};
        CUDA(cudaStreamCreate(&launches[i].stream));
    }
    CUDA(cudaLaunchCooperativeKernelMultiDevice(launches, DEVICES));
    for (int i = 0; i < DEVICES; i++)
        CUDA(cudaStreamSynchronize(launches[i].stream));
    for (unsigned i = 0; i < N; i++) {
        const position &p = positions[i];
        CHECK((unsigned)values[i] == expected[i]);
        CHECK(p.thread == i && p.threads == N && p.size == N && p.valid);
        CHECK(p.grid == i / (BLOCKS * THREADS) && p.grids == DEVICES);
    }
    // All or none: nothing waits for a grid that could not be launched.
    void *missing[] = {&values, nullptr};
    launches[DEVICES - 1].args = missing;
    CHECK(cudaLaunchCooperativeKernelMultiDevice(launches, DEVICES) == cudaErrorInvalidValue);
    launches[DEVICES - 1].args = args;
    for (cudaLaunchParams &l : launches)
        l.gridDim = 100000;
    CHECK(cudaLaunchCooperativeKernelMultiDevice(launches, DEVICES) ==
          cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
    for (int i = 0; i < DEVICES; i++) {
        CUDA(cudaStreamSynchronize(launches[i].stream));
        CUDA(cudaStreamDestroy(launches[i].stream));
    }
}

int main() {
    setenv("KUDZU_DEVICES", "3", 1);
    if (!on_kudzu())
        return 77; // NVIDIA's driver has had no such launches since version 13
    int can = 0, *valid = shared_array<int>(1);
    CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeMultiDeviceLaunch, 0));
    CHECK(can == 1);
    check_rounds();
    CUDA(cudaSetDevice(0));
    void *args[] = {&valid};
    CUDA(cudaLaunchCooperativeKernel((void *)alone, dim3(1), dim3(1), args));
    CUDA(cudaDeviceSynchronize());
    CHECK(*valid == 10);
    return failures != 0;
}
