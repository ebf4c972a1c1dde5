// Execution-space, memory-space and function specifiers of CUDA C++ (guide 10.1 to 10.5, 10.38,
// 10.39). Where the file is compiled as plain C or C++ they mean nothing, so that headers with
// __host__ and __device__ functions can be shared with other compilers.
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#if defined(__CUDA__)
#define KUDZU_CUDA_ATTRIBUTE(x) __attribute__((x))
#else
#define KUDZU_CUDA_ATTRIBUTE(x)
#endif

#ifndef __host__
#define __host__ KUDZU_CUDA_ATTRIBUTE(host)
#endif
#ifndef __device__
#define __device__ KUDZU_CUDA_ATTRIBUTE(device)
#endif
#ifndef __global__
#define __global__ KUDZU_CUDA_ATTRIBUTE(global)
#endif
#ifndef __shared__
#define __shared__ KUDZU_CUDA_ATTRIBUTE(shared)
#endif
#ifndef __constant__
#define __constant__ KUDZU_CUDA_ATTRIBUTE(constant)
#endif

// Quad precision (guide 18.5.1). clang has the other name alone, and glibc's headers leave this one
// to the compiler where they are read for CUDA.
#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus) && defined(__SIZEOF_FLOAT128__)
typedef __float128 _Float128;
#endif

// Code for sm_90a alone (guide 6.1.2; 13.x: 5.4.7.2).
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && !defined(__CUDA_ARCH_SPECIFIC__)
#define __CUDA_ARCH_SPECIFIC__ __CUDA_ARCH__
#define __CUDA_ARCH_FAMILY_SPECIFIC__ __CUDA_ARCH__
#endif

// What clang has no attribute for travels as an annotation to the compiler driver's device pass.
#ifndef __managed__
#if defined(__CUDA__)
// A section, for it marks declarations too; the pass takes it away again. Constant and other
// variables may share a section that was declared before in the other spelling.
static __attribute__((section("kudzu.managed"), unused)) int __kudzu_managed_section;
#define __managed__ __attribute__((device)) __declspec(allocate("kudzu.managed"))
#else
#define __managed__
#endif
#endif
#ifndef __grid_constant__
#define __grid_constant__ KUDZU_CUDA_ATTRIBUTE(annotate("kudzu.grid_constant"))
#endif
#ifndef __cluster_dims__
#if defined(__CUDA__)
#define __cluster_dims__(...) __attribute__((annotate("kudzu.cluster_dims", ##__VA_ARGS__)))
#else
#define __cluster_dims__(...)
#endif
#endif
#ifndef __maxnreg__
#define __maxnreg__(n) KUDZU_CUDA_ATTRIBUTE(annotate("kudzu.maxnreg", n))
#endif
#ifndef __launch_bounds__
#if defined(__CUDA__)
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __launch_bounds__(...)
#endif
#endif
// Which closures stand for extended lambdas (guide 18.7.1): none, unless the program has such lambdas
// and is compiled with -extended-lambda (kudzu/extended_lambdas.h).
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#ifndef __nv_pure__
#define __nv_pure__ __attribute__((pure))
#endif

#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __inline_hint__
#define __thread__ __thread
// clang has __noinline__ as a keyword in CUDA; elsewhere a macro of that name would break
// __attribute__((__noinline__)) in the system's headers.

#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDAAPI_CDECL
#define CUDART_CB
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __no_return__ __attribute__((noreturn))
#define __specialization_static static

#endif
