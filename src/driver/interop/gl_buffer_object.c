// Buffers of OpenGL by their names, as CUDA 2 had them: each is a graphics resource of the current
// context (guide 6.2.15.1).
#include <stdlib.h>

#include "driver/interop/graphics.h"

struct entry {
    uint64_t context; // its id
    unsigned name;
    CUgraphicsResource resource;
    struct entry *next;
};
static struct entry *entries; // under the mutex
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Where the entry of a name hangs, or a new one belongs. Entries whose resource has ended go.
static struct entry **place(const struct drv_context *ctx, unsigned name) {
    struct entry **at = &entries, *e;
    while ((e = *at)) {
        if (!drv_object_find(e->resource, DRV_GRAPHICS)) {
            *at = e->next;
            free(e);
        } else if (e->context == ctx->id && e->name == name) {
            break;
        } else {
            at = &e->next;
        }
    }
    return at;
}

static CUresult find(const struct drv_context *ctx, unsigned name, CUgraphicsResource *out) {
    pthread_mutex_lock(&mutex);
    struct entry *e = *place(ctx, name);
    if (e)
        *out = e->resource;
    pthread_mutex_unlock(&mutex);
    REQUIRE(e, CUDA_ERROR_INVALID_VALUE, "buffer %u is not registered with the context", name);
    return CUDA_SUCCESS;
}

static CUresult add(struct drv_context *ctx, unsigned name) {
    struct entry **at = place(ctx, name), *e;
    if (*at)
        return drv_fail(CUDA_ERROR_ALREADY_MAPPED, "buffer %u is registered", name);
    e = calloc(1, sizeof *e);
    if (!e)
        return drv_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a registration");
    CUresult result = drv_gl_register_buffer(ctx, name, 0, &e->resource);
    if (result != CUDA_SUCCESS) {
        free(e);
        return result;
    }
    e->context = ctx->id;
    e->name = name;
    *at = e;
    return CUDA_SUCCESS;
}

// CUDA_ERROR_ALREADY_MAPPED: it is registered.
CUresult cuGLRegisterBufferObject(unsigned int buffer) {
    ENTER_CONTEXT(ctx);
    pthread_mutex_lock(&mutex);
    CUresult result = add(ctx, buffer);
    pthread_mutex_unlock(&mutex);
    return result;
}

CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr *dptr, size_t *size, unsigned int buffer,
                                     CUstream hStream) {
    ENTER_CONTEXT(ctx);
    CUgraphicsResource resource;
    TRY(find(ctx, buffer, &resource));
    TRY(cuGraphicsMapResources(1, &resource, hStream));
    return cuGraphicsResourceGetMappedPointer_v2(dptr, size, resource);
}

CUresult cuGLMapBufferObject_v2(CUdeviceptr *dptr, size_t *size, unsigned int buffer) {
    return cuGLMapBufferObjectAsync_v2(dptr, size, buffer, NULL);
}

CUresult cuGLUnmapBufferObjectAsync(unsigned int buffer, CUstream hStream) {
    ENTER_CONTEXT(ctx);
    CUgraphicsResource resource;
    TRY(find(ctx, buffer, &resource));
    return cuGraphicsUnmapResources(1, &resource, hStream);
}

// Waits for the context.
CUresult cuGLUnmapBufferObject(unsigned int buffer) {
    ENTER_CONTEXT(ctx);
    TRY(cuCtxSynchronize());
    return cuGLUnmapBufferObjectAsync(buffer, NULL);
}

CUresult cuGLSetBufferObjectMapFlags(unsigned int buffer, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    CUgraphicsResource resource;
    TRY(find(ctx, buffer, &resource));
    return cuGraphicsResourceSetMapFlags_v2(resource, Flags);
}

CUresult cuGLUnregisterBufferObject(unsigned int buffer) {
    ENTER_CONTEXT(ctx);
    CUgraphicsResource resource;
    TRY(find(ctx, buffer, &resource));
    return cuGraphicsUnregisterResource(resource);
}
