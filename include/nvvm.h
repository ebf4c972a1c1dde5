// Compilation of NVVM IR, LLVM's text or bitcode for GPUs, to PTX. libnvvm.so.4; docs/nvvm.md lists
// the options, the dialects of IR that are read, and what is different from NVIDIA's library.
#ifndef NVVM_H
#define NVVM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    NVVM_SUCCESS = 0,
    NVVM_ERROR_OUT_OF_MEMORY = 1,
    NVVM_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVVM_ERROR_IR_VERSION_MISMATCH = 3,
    NVVM_ERROR_INVALID_INPUT = 4,
    NVVM_ERROR_INVALID_PROGRAM = 5,
    NVVM_ERROR_INVALID_IR = 6,
    NVVM_ERROR_INVALID_OPTION = 7,
    NVVM_ERROR_NO_MODULE_IN_PROGRAM = 8,
    NVVM_ERROR_COMPILATION = 9,
    NVVM_ERROR_CANCELLED = 10
} nvvmResult;

typedef struct _nvvmProgram *nvvmProgram;

// The name of a result, "NVVM_SUCCESS"; of any other number "NVVM_ERROR unknown".
const char *nvvmGetErrorString(nvvmResult result);
// The version of the interface that the library follows.
nvvmResult nvvmVersion(int *major, int *minor);
// The newest NVVM IR and debug metadata that !nvvmir.version may name.
nvvmResult nvvmIRVersion(int *majorIR, int *minorIR, int *majorDbg, int *minorDbg);
// The LLVM whose IR is read for an architecture ("compute_90").
nvvmResult nvvmLLVMVersion(const char *arch, int *major);

nvvmResult nvvmCreateProgram(nvvmProgram *prog);
// Sets *prog to NULL.
nvvmResult nvvmDestroyProgram(nvvmProgram *prog);
// `size` bytes of text or bitcode are copied. `name` (NULL: "<unnamed>") stands in messages.
nvvmResult nvvmAddModuleToProgram(nvvmProgram prog, const char *buffer, size_t size,
                                  const char *name);
// A library, such as libdevice.10.bc: of it the functions that are called stay, and nobody sees
// them from outside.
nvvmResult nvvmLazyAddModuleToProgram(nvvmProgram prog, const char *buffer, size_t size,
                                      const char *name);
// The log tells what is wrong with the modules, or with the options.
nvvmResult nvvmVerifyProgram(nvvmProgram prog, int numOptions, const char **options);
nvvmResult nvvmCompileProgram(nvvmProgram prog, int numOptions, const char **options);

// Sizes are in bytes and count the NUL behind text, which is empty without a successful compilation.
nvvmResult nvvmGetCompiledResultSize(nvvmProgram prog, size_t *bufferSizeRet);
nvvmResult nvvmGetCompiledResult(nvvmProgram prog, char *buffer);
nvvmResult nvvmGetProgramLogSize(nvvmProgram prog, size_t *bufferSizeRet);
nvvmResult nvvmGetProgramLog(nvvmProgram prog, char *buffer);

#ifdef __cplusplus
}
#endif

#endif
