// Launches (guide 6.2.2, 10.37).
#include <limits.h>

#include "runtime/runtime.h"

_Static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute), "same layout");

// An impossible shape is an error of the configuration here; to the driver it is one value of many.
static cudaError_t check_shape(const char *function, dim3 grid, dim3 block, size_t shared) {
    const struct rt_limits *limits;
    RT_TRY(rt_launch_limits(&limits));
    const unsigned int g[] = {grid.x, grid.y, grid.z}, b[] = {block.x, block.y, block.z};
    for (int i = 0; i < 3; i++)
        if (g[i] == 0 || b[i] == 0 || g[i] > (unsigned)limits->grid[i] ||
            b[i] > (unsigned)limits->block[i])
            return rt_fail(function, cudaErrorInvalidConfiguration,
                           "a grid of %u x %u x %u blocks of %u x %u x %u threads is not possible: "
                           "dimension %c must be from 1 to %d blocks and from 1 to %d threads",
                           grid.x, grid.y, grid.z, block.x, block.y, block.z, "xyz"[i],
                           limits -> grid[i], limits -> block[i]);
    if ((uint64_t)block.x * block.y * block.z > (uint64_t)limits->max_threads)
        return rt_fail(function, cudaErrorInvalidConfiguration,
                       "a block of %u x %u x %u threads has more than %d", block.x, block.y,
                       block.z, limits->max_threads);
    if (shared > UINT_MAX)
        return rt_fail(function, cudaErrorInvalidValue, "%zu bytes of shared memory is too much",
                       shared);
    return cudaSuccess;
}

static cudaError_t try_launch(const char *function, const void *entry, dim3 grid, dim3 block,
                              void **args, size_t shared, cudaStream_t stream) {
    CUfunction kernel;
    RT_ENTER();
    RT_TRY(rt_function(function, entry, &kernel));
    RT_TRY(check_shape(function, grid, block, shared));
    return rt_result(RT_CALL(cuLaunchKernel, kernel, grid.x, grid.y, grid.z, block.x, block.y,
                             block.z, (unsigned int)shared, stream, args, NULL));
}

static cudaError_t launch(const char *function, const void *entry, dim3 grid, dim3 block,
                          void **args, size_t shared, cudaStream_t stream) {
    return rt_launched(try_launch(function, entry, grid, block, args, shared, stream), entry, grid,
                       block);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                             size_t sharedMem, cudaStream_t stream) {
    return launch("cudaLaunchKernel", func, gridDim, blockDim, args, sharedMem, stream);
}

cudaError_t cudaLaunchKernel_ptsz(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                  size_t sharedMem, cudaStream_t stream) {
    api_per_thread++;
    cudaError_t error =
        launch("cudaLaunchKernel", func, gridDim, blockDim, args, sharedMem, stream);
    api_per_thread--;
    return error;
}

// The stub's address stands for the kernel, as in other launches: initialisers ask before there is
// a context, and of images whose kernels are never launched.
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *hostFun) {
    RT_REQUIRE(kernel, cudaErrorInvalidValue, "kernel must not be NULL");
    *kernel = (cudaKernel_t)hostFun;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                               size_t sharedMem, cudaStream_t stream) {
    return cudaLaunchKernel(kernel, gridDim, blockDim, args, sharedMem, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                                    size_t sharedMem, cudaStream_t stream) {
    return cudaLaunchKernel_ptsz(kernel, gridDim, blockDim, args, sharedMem, stream);
}

static cudaError_t launch_cooperative(const char *function, const void *func, dim3 gridDim,
                                      dim3 blockDim, void **args, size_t sharedMem,
                                      cudaStream_t stream) {
    CUfunction kernel;
    RT_ENTER();
    RT_TRY(rt_function(function, func, &kernel));
    RT_TRY(check_shape(function, gridDim, blockDim, sharedMem));
    return rt_result(RT_CALL(cuLaunchCooperativeKernel, kernel, gridDim.x, gridDim.y, gridDim.z,
                             blockDim.x, blockDim.y, blockDim.z, (unsigned int)sharedMem, stream,
                             args));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                        size_t sharedMem, cudaStream_t stream) {
    return rt_launched(
        launch_cooperative(__func__, func, gridDim, blockDim, args, sharedMem, stream), func,
        gridDim, blockDim);
}

static cudaError_t launch_ex(const char *function, const cudaLaunchConfig_t *config,
                             const void *func, void **args) {
    CUfunction kernel;
    RT_ENTER();
    RT_TRY(rt_function(function, func, &kernel));
    RT_TRY(check_shape(function, config->gridDim, config->blockDim, config->dynamicSmemBytes));
    CUlaunchConfig driver_config = {
        .gridDimX = config->gridDim.x,
        .gridDimY = config->gridDim.y,
        .gridDimZ = config->gridDim.z,
        .blockDimX = config->blockDim.x,
        .blockDimY = config->blockDim.y,
        .blockDimZ = config->blockDim.z,
        .sharedMemBytes = (unsigned int)config->dynamicSmemBytes,
        .hStream = config->stream,
        .attrs = (CUlaunchAttribute *)config->attrs,
        .numAttrs = config->numAttrs,
    };
    return rt_result(RT_CALL(cuLaunchKernelEx, &driver_config, kernel, args, NULL));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
    RT_REQUIRE(config && (config->attrs || config->numAttrs == 0), cudaErrorInvalidValue,
               "config and its attributes must not be NULL");
    return rt_launched(launch_ex(__func__, config, func, args), func, config->gridDim,
                       config->blockDim);
}
