// The occupancy calculator (guide 8.2.3.1), against the limits of compute capability 9.0: 32
// blocks, 64 warps, 65536 registers and 228 KiB of shared memory (1 KiB of it reserved a block).
#include "check.h"
#include "kernels.h"

static const char ptx[] = PTX_HEAD PTX_NOTHING PTX_BOUNDED PTX_SHARED;

static int blocks(CUfunction f, int threads, size_t shared_bytes) {
    int n = -1;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, threads, shared_bytes));
    return n;
}

static size_t CUDA_CB bytes_of_block(int threads) {
    return (size_t)threads * 64;
}

int main(void) {
    CUcontext ctx = check_context();
    CUmodule m;
    CUfunction nothing, bounded, shared;
    int workers, grid = -1, block = -1, n;
    size_t bytes;
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&nothing, m, "nothing"));
    NEED(cuModuleGetFunction(&bounded, m, "bounded"));
    NEED(cuModuleGetFunction(&shared, m, "shared"));
    OK(cuDeviceGetAttribute(&workers, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    CHECK(blocks(nothing, 1024, 0) == 2);   // warps
    CHECK(blocks(nothing, 128, 0) == 16);   // warps
    CHECK(blocks(nothing, 32, 0) == 32);    // blocks
    CHECK(blocks(nothing, 33, 0) == 32);    // two warps each
    CHECK(blocks(nothing, 96, 0) == 21);    // warps, rounded down
    CHECK(blocks(shared, 32, 0) == 13);     // 228 / (16 + 1)
    CHECK(blocks(nothing, 32, 40960) == 5); // 228 / (40 + 1)
    CHECK(blocks(nothing, 1025, 0) == 0);
    CHECK(blocks(bounded, 65, 0) == 0);
    CHECK(blocks(nothing, 32, 300 << 10) == 0);
    EXPECT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 0, 0),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, nothing, 32, 0),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, NULL, 32, 0), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, nothing, 32, 0, 2),
           CUDA_ERROR_INVALID_VALUE);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, nothing, NULL, 0, 0));
    CHECK(block == 1024 && grid == 2 * workers);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, bounded, NULL, 0, 0));
    CHECK(block == 64 && grid == 32 * workers);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, nothing, NULL, 0, 256));
    CHECK(block == 256 && grid == 8 * workers);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, nothing, bytes_of_block, 0, 0));
    CHECK(block > 0 && block <= 768 && grid > 0); // over 768 threads need more than 48 KiB
    OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, nothing, NULL, 0, 0,
                                                 CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE));
    CHECK(block == 1024 && grid == 2 * workers);
    EXPECT(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, nothing, NULL, 0, 0, 2),
           CUDA_ERROR_INVALID_VALUE);
    CUlaunchConfig config = {.gridDimX = 64,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 64,
                             .blockDimY = 1,
                             .blockDimZ = 1};
    OK(cuOccupancyMaxPotentialClusterSize(&n, nothing, &config));
    CHECK(n == 8); // larger ones are not portable
    EXPECT(cuOccupancyMaxPotentialClusterSize(&n, nothing, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuOccupancyMaxPotentialClusterSize(NULL, nothing, &config), CUDA_ERROR_INVALID_VALUE);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 8, 128));
    CHECK(bytes == 228 * 1024 / 8 / 128 * 128 - 1024);
    EXPECT(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 3, 1024),
           CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
