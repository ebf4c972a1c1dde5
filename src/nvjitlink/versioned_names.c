// Programs that were built against a release's header call each function by a name that has the
// release in it: __nvJitLinkCreate_12_4.
#include <nvJitLink.h>

#define PASTE(name, major, minor) __##name##_##major##_##minor
#define NAME(name, major, minor) PASTE(name, major, minor)
#define ALIAS(minor, result, name, parameters, arguments)                                          \
    result NAME(name, NVJITLINK_MAJOR, minor) parameters;                                          \
    result NAME(name, NVJITLINK_MAJOR, minor) parameters {                                         \
        return name arguments;                                                                     \
    }
#define RELEASE(minor)                                                                             \
    ALIAS(minor, nvJitLinkResult, nvJitLinkCreate,                                                 \
          (nvJitLinkHandle * handle, uint32_t n, const char **options), (handle, n, options))      \
    ALIAS(minor, nvJitLinkResult, nvJitLinkDestroy, (nvJitLinkHandle * handle), (handle))          \
    ALIAS(minor, nvJitLinkResult, nvJitLinkAddData,                                                \
          (nvJitLinkHandle handle, nvJitLinkInputType type, const void *data, size_t size,         \
           const char *name),                                                                      \
          (handle, type, data, size, name))                                                        \
    ALIAS(minor, nvJitLinkResult, nvJitLinkAddFile,                                                \
          (nvJitLinkHandle handle, nvJitLinkInputType type, const char *name),                     \
          (handle, type, name))                                                                    \
    ALIAS(minor, nvJitLinkResult, nvJitLinkComplete, (nvJitLinkHandle handle), (handle))           \
    ALIAS(minor, nvJitLinkResult, nvJitLinkGetLinkedCubinSize,                                     \
          (nvJitLinkHandle handle, size_t * size), (handle, size))                                 \
    ALIAS(minor, nvJitLinkResult, nvJitLinkGetLinkedCubin, (nvJitLinkHandle handle, void *cubin),  \
          (handle, cubin))                                                                         \
    ALIAS(minor, nvJitLinkResult, nvJitLinkGetLinkedPtxSize,                                       \
          (nvJitLinkHandle handle, size_t * size), (handle, size))                                 \
    ALIAS(minor, nvJitLinkResult, nvJitLinkGetLinkedPtx, (nvJitLinkHandle handle, char *ptx),      \
          (handle, ptx))                                                                           \
    ALIAS(minor, nvJitLinkResult, nvJitLinkGetLinkedLTOIRSize,                                     \
          (nvJitLinkHandle handle, size_t * size), (handle, size))                                 \
    ALIAS(minor, nvJitLinkResult, nvJitLinkGetLinkedLTOIR, (nvJitLinkHandle handle, void *ltoir),  \
          (handle, ltoir))                                                                         \
    ALIAS(minor, nvJitLinkResult, nvJitLinkGetErrorLogSize,                                        \
          (nvJitLinkHandle handle, size_t * size), (handle, size))                                 \
    ALIAS(minor, nvJitLinkResult, nvJitLinkGetErrorLog, (nvJitLinkHandle handle, char *log),       \
          (handle, log))                                                                           \
    ALIAS(minor, nvJitLinkResult, nvJitLinkGetInfoLogSize,                                         \
          (nvJitLinkHandle handle, size_t * size), (handle, size))                                 \
    ALIAS(minor, nvJitLinkResult, nvJitLinkGetInfoLog, (nvJitLinkHandle handle, char *log),        \
          (handle, log))

RELEASE(0)
RELEASE(1)
RELEASE(2)
RELEASE(3)
RELEASE(4)
RELEASE(5)
RELEASE(6)
RELEASE(7)
RELEASE(8)
RELEASE(9)
