// Containers of images for several architectures, made at run time: what fatbinary does, as a
// library (libnvfatbin.so.12 and .13; NVIDIA's nvFatbin user guide). cuModuleLoadData takes them.
#ifndef nvFatbin_INCLUDED
#define nvFatbin_INCLUDED

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    NVFATBIN_SUCCESS = 0,
    NVFATBIN_ERROR_INTERNAL,
    NVFATBIN_ERROR_ELF_ARCH_MISMATCH,
    NVFATBIN_ERROR_ELF_SIZE_MISMATCH,
    NVFATBIN_ERROR_MISSING_PTX_VERSION,
    NVFATBIN_ERROR_NULL_POINTER,
    NVFATBIN_ERROR_COMPRESSION_FAILED,
    NVFATBIN_ERROR_COMPRESSED_SIZE_EXCEEDED,
    NVFATBIN_ERROR_UNRECOGNIZED_OPTION,
    NVFATBIN_ERROR_INVALID_ARCH,
    NVFATBIN_ERROR_INVALID_NVVM,
    NVFATBIN_ERROR_EMPTY_INPUT,
    NVFATBIN_ERROR_MISSING_PTX_ARCH,
    NVFATBIN_ERROR_PTX_ARCH_MISMATCH,
    NVFATBIN_ERROR_MISSING_FATBIN,
    NVFATBIN_ERROR_INVALID_INDEX,
    NVFATBIN_ERROR_IDENTIFIER_REUSE,
    NVFATBIN_ERROR_INTERNAL_PTX_OPTION
} nvFatbinResult;

typedef struct _nvFatbinHandle *nvFatbinHandle;

// In words; NULL for NVFATBIN_SUCCESS.
const char *nvFatbinGetErrorString(nvFatbinResult result);
// The version of CUDA whose interface the library follows.
nvFatbinResult nvFatbinVersion(unsigned int *major, unsigned int *minor);

// Options: -32, -64, -c, -g, -cuda, -opencl, -compress=true|false, -compress-all, -compress-mode=
// default|size|speed|balance|none, -host=linux|windows|mac. Nothing is compressed.
nvFatbinResult nvFatbinCreate(nvFatbinHandle *handle_indirect, const char **options,
                              size_t optionsCount);
// Sets the handle to NULL.
nvFatbinResult nvFatbinDestroy(nvFatbinHandle *handle_indirect);

// Adds an image; the bytes are copied. arch: the XX of sm_XX. identifier: the name that cuobjdump
// shows. optionsCmdLine is for compilation by the driver, of which it has no options on a CPU; it
// may be NULL. PTX may end with NUL or not.
nvFatbinResult nvFatbinAddPTX(nvFatbinHandle handle, const char *code, size_t size,
                              const char *arch, const char *identifier, const char *optionsCmdLine);
nvFatbinResult nvFatbinAddCubin(nvFatbinHandle handle, const void *code, size_t size,
                                const char *arch, const char *identifier);
// LTO-IR of kudzu's NVRTC and libNVVM, compiled to PTX here. Options: -O0, -O3, -g, -lineinfo,
// -ftz=, -prec-div=, -prec-sqrt=, -fma= with 0 or 1. NVFATBIN_ERROR_INVALID_NVVM: it is another's.
nvFatbinResult nvFatbinAddLTOIR(nvFatbinHandle handle, const void *code, size_t size,
                                const char *arch, const char *identifier,
                                const char *optionsCmdLine);
// The PTX of a host object; each identifier once for an architecture. `kudzu cc -c` writes PTX, -dc
// bitcode for the link, which is none: NVFATBIN_ERROR_MISSING_FATBIN.
nvFatbinResult nvFatbinAddReloc(nvFatbinHandle handle, const void *code, size_t size);
// NVFATBIN_ERROR_INVALID_INDEX: there is no tool that makes index files.
nvFatbinResult nvFatbinAddIndex(nvFatbinHandle handle, const void *code, size_t size,
                                const char *identifier);
// NVFATBIN_ERROR_INTERNAL: Tile IR is not known.
nvFatbinResult nvFatbinAddTileIR(nvFatbinHandle handle, const void *code, size_t size,
                                 const char *identifier, const char *optionsCmdLine);

// The container's size in bytes; it is built by this call, and Get copies it.
nvFatbinResult nvFatbinSize(nvFatbinHandle handle, size_t *size);
// NVFATBIN_ERROR_INTERNAL where nvFatbinSize has not been called since something was added.
nvFatbinResult nvFatbinGet(nvFatbinHandle handle, void *buffer);

#ifdef __cplusplus
}
#endif

#endif
