// cudaDeviceProp, filled from the driver's attributes; and the choice of a device by properties.
#include <string.h>

#include "runtime/runtime.h"

_Static_assert(sizeof(struct cudaDeviceProp) == 1032, "layout of version 12");
_Static_assert(offsetof(struct cudaDeviceProp, clusterLaunch) == 772, "layout of version 12");

// Where each attribute goes. `wide` fields are size_t, the others int.
#define FIELD(field, attribute)                                                                    \
    {                                                                                              \
        CU_DEVICE_ATTRIBUTE_##attribute, offsetof(struct cudaDeviceProp, field),                   \
            sizeof(((struct cudaDeviceProp *)0)->field) == sizeof(size_t)                          \
    }
#define ELEMENT(field, i, attribute)                                                               \
    {                                                                                              \
        CU_DEVICE_ATTRIBUTE_##attribute,                                                           \
            offsetof(struct cudaDeviceProp, field) + (i) * sizeof(int), false                      \
    }
static const struct {
    CUdevice_attribute attribute;
    size_t offset;
    bool wide;
} fields[] = {
    FIELD(sharedMemPerBlock, MAX_SHARED_MEMORY_PER_BLOCK),
    FIELD(regsPerBlock, MAX_REGISTERS_PER_BLOCK),
    FIELD(warpSize, WARP_SIZE),
    FIELD(memPitch, MAX_PITCH),
    FIELD(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK),
    ELEMENT(maxThreadsDim, 0, MAX_BLOCK_DIM_X),
    ELEMENT(maxThreadsDim, 1, MAX_BLOCK_DIM_Y),
    ELEMENT(maxThreadsDim, 2, MAX_BLOCK_DIM_Z),
    ELEMENT(maxGridSize, 0, MAX_GRID_DIM_X),
    ELEMENT(maxGridSize, 1, MAX_GRID_DIM_Y),
    ELEMENT(maxGridSize, 2, MAX_GRID_DIM_Z),
    FIELD(clockRate, CLOCK_RATE),
    FIELD(totalConstMem, TOTAL_CONSTANT_MEMORY),
    FIELD(major, COMPUTE_CAPABILITY_MAJOR),
    FIELD(minor, COMPUTE_CAPABILITY_MINOR),
    FIELD(textureAlignment, TEXTURE_ALIGNMENT),
    FIELD(texturePitchAlignment, TEXTURE_PITCH_ALIGNMENT),
    FIELD(deviceOverlap, GPU_OVERLAP),
    FIELD(multiProcessorCount, MULTIPROCESSOR_COUNT),
    FIELD(kernelExecTimeoutEnabled, KERNEL_EXEC_TIMEOUT),
    FIELD(integrated, INTEGRATED),
    FIELD(canMapHostMemory, CAN_MAP_HOST_MEMORY),
    FIELD(computeMode, COMPUTE_MODE),
    FIELD(maxTexture1D, MAXIMUM_TEXTURE1D_WIDTH),
    FIELD(maxTexture1DMipmap, MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH),
    FIELD(maxTexture1DLinear, MAXIMUM_TEXTURE1D_LINEAR_WIDTH),
    ELEMENT(maxTexture2D, 0, MAXIMUM_TEXTURE2D_WIDTH),
    ELEMENT(maxTexture2D, 1, MAXIMUM_TEXTURE2D_HEIGHT),
    ELEMENT(maxTexture2DMipmap, 0, MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH),
    ELEMENT(maxTexture2DMipmap, 1, MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT),
    ELEMENT(maxTexture2DLinear, 0, MAXIMUM_TEXTURE2D_LINEAR_WIDTH),
    ELEMENT(maxTexture2DLinear, 1, MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
    ELEMENT(maxTexture2DLinear, 2, MAXIMUM_TEXTURE2D_LINEAR_PITCH),
    ELEMENT(maxTexture2DGather, 0, MAXIMUM_TEXTURE2D_GATHER_WIDTH),
    ELEMENT(maxTexture2DGather, 1, MAXIMUM_TEXTURE2D_GATHER_HEIGHT),
    ELEMENT(maxTexture3D, 0, MAXIMUM_TEXTURE3D_WIDTH),
    ELEMENT(maxTexture3D, 1, MAXIMUM_TEXTURE3D_HEIGHT),
    ELEMENT(maxTexture3D, 2, MAXIMUM_TEXTURE3D_DEPTH),
    ELEMENT(maxTexture3DAlt, 0, MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE),
    ELEMENT(maxTexture3DAlt, 1, MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE),
    ELEMENT(maxTexture3DAlt, 2, MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE),
    FIELD(maxTextureCubemap, MAXIMUM_TEXTURECUBEMAP_WIDTH),
    ELEMENT(maxTexture1DLayered, 0, MAXIMUM_TEXTURE1D_LAYERED_WIDTH),
    ELEMENT(maxTexture1DLayered, 1, MAXIMUM_TEXTURE1D_LAYERED_LAYERS),
    ELEMENT(maxTexture2DLayered, 0, MAXIMUM_TEXTURE2D_LAYERED_WIDTH),
    ELEMENT(maxTexture2DLayered, 1, MAXIMUM_TEXTURE2D_LAYERED_HEIGHT),
    ELEMENT(maxTexture2DLayered, 2, MAXIMUM_TEXTURE2D_LAYERED_LAYERS),
    ELEMENT(maxTextureCubemapLayered, 0, MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH),
    ELEMENT(maxTextureCubemapLayered, 1, MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS),
    FIELD(maxSurface1D, MAXIMUM_SURFACE1D_WIDTH),
    ELEMENT(maxSurface2D, 0, MAXIMUM_SURFACE2D_WIDTH),
    ELEMENT(maxSurface2D, 1, MAXIMUM_SURFACE2D_HEIGHT),
    ELEMENT(maxSurface3D, 0, MAXIMUM_SURFACE3D_WIDTH),
    ELEMENT(maxSurface3D, 1, MAXIMUM_SURFACE3D_HEIGHT),
    ELEMENT(maxSurface3D, 2, MAXIMUM_SURFACE3D_DEPTH),
    ELEMENT(maxSurface1DLayered, 0, MAXIMUM_SURFACE1D_LAYERED_WIDTH),
    ELEMENT(maxSurface1DLayered, 1, MAXIMUM_SURFACE1D_LAYERED_LAYERS),
    ELEMENT(maxSurface2DLayered, 0, MAXIMUM_SURFACE2D_LAYERED_WIDTH),
    ELEMENT(maxSurface2DLayered, 1, MAXIMUM_SURFACE2D_LAYERED_HEIGHT),
    ELEMENT(maxSurface2DLayered, 2, MAXIMUM_SURFACE2D_LAYERED_LAYERS),
    FIELD(maxSurfaceCubemap, MAXIMUM_SURFACECUBEMAP_WIDTH),
    ELEMENT(maxSurfaceCubemapLayered, 0, MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH),
    ELEMENT(maxSurfaceCubemapLayered, 1, MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS),
    FIELD(surfaceAlignment, SURFACE_ALIGNMENT),
    FIELD(concurrentKernels, CONCURRENT_KERNELS),
    FIELD(ECCEnabled, ECC_ENABLED),
    FIELD(pciBusID, PCI_BUS_ID),
    FIELD(pciDeviceID, PCI_DEVICE_ID),
    FIELD(pciDomainID, PCI_DOMAIN_ID),
    FIELD(tccDriver, TCC_DRIVER),
    FIELD(asyncEngineCount, ASYNC_ENGINE_COUNT),
    FIELD(unifiedAddressing, UNIFIED_ADDRESSING),
    FIELD(memoryClockRate, MEMORY_CLOCK_RATE),
    FIELD(memoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH),
    FIELD(l2CacheSize, L2_CACHE_SIZE),
    FIELD(persistingL2CacheMaxSize, MAX_PERSISTING_L2_CACHE_SIZE),
    FIELD(maxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR),
    FIELD(streamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED),
    FIELD(globalL1CacheSupported, GLOBAL_L1_CACHE_SUPPORTED),
    FIELD(localL1CacheSupported, LOCAL_L1_CACHE_SUPPORTED),
    FIELD(sharedMemPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
    FIELD(regsPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR),
    FIELD(managedMemory, MANAGED_MEMORY),
    FIELD(isMultiGpuBoard, MULTI_GPU_BOARD),
    FIELD(multiGpuBoardGroupID, MULTI_GPU_BOARD_GROUP_ID),
    FIELD(hostNativeAtomicSupported, HOST_NATIVE_ATOMIC_SUPPORTED),
    FIELD(singleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO),
    FIELD(pageableMemoryAccess, PAGEABLE_MEMORY_ACCESS),
    FIELD(concurrentManagedAccess, CONCURRENT_MANAGED_ACCESS),
    FIELD(computePreemptionSupported, COMPUTE_PREEMPTION_SUPPORTED),
    FIELD(canUseHostPointerForRegisteredMem, CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM),
    FIELD(cooperativeLaunch, COOPERATIVE_LAUNCH),
    FIELD(cooperativeMultiDeviceLaunch, COOPERATIVE_MULTI_DEVICE_LAUNCH),
    FIELD(sharedMemPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
    FIELD(pageableMemoryAccessUsesHostPageTables, PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES),
    FIELD(directManagedMemAccessFromHost, DIRECT_MANAGED_MEM_ACCESS_FROM_HOST),
    FIELD(maxBlocksPerMultiProcessor, MAX_BLOCKS_PER_MULTIPROCESSOR),
    FIELD(accessPolicyMaxWindowSize, MAX_ACCESS_POLICY_WINDOW_SIZE),
    FIELD(reservedSharedMemPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK),
    FIELD(hostRegisterSupported, HOST_REGISTER_SUPPORTED),
    FIELD(sparseCudaArraySupported, SPARSE_CUDA_ARRAY_SUPPORTED),
    FIELD(hostRegisterReadOnlySupported, READ_ONLY_HOST_REGISTER_SUPPORTED),
    FIELD(timelineSemaphoreInteropSupported, TIMELINE_SEMAPHORE_INTEROP_SUPPORTED),
    FIELD(memoryPoolsSupported, MEMORY_POOLS_SUPPORTED),
    FIELD(gpuDirectRDMASupported, GPU_DIRECT_RDMA_SUPPORTED),
    FIELD(gpuDirectRDMAFlushWritesOptions, GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS),
    FIELD(gpuDirectRDMAWritesOrdering, GPU_DIRECT_RDMA_WRITES_ORDERING),
    FIELD(memoryPoolSupportedHandleTypes, MEMPOOL_SUPPORTED_HANDLE_TYPES),
    FIELD(deferredMappingCudaArraySupported, DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED),
    FIELD(ipcEventSupported, IPC_EVENT_SUPPORTED),
    FIELD(clusterLaunch, CLUSTER_LAUNCH),
    FIELD(unifiedFunctionPointers, UNIFIED_FUNCTION_POINTERS),
};

// An attribute that the driver does not know is left 0.
static void fill_fields(struct cudaDeviceProp *prop, CUdevice device) {
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        int value = 0;
        if (rt_driver[0].cuDeviceGetAttribute(&value, fields[i].attribute, device) != CUDA_SUCCESS)
            value = 0;
        char *field = (char *)prop + fields[i].offset;
        if (fields[i].wide)
            *(size_t *)field = (size_t)(unsigned int)value;
        else
            *(int *)field = value;
    }
}

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device) {
    RT_REQUIRE(prop, cudaErrorInvalidValue, "prop must not be NULL");
    RT_TRY(rt_check_device(__func__, device));
    memset(prop, 0, sizeof *prop);
    RT_TRY(rt_result(RT_CALL(cuDeviceGetName, prop->name, sizeof prop->name, device)));
    RT_TRY(rt_result(RT_CALL(cuDeviceTotalMem, &prop->totalGlobalMem, device)));
    RT_TRY(rt_result(RT_CALL(cuDeviceGetUuid, (CUuuid *)&prop->uuid, device)));
    fill_fields(prop, device);
    return cudaSuccess;
}

// For what was compiled with headers before version 12, whose structure ends here.
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
    struct cudaDeviceProp whole;
    RT_REQUIRE(prop, cudaErrorInvalidValue, "prop must not be NULL");
    RT_TRY(cudaGetDeviceProperties_v2(&whole, device));
    memcpy(prop, &whole, offsetof(struct cudaDeviceProp, hostRegisterSupported));
    return cudaSuccess;
}

// How many of the wishes `have` fulfils; a field that is 0 is no wish.
static int score(const struct cudaDeviceProp *wish, const struct cudaDeviceProp *have) {
    int n = 0;
    if (wish->major &&
        (have->major > wish->major || (have->major == wish->major && have->minor >= wish->minor)))
        n += 8;
    n += wish->totalGlobalMem && have->totalGlobalMem >= wish->totalGlobalMem;
    n += wish->multiProcessorCount && have->multiProcessorCount >= wish->multiProcessorCount;
    n += wish->maxThreadsPerBlock && have->maxThreadsPerBlock >= wish->maxThreadsPerBlock;
    n += wish->sharedMemPerBlock && have->sharedMemPerBlock >= wish->sharedMemPerBlock;
    n += wish->integrated && have->integrated;
    n += wish->canMapHostMemory && have->canMapHostMemory;
    return n;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
    RT_REQUIRE(device && prop, cudaErrorInvalidValue, "device and prop must not be NULL");
    RT_INIT();
    int best = -1;
    for (int i = 0; i < rt_device_count(); i++) {
        struct cudaDeviceProp have;
        RT_TRY(cudaGetDeviceProperties_v2(&have, i));
        if (score(prop, &have) > best) {
            best = score(prop, &have);
            *device = i;
        }
    }
    return cudaSuccess;
}
