// What the compiler's host code calls to hand over device images, kernels, variables and launch
// configurations. Not for users. Names and signatures are those that clang emits for CUDA.
#ifndef KUDZU_REGISTRATION_H
#define KUDZU_REGISTRATION_H

#ifndef __BUILTIN_TYPES_H__
#include "../builtin_types.h"
#endif

#ifdef __cplusplus
#define KUDZU_DEFAULT(x) = x
extern "C" {
#else
#define KUDZU_DEFAULT(x)
#endif

struct textureReference;
struct surfaceReference;

// A device image in host code, passed to the driver as it is. In a file compiled with -rdc, `data`
// is not loadable alone: the linked image is registered with a wrapper of its own.
struct __cudaFatBinaryWrapper {
    int magic;   // KUDZU_FATBIN_WRAPPER_MAGIC
    int version; // 1, or 2: `linked` is an array of images that were linked
    const void *data;
    void *linked;
};
enum { KUDZU_FATBIN_WRAPPER_MAGIC = 0x466243b1 };

// Called before main, in constructors: nothing is loaded. The handle is the image's; it is NULL
// where memory ran out, and the other functions accept that.
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);

// `hostFun`, the address of the host stub, stands for the kernel `deviceName`. The bounds are -1
// and NULL where none are given.
int __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun,
                           const char *deviceName, int thread_limit, uint3 *tid, uint3 *bid,
                           dim3 *bDim, dim3 *gDim, int *wSize);
// `hostVar`, the address of the host's shadow, stands for the variable `deviceName`.
void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName,
                       int ext, size_t size, int constant, int global);
// *hostVarPtrAddress becomes the variable's address, before main's first use of a kernel.
void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global);
void __cudaRegisterTexture(void **handle, const struct textureReference *hostVar,
                           const void **deviceAddress, const char *deviceName, int dim, int norm,
                           int ext);
void __cudaRegisterSurface(void **handle, const struct surfaceReference *hostVar,
                           const void **deviceAddress, const char *deviceName, int dim, int ext);

// <<<>>>: the configuration waits, per thread, for the kernel's host stub to take it.
unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim,
                                         size_t sharedMem KUDZU_DEFAULT(0),
                                         struct CUstream_st *stream KUDZU_DEFAULT(0));
cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                       void *stream);

// Host stubs that compilers of version 13 make ask once for what stands for a kernel, and launch that.
cudaError_t __cudaGetKernel(struct CUkern_st **kernel, const void *hostFun);
cudaError_t __cudaLaunchKernel(struct CUkern_st *kernel, dim3 gridDim, dim3 blockDim, void **args,
                               size_t sharedMem, struct CUstream_st *stream);
cudaError_t __cudaLaunchKernel_ptsz(struct CUkern_st *kernel, dim3 gridDim, dim3 blockDim,
                                    void **args, size_t sharedMem, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#undef KUDZU_DEFAULT

#endif
