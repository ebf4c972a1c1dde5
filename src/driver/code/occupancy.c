// The occupancy calculator (guide 8.2.3.1). How many blocks fit comes from the device: registers,
// shared memory, warps and blocks of its compute capability.
#include "driver/context/green_context.h"
#include "driver/driver.h"
#include "support/capability.h"

enum { WARP = 32 };

static CUresult check_flags(unsigned flags) {
    REQUIRE(!(flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE), CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of the occupancy calculator", flags);
    return CUDA_SUCCESS;
}

// 0 when a block has more threads or dynamic shared memory than the kernel may be launched with.
static int blocks(const struct drv_function *f, int threads, size_t dynamic_shared) {
    if ((unsigned)threads > kd_kernel_max_threads(f->k) ||
        dynamic_shared > kd_kernel_max_dynamic_shared(f->k))
        return 0;
    return (int)kd_kernel_occupancy(f->k, (uint32_t)threads, (uint32_t)dynamic_shared);
}

static CUresult max_active_blocks(int *numBlocks, CUfunction func, int blockSize,
                                  size_t dynamicSMemSize, unsigned flags) {
    struct drv_context *ctx;
    struct drv_function *f;
    TRY(drv_context_usable(&ctx));
    REQUIRE_POINTER(numBlocks);
    TRY(drv_function_find(func, ctx, &f));
    TRY(check_flags(flags));
    REQUIRE(blockSize > 0, CUDA_ERROR_INVALID_VALUE, "blockSize must be positive, not %d",
            blockSize);
    *numBlocks = blocks(f, blockSize, dynamicSMemSize);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
    ENTER();
    return max_active_blocks(numBlocks, func, blockSize, dynamicSMemSize, 0);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func,
                                                              int blockSize, size_t dynamicSMemSize,
                                                              unsigned int flags) {
    ENTER();
    return max_active_blocks(numBlocks, func, blockSize, dynamicSMemSize, flags);
}

static int multiprocessors(const struct drv_context *ctx) {
    const struct drv_green *g = drv_green_current();
    return g ? (int)g->resource.sm.smCount : ctx->device->properties->workers;
}

// The largest block among those with the most resident threads, and the grid that fills the
// device, or the green context that is current, with such blocks.
static CUresult max_potential(int *minGridSize, int *blockSize, CUfunction func,
                              CUoccupancyB2DSize shared_of, size_t dynamicSMemSize, int limit,
                              unsigned flags) {
    struct drv_context *ctx;
    struct drv_function *f;
    TRY(drv_context_usable(&ctx));
    REQUIRE_POINTER(minGridSize);
    REQUIRE_POINTER(blockSize);
    TRY(drv_function_find(func, ctx, &f));
    TRY(check_flags(flags));
    REQUIRE(limit >= 0, CUDA_ERROR_INVALID_VALUE, "blockSizeLimit cannot be negative");
    int most = (int)kd_kernel_max_threads(f->k);
    if (limit && limit < most)
        most = limit;
    int best_threads = 0, best_block = 0, best_blocks = 0;
    for (int size = most; size > 0; size = (size - 1) / WARP * WARP) {
        int n = blocks(f, size, shared_of ? shared_of(size) : dynamicSMemSize);
        if (n * size > best_threads) {
            best_threads = n * size;
            best_block = size;
            best_blocks = n;
        }
    }
    *minGridSize = best_blocks * multiprocessors(ctx);
    *blockSize = best_block;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                          size_t dynamicSMemSize, int blockSizeLimit) {
    ENTER();
    return max_potential(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize,
                         blockSizeLimit, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize,
                                                   CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit,
                                                   unsigned int flags) {
    ENTER();
    return max_potential(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize,
                         blockSizeLimit, flags);
}

// Dynamic shared memory that leaves room for numBlocks blocks on a multiprocessor.
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func,
                                                 int numBlocks, int blockSize) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(dynamicSmemSize);
    struct drv_function *f;
    TRY(drv_function_find(func, ctx, &f));
    REQUIRE(numBlocks > 0 && blockSize > 0, CUDA_ERROR_INVALID_VALUE,
            "numBlocks and blockSize must be positive");
    REQUIRE(blocks(f, blockSize, 0) >= numBlocks, CUDA_ERROR_INVALID_VALUE,
            "%d blocks of %d threads do not fit on a multiprocessor", numBlocks, blockSize);
    const struct capability *c = ctx->device->properties->capability;
    uint32_t each = c->max_shared / (uint32_t)numBlocks / c->shared_unit * c->shared_unit;
    uint32_t fixed = kd_kernel_info(f->k)->shared_static;
    uint32_t taken = c->reserved_shared + fixed, room = each > taken ? each - taken : 0;
    uint32_t most = kd_kernel_max_dynamic_shared(f->k);
    *dynamicSmemSize = room < most ? room : most;
    return CUDA_SUCCESS;
}

// ---- Clusters -----------------------------------------------------------------------------

struct cluster_launch {
    struct drv_context *ctx;
    struct drv_function *f;
    unsigned shape[3];
    int per_sm;  // blocks
    int workers; // multiprocessors of the stream's context
};

// What a launch configuration says about clusters. All blocks of one run on one multiprocessor,
// in turns: the device can hold every cluster that a launch may have.
static CUresult read_config(CUfunction func, const CUlaunchConfig *config,
                            struct cluster_launch *out) {
    unsigned wanted[3] = {0};
    TRY(drv_context_usable(&out->ctx));
    REQUIRE_POINTER(config);
    REQUIRE(config->attrs || !config->numAttrs, CUDA_ERROR_INVALID_VALUE,
            "attrs cannot be NULL when there are %u attributes", config->numAttrs);
    TRY(drv_function_find(func, out->ctx, &out->f));
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttribute *a = &config->attrs[i];
        if (a->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            continue;
        wanted[0] = a->value.clusterDim.x;
        wanted[1] = a->value.clusterDim.y;
        wanted[2] = a->value.clusterDim.z;
        REQUIRE(wanted[0] && wanted[1] && wanted[2], CUDA_ERROR_INVALID_CLUSTER_SIZE,
                "a cluster of (%u, %u, %u) blocks", wanted[0], wanted[1], wanted[2]);
    }
    TRY(drv_function_cluster(out->f, wanted, NULL, out->shape));
    uint64_t threads = (uint64_t)config->blockDimX * config->blockDimY * config->blockDimZ;
    REQUIRE(threads >= 1 && threads <= 1024, CUDA_ERROR_INVALID_VALUE, "a block of %llu threads",
            (unsigned long long)threads);
    out->per_sm = blocks(out->f, (int)threads, config->sharedMemBytes);
    struct drv_context *owner;
    struct kd_queue *q;
    TRY(drv_stream_find(config->hStream, &q, &owner));
    out->workers = kd_queue_workers(q);
    return CUDA_SUCCESS;
}

// How many clusters can be on the device, or in the stream's green context, at once.
CUresult cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func,
                                      const CUlaunchConfig *config) {
    ENTER();
    struct cluster_launch c;
    REQUIRE_POINTER(numClusters);
    TRY(read_config(func, config, &c));
    unsigned size = c.shape[0] * c.shape[1] * c.shape[2];
    int all = c.per_sm * c.workers, n = all / (int)size;
    *numClusters = c.per_sm && n < 1 ? 1 : n;
    return CUDA_SUCCESS;
}

// The largest cluster that the kernel can be launched with.
CUresult cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
                                            const CUlaunchConfig *config) {
    ENTER();
    struct cluster_launch c;
    REQUIRE_POINTER(clusterSize);
    TRY(read_config(func, config, &c));
    const struct kj_kernel *info = kd_kernel_info(c.f->k);
    int most = kd_kernel_large_clusters(c.f->k) ? KD_CLUSTER_MAX_BLOCKS : KD_CLUSTER_PORTABLE;
    if (info->max_cluster && (int)info->max_cluster < most)
        most = (int)info->max_cluster;
    *clusterSize = c.per_sm ? most : 0;
    return CUDA_SUCCESS;
}
