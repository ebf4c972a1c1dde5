// cuda_occupancy.h, as C and as C++: what compute capabilities allow, by the tables of the guide
// (20.2) and the published rules for registers and shared memory.
#include <cuda_occupancy.h>
#include <stdio.h>

static int failed;
#define CHECK(c)                                                                                   \
    do {                                                                                           \
        if (!(c)) {                                                                                \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #c);                                         \
            failed = 1;                                                                            \
        }                                                                                          \
    } while (0)

static const struct row {
    int compute, carveout, registers, threads;
    int dynamic, blocks;
    unsigned limits;
    int by_registers, by_shared, by_warps, by_blocks, registers_taken, shared_taken;
} rows[] = {
    {90, -1, 0, 1, 0, 32, 8, INT_MAX, 45, 64, 32, 0, 5120},
    {90, -1, 0, 1000, 100000, 2, 5, INT_MAX, 2, 2, 32, 0, 105216},
    {90, -1, 33, 128, 0, 12, 2, 12, 45, 16, 32, 5120, 5120},
    {90, 0, 16, 1, 16384, 1, 4, 128, 1, 64, 32, 512, 21504},
    {90, 30, 16, 128, 0, 16, 1, 32, 20, 16, 32, 2048, 5120},
    {90, 50, 16, 1, 50000, 2, 4, 128, 2, 64, 32, 512, 55168},
    {100, -1, 33, 128, 50000, 4, 4, 12, 4, 16, 32, 5120, 55168},
};

static cudaOccDeviceProp device(int compute, size_t shared) {
    cudaOccDeviceProp p;
    memset((void *)&p, 0, sizeof p);
    p.computeMajor = compute / 10;
    p.computeMinor = compute % 10;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsPerMultiprocessor = 2048;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.sharedMemPerBlock = 49152;
    p.sharedMemPerMultiprocessor = shared;
    p.sharedMemPerBlockOptin = shared - 1024;
    p.reservedSharedMemPerBlock = 1024;
    p.numSms = 132;
    return p;
}

static cudaOccFuncAttributes kernel(int registers) {
    cudaOccFuncAttributes f;
    memset((void *)&f, 0, sizeof f);
    f.maxThreadsPerBlock = 1024;
    f.numRegs = registers;
    f.sharedSizeBytes = 4096;
    f.partitionedGCConfig = PARTITIONED_GC_OFF;
    f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    f.maxDynamicSharedSizeBytes = 200000;
    f.numBlockBarriers = 1;
    return f;
}

static size_t sixty_four_each(int threads) {
    return (size_t)threads * 64;
}

int main(void) {
    cudaOccDeviceState state;
    cudaOccResult r;
    memset((void *)&state, 0, sizeof state);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *w = &rows[i];
        cudaOccDeviceProp p = device(w->compute, 233472);
        cudaOccFuncAttributes f = kernel(w->registers);
        state.carveoutConfig = w->carveout;
        CHECK(cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &state, w->threads,
                                                      (size_t)w->dynamic) == CUDA_OCC_SUCCESS);
        CHECK(r.activeBlocksPerMultiprocessor == w->blocks && r.limitingFactors == w->limits);
        CHECK(r.blockLimitRegs == w->by_registers && r.blockLimitSharedMem == w->by_shared);
        CHECK(r.blockLimitWarps == w->by_warps && r.blockLimitBlocks == w->by_blocks);
        CHECK(r.allocatedRegistersPerBlock == w->registers_taken);
        CHECK(r.allocatedSharedMemPerBlock == (size_t)w->shared_taken);
    }
    state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
    cudaOccDeviceProp p = device(90, 233472);
    cudaOccFuncAttributes f = kernel(40);
    int grid = 0, block = 0;
    size_t bytes = 0;
    CHECK(!cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &p, &f, &state, NULL, 1000));
    CHECK(grid == 264 && block == 768);
    CHECK(
        !cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &p, &f, &state, sixty_four_each, 0));
    CHECK(grid == 264 && block == 768);
    CHECK(!cudaOccAvailableDynamicSMemPerBlock(&bytes, &p, &f, &state, 2, 256));
    CHECK(!cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &state, 256, bytes));
    CHECK(r.activeBlocksPerMultiprocessor == 2);
    CHECK(!cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &state, 256, bytes + 128));
    CHECK(r.activeBlocksPerMultiprocessor == 1);
    CHECK(cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &state, 0, 0) ==
          CUDA_OCC_ERROR_INVALID_INPUT);
    CHECK(cudaOccMaxActiveBlocksPerMultiprocessor(NULL, &p, &f, &state, 32, 0) ==
          CUDA_OCC_ERROR_INVALID_INPUT);
    p.computeMajor = 13;
    CHECK(cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &state, 32, 0) ==
          CUDA_OCC_ERROR_UNKNOWN_DEVICE);
    return failed;
}
