// Properties and the choice of a device in the structure of version 13.
#include <string.h>

#include "runtime/runtime.h"

_Static_assert(sizeof(struct cudaDeviceProp_v13) == 1008, "layout of version 13");
_Static_assert(offsetof(struct cudaDeviceProp_v13, clusterLaunch) == 748, "layout of version 13");

#define COPY(field) memcpy(&to->field, &from->field, sizeof to->field)
static void to_v13(struct cudaDeviceProp_v13 *to, const struct cudaDeviceProp *from) {
    memset(to, 0, sizeof *to);
    COPY(name);
    COPY(uuid);
    COPY(luid);
    COPY(luidDeviceNodeMask);
    COPY(totalGlobalMem);
    COPY(sharedMemPerBlock);
    COPY(regsPerBlock);
    COPY(warpSize);
    COPY(memPitch);
    COPY(maxThreadsPerBlock);
    COPY(maxThreadsDim);
    COPY(maxGridSize);
    COPY(totalConstMem);
    COPY(major);
    COPY(minor);
    COPY(textureAlignment);
    COPY(texturePitchAlignment);
    COPY(multiProcessorCount);
    COPY(integrated);
    COPY(canMapHostMemory);
    COPY(maxTexture1D);
    COPY(maxTexture1DMipmap);
    COPY(maxTexture2D);
    COPY(maxTexture2DMipmap);
    COPY(maxTexture2DLinear);
    COPY(maxTexture2DGather);
    COPY(maxTexture3D);
    COPY(maxTexture3DAlt);
    COPY(maxTextureCubemap);
    COPY(maxTexture1DLayered);
    COPY(maxTexture2DLayered);
    COPY(maxTextureCubemapLayered);
    COPY(maxSurface1D);
    COPY(maxSurface2D);
    COPY(maxSurface3D);
    COPY(maxSurface1DLayered);
    COPY(maxSurface2DLayered);
    COPY(maxSurfaceCubemap);
    COPY(maxSurfaceCubemapLayered);
    COPY(surfaceAlignment);
    COPY(concurrentKernels);
    COPY(ECCEnabled);
    COPY(pciBusID);
    COPY(pciDeviceID);
    COPY(pciDomainID);
    COPY(tccDriver);
    COPY(asyncEngineCount);
    COPY(unifiedAddressing);
    COPY(memoryBusWidth);
    COPY(l2CacheSize);
    COPY(persistingL2CacheMaxSize);
    COPY(maxThreadsPerMultiProcessor);
    COPY(streamPrioritiesSupported);
    COPY(globalL1CacheSupported);
    COPY(localL1CacheSupported);
    COPY(sharedMemPerMultiprocessor);
    COPY(regsPerMultiprocessor);
    COPY(managedMemory);
    COPY(isMultiGpuBoard);
    COPY(multiGpuBoardGroupID);
    COPY(hostNativeAtomicSupported);
    COPY(pageableMemoryAccess);
    COPY(concurrentManagedAccess);
    COPY(computePreemptionSupported);
    COPY(canUseHostPointerForRegisteredMem);
    COPY(cooperativeLaunch);
    COPY(sharedMemPerBlockOptin);
    COPY(pageableMemoryAccessUsesHostPageTables);
    COPY(directManagedMemAccessFromHost);
    COPY(maxBlocksPerMultiProcessor);
    COPY(accessPolicyMaxWindowSize);
    COPY(reservedSharedMemPerBlock);
    COPY(hostRegisterSupported);
    COPY(sparseCudaArraySupported);
    COPY(hostRegisterReadOnlySupported);
    COPY(timelineSemaphoreInteropSupported);
    COPY(memoryPoolsSupported);
    COPY(gpuDirectRDMASupported);
    COPY(gpuDirectRDMAFlushWritesOptions);
    COPY(gpuDirectRDMAWritesOrdering);
    COPY(memoryPoolSupportedHandleTypes);
    COPY(deferredMappingCudaArraySupported);
    COPY(ipcEventSupported);
    COPY(clusterLaunch);
    COPY(unifiedFunctionPointers);
}

static void from_v13(struct cudaDeviceProp *to, const struct cudaDeviceProp_v13 *from) {
    memset(to, 0, sizeof *to);
    COPY(major);
    COPY(minor);
    COPY(totalGlobalMem);
    COPY(multiProcessorCount);
    COPY(maxThreadsPerBlock);
    COPY(sharedMemPerBlock);
    COPY(integrated);
    COPY(canMapHostMemory);
}
#undef COPY

// An attribute that the driver does not know is 0.
static int attribute(CUdevice_attribute a, int device) {
    int value = 0;
    return rt_driver[0].cuDeviceGetAttribute(&value, a, device) == CUDA_SUCCESS ? value : 0;
}

cudaError_t cudaGetDeviceProperties_v3(struct cudaDeviceProp_v13 *prop, int device) {
    struct cudaDeviceProp whole;
    RT_REQUIRE(prop, cudaErrorInvalidValue, "prop must not be NULL");
    RT_TRY(cudaGetDeviceProperties_v2(&whole, device));
    to_v13(prop, &whole);
    prop->deviceNumaConfig = attribute(CU_DEVICE_ATTRIBUTE_NUMA_CONFIG, device);
    prop->deviceNumaId = attribute(CU_DEVICE_ATTRIBUTE_NUMA_ID, device);
    prop->mpsEnabled = attribute(CU_DEVICE_ATTRIBUTE_MPS_ENABLED, device);
    prop->hostNumaId = attribute(CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, device);
    prop->gpuPciDeviceID = (unsigned)attribute(CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID, device);
    prop->gpuPciSubsystemID = (unsigned)attribute(CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID, device);
    prop->hostNumaMultinodeIpcSupported =
        attribute(CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED, device);
    return cudaSuccess;
}

cudaError_t cudaChooseDevice_v2(int *device, const struct cudaDeviceProp_v13 *prop) {
    struct cudaDeviceProp wish;
    RT_REQUIRE(device && prop, cudaErrorInvalidValue, "device and prop must not be NULL");
    from_v13(&wish, prop);
    return cudaChooseDevice(device, &wish);
}
