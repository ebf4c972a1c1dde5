// PTX to an image at run time, without a driver: what ptxas does, as a library
// (libnvptxcompiler_static.a). The image is one that cuModuleLoadData takes.
#ifndef nvPTXCompiler_INCLUDED__
#define nvPTXCompiler_INCLUDED__

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nvPTXCompiler *nvPTXCompilerHandle;

typedef enum {
    NVPTXCOMPILE_SUCCESS = 0,
    NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE = 1,
    NVPTXCOMPILE_ERROR_INVALID_INPUT = 2,
    NVPTXCOMPILE_ERROR_COMPILATION_FAILURE = 3,
    NVPTXCOMPILE_ERROR_INTERNAL = 4,
    NVPTXCOMPILE_ERROR_OUT_OF_MEMORY = 5,
    NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE = 6,
    NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION = 7,
    NVPTXCOMPILE_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 8,
    NVPTXCOMPILE_ERROR_CANCELLED = 9
} nvPTXCompileResult;

// The version of CUDA whose interface and options the library follows.
nvPTXCompileResult nvPTXCompilerGetVersion(unsigned int *major, unsigned int *minor);
// The text is copied; it may end with a NUL.
nvPTXCompileResult nvPTXCompilerCreate(nvPTXCompilerHandle *compiler, size_t ptxCodeLen,
                                       const char *ptxCode);
// Sets *compiler to NULL.
nvPTXCompileResult nvPTXCompilerDestroy(nvPTXCompilerHandle *compiler);
// Options are ptxas's; "--gpu-name=sm_90" or the like has to be among them. After an error the
// error log tells why.
nvPTXCompileResult nvPTXCompilerCompile(nvPTXCompilerHandle compiler, int numCompileOptions,
                                        const char *const *compileOptions);
// Sizes are in bytes. NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE before the program is
// compiled. A log's size counts the NUL behind it, and is 0 where there is none.
nvPTXCompileResult nvPTXCompilerGetCompiledProgramSize(nvPTXCompilerHandle compiler,
                                                       size_t *binaryImageSize);
nvPTXCompileResult nvPTXCompilerGetCompiledProgram(nvPTXCompilerHandle compiler, void *binaryImage);
nvPTXCompileResult nvPTXCompilerGetErrorLogSize(nvPTXCompilerHandle compiler, size_t *errorLogSize);
nvPTXCompileResult nvPTXCompilerGetErrorLog(nvPTXCompilerHandle compiler, char *errorLog);
nvPTXCompileResult nvPTXCompilerGetInfoLogSize(nvPTXCompilerHandle compiler, size_t *infoLogSize);
nvPTXCompileResult nvPTXCompilerGetInfoLog(nvPTXCompilerHandle compiler, char *infoLog);

#ifdef __cplusplus
}
#endif

#endif
