// Occupancy without a device and without the runtime (guide 8.2.3.1): how many blocks of a kernel a
// multiprocessor holds at once, which resource limits it, and which block size fills it best. Every
// function works from descriptions alone; nothing here is a symbol of a library.
#ifndef KUDZU_CUDA_OCCUPANCY_H
#define KUDZU_CUDA_OCCUPANCY_H

#include <limits.h>
#include <stddef.h>
#include <string.h>

#if defined(__CUDACC__)
#define KUDZU_OCC static __inline__ __host__ __device__
#else
#define KUDZU_OCC static __inline
#endif

typedef enum cudaOccError_enum {
    CUDA_OCC_SUCCESS = 0,
    CUDA_OCC_ERROR_INVALID_INPUT = 1,  // a pointer is NULL, or a number makes no sense
    CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2, // a compute capability that is not known
} cudaOccError;

typedef enum cudaOccLimitingFactor_enum {
    OCC_LIMIT_WARPS = 0x01,
    OCC_LIMIT_REGISTERS = 0x02,
    OCC_LIMIT_SHARED_MEMORY = 0x04,
    OCC_LIMIT_BLOCKS = 0x08,
    OCC_LIMIT_BARRIERS = 0x10,
} cudaOccLimitingFactor;

// What parts of the first-level cache of compute capability 5.x keep of global memory: accepted,
// without an effect on later ones.
typedef enum cudaOccPartitionedGCConfig_enum {
    PARTITIONED_GC_OFF,
    PARTITIONED_GC_ON,
    PARTITIONED_GC_ON_STRICT,
} cudaOccPartitionedGCConfig;

typedef enum cudaOccFuncShmemConfig_enum {
    FUNC_SHMEM_LIMIT_DEFAULT, // a block has sharedMemPerBlock at most
    FUNC_SHMEM_LIMIT_OPTIN,   // sharedMemPerBlockOptin, as far as the function has asked for it
} cudaOccFuncShmemConfig;

typedef enum cudaOccCacheConfig_enum { // compute capability 3.x
    CACHE_PREFER_NONE = 0,
    CACHE_PREFER_SHARED = 1,
    CACHE_PREFER_L1 = 2,
    CACHE_PREFER_EQUAL = 3,
} cudaOccCacheConfig;

typedef enum cudaOccCarveoutConfig_enum { // or any percentage
    SHAREDMEM_CARVEOUT_DEFAULT = -1,
    SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    SHAREDMEM_CARVEOUT_HALF = 50,
    SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
} cudaOccCarveoutConfig;

// A device; in C++ also made of a cudaDeviceProp.
struct cudaOccDeviceProp {
    int computeMajor;
    int computeMinor;
    int maxThreadsPerBlock;
    int maxThreadsPerMultiprocessor;
    int regsPerBlock;
    int regsPerMultiprocessor;
    int warpSize;
    size_t sharedMemPerBlock;
    size_t sharedMemPerMultiprocessor;
    int numSms;
    size_t sharedMemPerBlockOptin;
    size_t reservedSharedMemPerBlock;
#ifdef __cplusplus
    __inline__ cudaOccDeviceProp() {
        memset(this, 0, sizeof *this);
    }
    template <class Properties>
    __inline__ cudaOccDeviceProp(const Properties &p)
        : computeMajor(p.major), computeMinor(p.minor), maxThreadsPerBlock(p.maxThreadsPerBlock),
          maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor), regsPerBlock(p.regsPerBlock),
          regsPerMultiprocessor(p.regsPerMultiprocessor), warpSize(p.warpSize),
          sharedMemPerBlock(p.sharedMemPerBlock),
          sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor), numSms(p.multiProcessorCount),
          sharedMemPerBlockOptin(p.sharedMemPerBlockOptin),
          reservedSharedMemPerBlock(p.reservedSharedMemPerBlock) {
    }
#endif
};
typedef struct cudaOccDeviceProp cudaOccDeviceProp;

// A kernel; in C++ also made of a cudaFuncAttributes.
struct cudaOccFuncAttributes {
    int maxThreadsPerBlock;
    int numRegs;
    size_t sharedSizeBytes; // static
    cudaOccPartitionedGCConfig partitionedGCConfig;
    cudaOccFuncShmemConfig shmemLimitConfig;
    size_t maxDynamicSharedSizeBytes; // with FUNC_SHMEM_LIMIT_OPTIN
    int numBlockBarriers;
#ifdef __cplusplus
    __inline__ cudaOccFuncAttributes() {
        memset(this, 0, sizeof *this);
    }
    template <class Attributes>
    __inline__ cudaOccFuncAttributes(const Attributes &a)
        : maxThreadsPerBlock(a.maxThreadsPerBlock), numRegs(a.numRegs),
          sharedSizeBytes(a.sharedSizeBytes), partitionedGCConfig(PARTITIONED_GC_OFF),
          shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
          maxDynamicSharedSizeBytes(a.maxDynamicSharedSizeBytes), numBlockBarriers(1) {
    }
#endif
};
typedef struct cudaOccFuncAttributes cudaOccFuncAttributes;

struct cudaOccDeviceState {
    cudaOccCacheConfig cacheConfig;
    int carveoutConfig; // percent of shared memory that is preferred; -1: all
#ifdef __cplusplus
    __inline__ cudaOccDeviceState()
        : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {
    }
#endif
};
typedef struct cudaOccDeviceState cudaOccDeviceState;

struct cudaOccResult {
    int activeBlocksPerMultiprocessor;
    unsigned int limitingFactors; // bits of cudaOccLimitingFactor
    // Blocks that each resource alone would allow; INT_MAX: it does not limit.
    int blockLimitRegs;
    int blockLimitSharedMem;
    int blockLimitWarps;
    int blockLimitBlocks;
    int blockLimitBarriers;
    int allocatedRegistersPerBlock;
    size_t allocatedSharedMemPerBlock; // with what the system takes of it
    cudaOccPartitionedGCConfig partitionedGCConfig;
};
typedef struct cudaOccResult cudaOccResult;

// ---- What the compute capabilities have -----------------------------------------------------

// Blocks of a multiprocessor; 0: an unknown compute capability.
KUDZU_OCC int kudzu_occ_blocks(const cudaOccDeviceProp *p) {
    switch (p->computeMajor) {
    case 3:
        return 16;
    case 5:
    case 6:
    case 9:
        return 32;
    case 7:
        return p->computeMinor == 5 ? 16 : 32;
    case 8:
        return p->computeMinor == 0 ? 32 : p->computeMinor == 9 ? 24 : 16;
    case 10:
        return p->computeMinor == 0 || p->computeMinor == 3 ? 32 : p->computeMinor == 1 ? 24 : 0;
    case 11:
        return p->computeMinor == 1 || p->computeMinor == 3 ? 32 : p->computeMinor == 0 ? 24 : 0;
    case 12:
        return p->computeMinor <= 1 ? 24 : 0;
    default:
        return 0;
    }
}

// Schedulers, among which registers are divided.
KUDZU_OCC int kudzu_occ_partitions(const cudaOccDeviceProp *p) {
    return p->computeMajor == 6 && p->computeMinor == 0 ? 2 : 4;
}

KUDZU_OCC size_t kudzu_occ_round_up(size_t value, size_t unit) {
    return (value + unit - 1) / unit * unit;
}

KUDZU_OCC size_t kudzu_occ_shared_unit(const cudaOccDeviceProp *p) {
    return p->computeMajor >= 8 ? 128 : 256;
}

// The n-th size in KiB to which shared memory can be set; -1: no more of them.
KUDZU_OCC int kudzu_occ_shared_size(const cudaOccDeviceProp *p, int n) {
    static const int volta[] = {0, 8, 16, 32, 64, 96}, turing[] = {32, 64},
                     large[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}, kepler[] = {16, 32, 48};
    int compute = p->computeMajor * 10 + p->computeMinor;
    int count = compute == 80 || compute == 87 ? 8 : compute < 90 || compute >= 120 ? 6 : 10;
    if (compute == 75)
        return n < 2 ? turing[n] : -1;
    if (p->computeMajor == 7)
        return n < 6 ? volta[n] : -1;
    if (p->computeMajor == 3)
        return n < 3 ? kepler[n] : -1;
    if (p->computeMajor < 7) // one size
        return n == 0 ? (int)(p->sharedMemPerMultiprocessor / 1024) : -1;
    return n < count ? large[n] : -1;
}

KUDZU_OCC size_t kudzu_occ_preferred(const cudaOccDeviceProp *p, const cudaOccDeviceState *s) {
    if (p->computeMajor == 3)
        return s->cacheConfig == CACHE_PREFER_L1      ? 16 << 10
               : s->cacheConfig == CACHE_PREFER_EQUAL ? 32 << 10
                                                      : 48 << 10;
    if (s->carveoutConfig == SHAREDMEM_CARVEOUT_DEFAULT)
        return p->sharedMemPerMultiprocessor;
    return p->sharedMemPerMultiprocessor * (size_t)s->carveoutConfig / 100;
}

// The smallest size that is as large as preferred and holds one block.
KUDZU_OCC cudaOccError kudzu_occ_shared(const cudaOccDeviceProp *p, const cudaOccDeviceState *s,
                                        size_t block, size_t *out) {
    size_t wanted = kudzu_occ_preferred(p, s);
    int kib;
    if (wanted < block)
        wanted = block;
    for (int n = 0; (kib = kudzu_occ_shared_size(p, n)) >= 0; n++)
        if ((size_t)kib * 1024 >= wanted) {
            *out = (size_t)kib * 1024;
            return CUDA_OCC_SUCCESS;
        }
    return CUDA_OCC_ERROR_INVALID_INPUT;
}

KUDZU_OCC cudaOccError kudzu_occ_check(const cudaOccDeviceProp *p, const cudaOccFuncAttributes *f,
                                       const cudaOccDeviceState *s) {
    if (!p || !f || !s)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    if (!kudzu_occ_blocks(p))
        return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
    if (p->maxThreadsPerBlock <= 0 || p->maxThreadsPerMultiprocessor <= 0 || p->regsPerBlock <= 0 ||
        p->regsPerMultiprocessor <= 0 || p->warpSize <= 0 || p->numSms <= 0 ||
        f->maxThreadsPerBlock <= 0 || f->numRegs < 0 || f->numBlockBarriers < 0 ||
        s->carveoutConfig < -1 || s->carveoutConfig > 100 || (int)s->cacheConfig < 0 ||
        s->cacheConfig > CACHE_PREFER_EQUAL)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    return CUDA_OCC_SUCCESS;
}

// ---- Limits ---------------------------------------------------------------------------------

// Bytes of static and dynamic shared memory that a block can have.
KUDZU_OCC size_t kudzu_occ_block_shared(const cudaOccDeviceProp *p,
                                        const cudaOccFuncAttributes *f) {
    size_t most = p->sharedMemPerBlock;
    if (f->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN) {
        most = f->sharedSizeBytes + f->maxDynamicSharedSizeBytes;
        if (most > p->sharedMemPerBlockOptin)
            most = p->sharedMemPerBlockOptin;
    }
    return most;
}

KUDZU_OCC int kudzu_occ_by_registers(const cudaOccDeviceProp *p, const cudaOccFuncAttributes *f,
                                     int warps, int *allocated) {
    int parts = kudzu_occ_partitions(p);
    int a_warp = (int)kudzu_occ_round_up((size_t)f->numRegs * (size_t)p->warpSize, 256);
    *allocated = a_warp * warps;
    if (!a_warp)
        return INT_MAX;
    if (a_warp * (int)kudzu_occ_round_up((size_t)warps, (size_t)parts) > p->regsPerBlock)
        return 0;
    return p->regsPerMultiprocessor / parts / a_warp * parts / warps;
}

KUDZU_OCC cudaOccError kudzu_occ_by_shared(const cudaOccDeviceProp *p,
                                           const cudaOccFuncAttributes *f,
                                           const cudaOccDeviceState *s, size_t dynamic, int *blocks,
                                           size_t *allocated) {
    size_t used = f->sharedSizeBytes + dynamic, all;
    *allocated = kudzu_occ_round_up(used + p->reservedSharedMemPerBlock, kudzu_occ_shared_unit(p));
    *blocks = 0;
    if (used > kudzu_occ_block_shared(p, f))
        return kudzu_occ_shared(p, s, 0, &all);
    cudaOccError e = kudzu_occ_shared(p, s, *allocated, &all);
    if (e == CUDA_OCC_SUCCESS)
        *blocks = *allocated ? (int)(all / *allocated) : INT_MAX;
    return e;
}

KUDZU_OCC int kudzu_occ_by_barriers(const cudaOccDeviceProp *p, const cudaOccFuncAttributes *f) {
    return p->computeMajor < 9 || !f->numBlockBarriers
               ? INT_MAX
               : (kudzu_occ_blocks(p) == 32 ? 64 : 24) / f->numBlockBarriers;
}

// ---- Interface ------------------------------------------------------------------------------

// *result: blocks of `blockSize` threads with `dynamicSmemSize` bytes of dynamic shared memory.
KUDZU_OCC cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(
    cudaOccResult *result, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state, int blockSize,
    size_t dynamicSmemSize) {
    const cudaOccDeviceProp *p = properties;
    cudaOccError e = kudzu_occ_check(p, attributes, state);
    if (e != CUDA_OCC_SUCCESS)
        return e;
    if (!result || blockSize <= 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    int warps = (blockSize + p->warpSize - 1) / p->warpSize;
    int fits = blockSize <= p->maxThreadsPerBlock && blockSize <= attributes->maxThreadsPerBlock;
    cudaOccResult r;
    memset(&r, 0, sizeof r);
    e = kudzu_occ_by_shared(p, attributes, state, dynamicSmemSize, &r.blockLimitSharedMem,
                            &r.allocatedSharedMemPerBlock);
    if (e != CUDA_OCC_SUCCESS)
        return e;
    r.blockLimitRegs = kudzu_occ_by_registers(p, attributes, warps, &r.allocatedRegistersPerBlock);
    r.blockLimitWarps = fits ? p->maxThreadsPerMultiprocessor / p->warpSize / warps : 0;
    r.blockLimitBlocks = kudzu_occ_blocks(p);
    r.blockLimitBarriers = kudzu_occ_by_barriers(p, attributes);
    r.partitionedGCConfig = PARTITIONED_GC_OFF;
    const int limits[] = {r.blockLimitWarps, r.blockLimitRegs, r.blockLimitSharedMem,
                          r.blockLimitBlocks, r.blockLimitBarriers};
    int least = INT_MAX;
    for (int i = 0; i < 5; i++)
        if (limits[i] < least)
            least = limits[i];
    for (int i = 0; i < 5; i++)
        if (limits[i] == least)
            r.limitingFactors |= 1u << i;
    r.activeBlocksPerMultiprocessor = least;
    *result = r;
    return CUDA_OCC_SUCCESS;
}

// *bytesAvailable: dynamic shared memory with which numBlocks blocks fit a multiprocessor.
KUDZU_OCC cudaOccError cudaOccAvailableDynamicSMemPerBlock(size_t *bytesAvailable,
                                                           const cudaOccDeviceProp *properties,
                                                           const cudaOccFuncAttributes *attributes,
                                                           const cudaOccDeviceState *state,
                                                           int numBlocks, int blockSize) {
    cudaOccResult r;
    size_t all;
    cudaOccError e = kudzu_occ_check(properties, attributes, state);
    if (e != CUDA_OCC_SUCCESS)
        return e;
    if (!bytesAvailable || numBlocks <= 0 || blockSize <= 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, properties, attributes, state, blockSize, 0);
    if (e == CUDA_OCC_SUCCESS)
        e = kudzu_occ_shared(properties, state, r.allocatedSharedMemPerBlock, &all);
    if (e != CUDA_OCC_SUCCESS)
        return e;
    if (r.activeBlocksPerMultiprocessor < numBlocks) // they do not fit without any
        return CUDA_OCC_ERROR_INVALID_INPUT;
    size_t unit = kudzu_occ_shared_unit(properties);
    size_t a_block = all / (size_t)numBlocks / unit * unit;
    size_t most = kudzu_occ_block_shared(properties, attributes);
    a_block -= properties->reservedSharedMemPerBlock;
    most = (a_block < most ? a_block : most) - attributes->sharedSizeBytes;
    *bytesAvailable =
        most < attributes->maxDynamicSharedSizeBytes ? most : attributes->maxDynamicSharedSizeBytes;
    return CUDA_OCC_SUCCESS;
}

// The largest block size in warps, of those with the most threads in all: `dynamic` answers with
// the dynamic shared memory of a block size.
#define KUDZU_OCC_SEARCH(dynamic)                                                                  \
    cudaOccResult r;                                                                               \
    int best = 0, limit;                                                                           \
    cudaOccError e = kudzu_occ_check(properties, attributes, state);                               \
    if (e != CUDA_OCC_SUCCESS)                                                                     \
        return e;                                                                                  \
    if (!minGridSize || !blockSize)                                                                \
        return CUDA_OCC_ERROR_INVALID_INPUT;                                                       \
    limit = properties->maxThreadsPerBlock < attributes->maxThreadsPerBlock                        \
                ? properties->maxThreadsPerBlock                                                   \
                : attributes->maxThreadsPerBlock;                                                  \
    *minGridSize = *blockSize = 0;                                                                 \
    for (int size = (int)kudzu_occ_round_up((size_t)limit, (size_t)properties->warpSize);          \
         size > 0; size -= properties->warpSize) {                                                 \
        int threads = size < limit ? size : limit;                                                 \
        e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, properties, attributes, state, threads,    \
                                                    dynamic);                                      \
        if (e != CUDA_OCC_SUCCESS)                                                                 \
            return e;                                                                              \
        if (r.activeBlocksPerMultiprocessor * threads > best) {                                    \
            best = r.activeBlocksPerMultiprocessor * threads;                                      \
            *blockSize = threads;                                                                  \
            *minGridSize = r.activeBlocksPerMultiprocessor * properties->numSms;                   \
        }                                                                                          \
        if (best == properties->maxThreadsPerMultiprocessor)                                       \
            break;                                                                                 \
    }                                                                                              \
    return CUDA_OCC_SUCCESS

// *blockSize: that with which most threads are resident; *minGridSize: blocks that fill the device.
// blockSizeToDynamicSMemSize (may be NULL) replaces dynamicSMemSize.
KUDZU_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    size_t (*blockSizeToDynamicSMemSize)(int blockSize), size_t dynamicSMemSize) {
    KUDZU_OCC_SEARCH(blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(threads)
                                                : dynamicSMemSize);
}

#ifdef __cplusplus
namespace {

__inline__ cudaOccError
cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize,
                                      const cudaOccDeviceProp *properties,
                                      const cudaOccFuncAttributes *attributes,
                                      const cudaOccDeviceState *state, size_t dynamicSMemSize = 0) {
    KUDZU_OCC_SEARCH(dynamicSMemSize);
}

// The same with a function object of a block size.
template <class UnaryFunction>
__inline__ cudaOccError cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    UnaryFunction blockSizeToDynamicSMemSize) {
    KUDZU_OCC_SEARCH(blockSizeToDynamicSMemSize(threads));
}

} // namespace
#endif

#undef KUDZU_OCC_SEARCH
#undef KUDZU_OCC

#endif
