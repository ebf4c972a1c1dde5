// Kernels: attributes, preferences, names, parameters, handles, occupancy (guide 8.2.3, 21).
#include <string.h>

#include "runtime/runtime.h"

static const struct {
    CUfunction_attribute attribute;
    size_t offset;
    bool wide, required;
} fields[] = {
#define FIELD(field, name, required)                                                               \
    {                                                                                              \
        CU_FUNC_ATTRIBUTE_##name, offsetof(struct cudaFuncAttributes, field),                      \
            sizeof(((struct cudaFuncAttributes *)0)->field) == sizeof(size_t), required            \
    }
    FIELD(sharedSizeBytes, SHARED_SIZE_BYTES, true),
    FIELD(constSizeBytes, CONST_SIZE_BYTES, true),
    FIELD(localSizeBytes, LOCAL_SIZE_BYTES, true),
    FIELD(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK, true),
    FIELD(numRegs, NUM_REGS, true),
    FIELD(ptxVersion, PTX_VERSION, true),
    FIELD(binaryVersion, BINARY_VERSION, true),
    FIELD(cacheModeCA, CACHE_MODE_CA, false),
    FIELD(maxDynamicSharedSizeBytes, MAX_DYNAMIC_SHARED_SIZE_BYTES, true),
    FIELD(preferredShmemCarveout, PREFERRED_SHARED_MEMORY_CARVEOUT, false),
    FIELD(clusterDimMustBeSet, CLUSTER_SIZE_MUST_BE_SET, false),
    FIELD(requiredClusterWidth, REQUIRED_CLUSTER_WIDTH, false),
    FIELD(requiredClusterHeight, REQUIRED_CLUSTER_HEIGHT, false),
    FIELD(requiredClusterDepth, REQUIRED_CLUSTER_DEPTH, false),
    FIELD(clusterSchedulingPolicyPreference, CLUSTER_SCHEDULING_POLICY_PREFERENCE, false),
    FIELD(nonPortableClusterSizeAllowed, NON_PORTABLE_CLUSTER_SIZE_ALLOWED, false),
#undef FIELD
};

// Also loads the kernel, as programs expect that must not load it later (guide 25.3.2).
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func) {
    CUkernel kernel;
    CUfunction function;
    RT_REQUIRE(attr, cudaErrorInvalidValue, "attr must not be NULL");
    RT_ENTER();
    RT_TRY(rt_kernel(__func__, func, &kernel));
    memset(attr, 0, sizeof *attr);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        int value = 0;
        CUresult result = RT_CALL(cuKernelGetAttribute, &value, fields[i].attribute, kernel,
                                  rt_thread.context_device);
        if (result != CUDA_SUCCESS && fields[i].required)
            return rt_result(result);
        char *field = (char *)attr + fields[i].offset;
        if (fields[i].wide)
            *(size_t *)field = (size_t)(unsigned int)value;
        else
            *(int *)field = value;
    }
    RT_TRY(rt_function(__func__, func, &function));
    if (RT_DRIVER->cuFuncLoad) // else it was loaded with its module
        return rt_result(RT_CALL(cuFuncLoad, function));
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value) {
    CUkernel kernel;
    RT_REQUIRE((int)attr >= cudaFuncAttributeMaxDynamicSharedMemorySize &&
                   (int)attr < cudaFuncAttributeMax,
               cudaErrorInvalidValue, "%d is no attribute that can be set", (int)attr);
    RT_ENTER();
    RT_TRY(rt_kernel(__func__, func, &kernel));
    // The attributes of the two interfaces have the same numbers.
    return rt_result(RT_CALL(cuKernelSetAttribute, (CUfunction_attribute)attr, value, kernel,
                             rt_thread.context_device));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                            int value, int device) {
    RT_REQUIRE(kernel, cudaErrorInvalidResourceHandle, "kernel must not be NULL");
    RT_TRY(rt_check_device(__func__, device));
    RT_ENTER();
    return rt_result(
        RT_CALL(cuKernelSetAttribute, (CUfunction_attribute)attr, value, kernel, device));
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig) {
    CUkernel kernel;
    RT_ENTER();
    RT_TRY(rt_kernel(__func__, func, &kernel));
    return rt_result(RT_CALL(cuKernelSetCacheConfig, kernel, (CUfunc_cache)cacheConfig,
                             rt_thread.context_device));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config) {
    CUfunction function;
    RT_ENTER();
    RT_TRY(rt_function(__func__, func, &function));
    return rt_result(RT_CALL(cuFuncSetSharedMemConfig, function, (CUsharedconfig)config));
}

cudaError_t cudaFuncGetName(const char **name, const void *func) {
    CUkernel kernel;
    RT_REQUIRE(name, cudaErrorInvalidValue, "name must not be NULL");
    RT_ENTER();
    RT_TRY(rt_kernel(__func__, func, &kernel));
    return rt_result(RT_CALL(cuKernelGetName, name, kernel));
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize) {
    CUkernel kernel;
    RT_REQUIRE(paramOffset, cudaErrorInvalidValue, "paramOffset must not be NULL");
    RT_ENTER();
    RT_TRY(rt_kernel(__func__, func, &kernel));
    return rt_result(RT_CALL(cuKernelGetParamInfo, kernel, paramIndex, paramOffset, paramSize));
}

cudaError_t cudaFuncGetParamCount(const void *func, size_t *paramCount) {
    CUfunction function;
    RT_REQUIRE(paramCount, cudaErrorInvalidValue, "paramCount must not be NULL");
    RT_ENTER();
    RT_TRY(rt_function(__func__, func, &function));
    return rt_result(RT_CALL(cuFuncGetParamCount, function, paramCount));
}

cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr) {
    RT_REQUIRE(kernelPtr, cudaErrorInvalidValue, "kernelPtr must not be NULL");
    RT_ENTER();
    RT_TRY(rt_kernel(__func__, entryFuncAddr, kernelPtr));
    return rt_remember_kernel(__func__, *kernelPtr);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr) {
    RT_REQUIRE(functionPtr, cudaErrorInvalidValue, "functionPtr must not be NULL");
    RT_ENTER();
    return rt_function(__func__, symbolPtr, functionPtr);
}

// ---- Occupancy --------------------------------------------------------------------------------

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int flags) {
    CUfunction kernel;
    RT_REQUIRE(numBlocks, cudaErrorInvalidValue, "numBlocks must not be NULL");
    RT_REQUIRE(blockSize > 0, cudaErrorInvalidValue, "blockSize must be positive");
    RT_ENTER();
    RT_TRY(rt_function(__func__, func, &kernel));
    return rt_result(RT_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, numBlocks,
                             kernel, blockSize, dynamicSMemSize, flags));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                          int blockSize, size_t dynamicSMemSize) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, func, blockSize, dynamicSMemSize, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func,
                                                      int numBlocks, int blockSize) {
    CUfunction kernel;
    RT_REQUIRE(dynamicSmemSize, cudaErrorInvalidValue, "dynamicSmemSize must not be NULL");
    RT_REQUIRE(numBlocks > 0 && blockSize > 0, cudaErrorInvalidValue,
               "numBlocks and blockSize must be positive");
    RT_ENTER();
    RT_TRY(rt_function(__func__, func, &kernel));
    return rt_result(RT_CALL(cuOccupancyAvailableDynamicSMemPerBlock, dynamicSmemSize, kernel,
                             numBlocks, blockSize));
}

static CUlaunchConfig driver_config(const cudaLaunchConfig_t *c) {
    return (CUlaunchConfig){
        .gridDimX = c->gridDim.x,
        .gridDimY = c->gridDim.y,
        .gridDimZ = c->gridDim.z,
        .blockDimX = c->blockDim.x,
        .blockDimY = c->blockDim.y,
        .blockDimZ = c->blockDim.z,
        .sharedMemBytes = (unsigned int)c->dynamicSmemBytes,
        .hStream = c->stream,
        .attrs = (CUlaunchAttribute *)c->attrs,
        .numAttrs = c->numAttrs,
    };
}

cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                           const cudaLaunchConfig_t *launchConfig) {
    CUfunction kernel;
    RT_REQUIRE(numClusters && launchConfig, cudaErrorInvalidValue,
               "numClusters and launchConfig must not be NULL");
    RT_ENTER();
    RT_TRY(rt_function(__func__, func, &kernel));
    CUlaunchConfig config = driver_config(launchConfig);
    return rt_result(RT_CALL(cuOccupancyMaxActiveClusters, numClusters, kernel, &config));
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                 const cudaLaunchConfig_t *launchConfig) {
    CUfunction kernel;
    RT_REQUIRE(clusterSize && launchConfig, cudaErrorInvalidValue,
               "clusterSize and launchConfig must not be NULL");
    RT_ENTER();
    RT_TRY(rt_function(__func__, func, &kernel));
    CUlaunchConfig config = driver_config(launchConfig);
    return rt_result(RT_CALL(cuOccupancyMaxPotentialClusterSize, clusterSize, kernel, &config));
}
