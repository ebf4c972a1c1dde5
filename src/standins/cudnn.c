// lib/stand-ins/libcudnn.so.9: handles of cuDNN, and nothing that computes. Programs that create a
// handle whatever they do with it (XLA, before it compiles anything) go on; the functions that
// compute are not there, which programs that look names up are told by the dynamic linker. The
// folder is in no search path by itself, so that nobody takes this for cuDNN (docs/clients/jax.md).
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

// cuDNN's API Reference, cudnnStatus_t.
enum status { SUCCESS = 0, BAD_PARAM = 2000, BAD_PARAM_NULL_POINTER = 2002, ALLOC_FAILED = 1003 };
enum { MAJOR = 9, MINOR = 10, PATCH = 2 };

struct handle {
    void *stream;
};

EXPORT enum status cudnnCreate(struct handle **handle);
EXPORT enum status cudnnDestroy(struct handle *handle);
EXPORT enum status cudnnSetStream(struct handle *handle, void *stream);
EXPORT enum status cudnnGetStream(struct handle *handle, void **stream);
EXPORT size_t cudnnGetVersion(void);
EXPORT size_t cudnnGetCudartVersion(void);
EXPORT enum status cudnnGetProperty(int type, int *value);
EXPORT const char *cudnnGetErrorString(enum status status);

enum status cudnnCreate(struct handle **handle) {
    if (!handle)
        return BAD_PARAM_NULL_POINTER;
    *handle = calloc(1, sizeof **handle);
    return *handle ? SUCCESS : ALLOC_FAILED;
}

enum status cudnnDestroy(struct handle *handle) {
    free(handle);
    return SUCCESS;
}

enum status cudnnSetStream(struct handle *handle, void *stream) {
    if (!handle)
        return BAD_PARAM_NULL_POINTER;
    handle->stream = stream;
    return SUCCESS;
}

enum status cudnnGetStream(struct handle *handle, void **stream) {
    if (!handle || !stream)
        return BAD_PARAM_NULL_POINTER;
    *stream = handle->stream;
    return SUCCESS;
}

size_t cudnnGetVersion(void) {
    return MAJOR * 10000 + MINOR * 100 + PATCH;
}

size_t cudnnGetCudartVersion(void) {
    return 12090;
}

// type: libraryPropertyType, the major, minor and patch version.
enum status cudnnGetProperty(int type, int *value) {
    static const int versions[] = {MAJOR, MINOR, PATCH};
    if (!value)
        return BAD_PARAM_NULL_POINTER;
    if (type < 0 || type > 2)
        return BAD_PARAM;
    *value = versions[type];
    return SUCCESS;
}

const char *cudnnGetErrorString(enum status status) {
    return status == SUCCESS        ? "CUDNN_STATUS_SUCCESS"
           : status == ALLOC_FAILED ? "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"
           : status == BAD_PARAM    ? "CUDNN_STATUS_BAD_PARAM"
           : status == BAD_PARAM_NULL_POINTER
               ? "CUDNN_STATUS_BAD_PARAM_NULL_POINTER"
               : "cuDNN is not there: this library has handles alone";
}
