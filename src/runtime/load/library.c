// Images that the program loads itself.
#include <stdlib.h>

#include "runtime/runtime.h"

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions,
                                void **libraryOptionValues, unsigned int numLibraryOptions) {
    RT_REQUIRE(library && code, cudaErrorInvalidValue, "library and code must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuLibraryLoadData, library, code, (CUjit_option *)jitOptions,
                             jitOptionsValues, numJitOptions, (CUlibraryOption *)libraryOptions,
                             libraryOptionValues, numLibraryOptions));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                    enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                    unsigned int numJitOptions,
                                    enum cudaLibraryOption *libraryOptions,
                                    void **libraryOptionValues, unsigned int numLibraryOptions) {
    RT_REQUIRE(library && fileName, cudaErrorInvalidValue, "library and fileName must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuLibraryLoadFromFile, library, fileName, (CUjit_option *)jitOptions,
                             jitOptionsValues, numJitOptions, (CUlibraryOption *)libraryOptions,
                             libraryOptionValues, numLibraryOptions));
}

// Launches must not take the handles of the library's kernels any more.
static cudaError_t forget_kernels_of(cudaLibrary_t library) {
    unsigned int count = 0;
    RT_TRY(rt_result(RT_CALL(cuLibraryGetKernelCount, &count, library)));
    CUkernel *kernels = calloc(count ? count : 1, sizeof *kernels);
    if (!kernels)
        return rt_fail("cudaLibraryUnload", cudaErrorMemoryAllocation, "no memory for %u handles",
                       count);
    CUresult result =
        count ? RT_CALL(cuLibraryEnumerateKernels, kernels, count, library) : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        rt_forget_kernels(kernels, count);
    free(kernels);
    return rt_result(result);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    RT_REQUIRE(library, cudaErrorInvalidResourceHandle, "library must not be NULL");
    RT_ENTER();
    RT_TRY(forget_kernels_of(library));
    return rt_result(RT_CALL(cuLibraryUnload, library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name) {
    RT_REQUIRE(pKernel && name, cudaErrorInvalidValue, "pKernel and name must not be NULL");
    RT_REQUIRE(library, cudaErrorInvalidResourceHandle, "library must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuLibraryGetKernel, pKernel, library, name)));
    return rt_remember_kernel(__func__, *pKernel);
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib) {
    RT_REQUIRE(count, cudaErrorInvalidValue, "count must not be NULL");
    RT_REQUIRE(lib, cudaErrorInvalidResourceHandle, "lib must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuLibraryGetKernelCount, count, lib));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels,
                                        cudaLibrary_t lib) {
    unsigned int count = 0;
    RT_REQUIRE(kernels, cudaErrorInvalidValue, "kernels must not be NULL");
    RT_REQUIRE(lib, cudaErrorInvalidResourceHandle, "lib must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuLibraryGetKernelCount, &count, lib)));
    RT_TRY(rt_result(RT_CALL(cuLibraryEnumerateKernels, kernels, numKernels, lib)));
    for (unsigned int i = 0; i < numKernels && i < count; i++)
        RT_TRY(rt_remember_kernel(__func__, kernels[i]));
    return cudaSuccess;
}

// A variable's address and size; either may be NULL.
static cudaError_t store(CUdeviceptr address, size_t size, void **dptr, size_t *bytes) {
    if (dptr)
        *dptr = (void *)(uintptr_t)address;
    if (bytes)
        *bytes = size;
    return cudaSuccess;
}

cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library,
                                 const char *name) {
    CUdeviceptr address;
    size_t size;
    RT_REQUIRE(library, cudaErrorInvalidResourceHandle, "library must not be NULL");
    RT_REQUIRE(name && (dptr || bytes), cudaErrorInvalidValue, "name must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuLibraryGetGlobal, &address, &size, library, name)));
    return store(address, size, dptr, bytes);
}

cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library,
                                  const char *name) {
    CUdeviceptr address;
    size_t size;
    RT_REQUIRE(library, cudaErrorInvalidResourceHandle, "library must not be NULL");
    RT_REQUIRE(name && (dptr || bytes), cudaErrorInvalidValue, "name must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuLibraryGetManaged, &address, &size, library, name)));
    return store(address, size, dptr, bytes);
}

cudaError_t cudaLibraryGetUnifiedFunction(void **fptr, cudaLibrary_t library, const char *symbol) {
    RT_REQUIRE(fptr && symbol, cudaErrorInvalidValue, "fptr and symbol must not be NULL");
    RT_REQUIRE(library, cudaErrorInvalidResourceHandle, "library must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuLibraryGetUnifiedFunction, fptr, library, symbol));
}
