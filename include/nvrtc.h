// Run-time compilation of CUDA C++: source text in memory becomes PTX, which cuModuleLoadData
// takes. libnvrtc.so.12; docs/nvrtc.md lists the options and what is different from NVIDIA's
// library.
#ifndef __NVRTC_H__
#define __NVRTC_H__

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    NVRTC_ERROR_INTERNAL_ERROR = 11,
    NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
    NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
    NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
    NVRTC_ERROR_PCH_CREATE = 15,
    NVRTC_ERROR_CANCELLED = 16,
    NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

// The name of a result, "NVRTC_SUCCESS"; of any other number "NVRTC_ERROR unknown".
const char *nvrtcGetErrorString(nvrtcResult result);

// The version of CUDA whose interface and options the library follows.
nvrtcResult nvrtcVersion(int *major, int *minor);
// The architectures that -arch takes, as numbers such as 90, ascending. The caller's array has
// room for as many as nvrtcGetNumSupportedArchs says.
nvrtcResult nvrtcGetNumSupportedArchs(int *numArchs);
nvrtcResult nvrtcGetSupportedArchs(int *supportedArchs);

// `name` NULL or "": "default_program". headers[i] is the text that #include finds under
// includeNames[i]. All text is copied.
nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name,
                               int numHeaders, const char *const *headers,
                               const char *const *includeNames);
// Sets *prog to NULL. Names and texts got from the program are gone with it.
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog);
// NVRTC_ERROR_COMPILATION and NVRTC_ERROR_INVALID_OPTION: the program log tells why.
nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options);

// Sizes are in bytes and count the NUL behind text. The cubin's size is 0 unless -arch named a real
// architecture (sm_90). With -dlto there is LTO-IR alone, for nvJitLink. OptiX code is never made:
// 0, and NVRTC_ERROR_INVALID_PROGRAM.
nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet);
nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *LTOIRSizeRet);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram prog, char *LTOIR);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram prog, size_t *optixirSizeRet);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram prog, char *optixir);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log);

// Before compiling: `name_expression` names a kernel ("f<int>") or a __device__ or __constant__
// variable ("&ns::v"); templates are instantiated. After compiling: its name in the PTX, which
// stays valid until the program is destroyed.
nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *const name_expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *const name_expression,
                                const char **lowered_name);

// Precompiled headers: the options are accepted, and nothing is precompiled for a program.
nvrtcResult nvrtcGetPCHHeapSize(size_t *ret);
nvrtcResult nvrtcSetPCHHeapSize(size_t size);
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram prog);
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram prog, size_t *size);

// While the program is compiled the callback is called now and then; when it returns 1 compilation
// ends with NVRTC_ERROR_CANCELLED.
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram prog, int (*callback)(void *payload, void *reserved),
                                 void *payload);

#ifdef __cplusplus
}
#endif

#endif
