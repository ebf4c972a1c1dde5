// Launch configurations between <<<>>> and the kernel's host stub: the forms that compilers have
// used since version 9.2 (push, pop) and before (configure, set up arguments, launch).
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime.h"

// Kernel parameters are at most 32,764 bytes (guide 10.1.1).
enum { MAX_DEPTH = 64, MAX_ARGUMENT_BYTES = 32764 };

struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};

// An argument of a launch may itself launch, so configurations nest.
static _Thread_local struct configuration stack[MAX_DEPTH];
static _Thread_local int depth;

unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                         struct CUstream_st *stream) {
    if (depth == MAX_DEPTH) {
        rt_fail("<<<>>>", cudaErrorMissingConfiguration, "more than %d launches are nested",
                MAX_DEPTH);
        return 1;
    }
    stack[depth++] = (struct configuration){gridDim, blockDim, sharedMem, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                       void *stream) {
    RT_REQUIRE(depth > 0, cudaErrorMissingConfiguration,
               "a kernel's host stub was called without <<<>>>");
    const struct configuration *top = &stack[--depth];
    *gridDim = top->grid;
    *blockDim = top->block;
    *sharedMem = top->shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

static _Thread_local struct {
    char *bytes;
    size_t size;
} arguments;

cudaError_t cudaConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, cudaStream_t stream) {
    arguments.size = 0;
    return __cudaPushCallConfiguration(gridDim, blockDim, sharedMem, stream) ? rt_thread.last_error
                                                                             : cudaSuccess;
}

cudaError_t cudaSetupArgument(const void *arg, size_t size, size_t offset) {
    RT_REQUIRE(arg || size == 0, cudaErrorInvalidValue, "arg must not be NULL");
    RT_REQUIRE(offset <= MAX_ARGUMENT_BYTES && size <= MAX_ARGUMENT_BYTES - offset,
               cudaErrorInvalidValue, "arguments of more than %d bytes", MAX_ARGUMENT_BYTES);
    if (!arguments.bytes)
        arguments.bytes = calloc(1, MAX_ARGUMENT_BYTES);
    RT_REQUIRE(arguments.bytes, cudaErrorMemoryAllocation, "no memory for the arguments");
    memcpy(arguments.bytes + offset, arg, size);
    if (offset + size > arguments.size)
        arguments.size = offset + size;
    return cudaSuccess;
}

static cudaError_t launch(const char *function, const void *func, struct configuration c) {
    CUfunction kernel;
    RT_ENTER();
    RT_TRY(rt_function(function, func, &kernel));
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, arguments.bytes, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &arguments.size, CU_LAUNCH_PARAM_END};
    CUresult result =
        RT_CALL(cuLaunchKernel, kernel, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y,
                c.block.z, (unsigned int)c.shared, c.stream, NULL, arguments.size ? extra : NULL);
    free(arguments.bytes);
    arguments.bytes = NULL;
    arguments.size = 0;
    // What the driver calls an invalid value is, of a launch without attributes, its shape.
    if (result == CUDA_ERROR_INVALID_VALUE)
        return rt_fail(function, cudaErrorInvalidConfiguration, "the launch's shape is impossible");
    return rt_result(result);
}

cudaError_t cudaLaunch(const void *func) {
    struct configuration c;
    RT_TRY(__cudaPopCallConfiguration(&c.grid, &c.block, &c.shared, &c.stream));
    return rt_launched(launch(__func__, func, c), func, c.grid, c.block);
}
