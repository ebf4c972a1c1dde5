// Graphics resources: mapping and unmapping, what is mapped, the end of a registration
// (guide 6.2.15).
#include <stdlib.h>

#include "driver/graph/capture.h"
#include "driver/interop/graphics.h"
#include "driver/memory/array.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // what is mapped, layers of arrays

static void release(struct drv_object *o) {
    struct drv_graphics *r = (struct drv_graphics *)o;
    if (r->base)
        drv_memory_end_in(o->context->c, r->base);
    free(r);
}

static void drop_mipmap(struct drv_graphics *r) {
    struct drv_mipmap *m = r->mipmap ? drv_object_find(r->mipmap, DRV_MIPMAP) : NULL;
    if (m)
        drv_mipmap_destroy(m);
}

CUresult drv_graphics_add(struct drv_context *ctx, struct drv_graphics *r,
                          CUgraphicsResource *out) {
    if (!drv_object_add(&r->object, DRV_GRAPHICS, ctx, release)) {
        if (r->base)
            kd_memory_free(r->base);
        drop_mipmap(r);
        free(r);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a graphics resource");
    }
    *out = r->object.handle;
    return CUDA_SUCCESS;
}

CUresult drv_graphics_check_flags(unsigned flags, unsigned known) {
    const unsigned both =
        CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD;
    REQUIRE(!(flags & ~known) && (flags & both) != both, CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of such a registration", flags);
    return CUDA_SUCCESS;
}

CUresult drv_graphics_find(struct drv_context *ctx, CUgraphicsResource handle,
                           struct drv_graphics **out) {
    struct drv_graphics *r = drv_object_find(handle, DRV_GRAPHICS);
    REQUIRE(r && r->object.context == ctx, CUDA_ERROR_INVALID_HANDLE,
            "%p is not registered with the context", (void *)handle);
    *out = r;
    return CUDA_SUCCESS;
}

// ---- Mapping --------------------------------------------------------------------------------
// Under the mutex, but for the entry points.

// Says of `count` resources that they are mapped or not, which none of them may be before.
static CUresult mark(struct drv_context *ctx, CUgraphicsResource *list, unsigned count,
                     bool mapped) {
    struct drv_graphics *r;
    CUresult result = CUDA_SUCCESS;
    unsigned n = 0;
    for (; n < count && result == CUDA_SUCCESS; n++) {
        result = drv_graphics_find(ctx, list[n], &r);
        if (result == CUDA_SUCCESS && r->mapped == mapped)
            result = mapped ? drv_fail(CUDA_ERROR_ALREADY_MAPPED, "%p is mapped", (void *)list[n])
                            : drv_fail(CUDA_ERROR_NOT_MAPPED, "%p is not mapped", (void *)list[n]);
        if (result == CUDA_SUCCESS)
            r->mapped = mapped;
        else
            break;
    }
    while (result != CUDA_SUCCESS && n--)
        if (drv_graphics_find(ctx, list[n], &r) == CUDA_SUCCESS)
            r->mapped = !mapped;
    return result;
}

static CUresult fetch(const struct gl *gl, struct drv_graphics *r) {
    bool contents = !((r->flags | r->map_flags) & CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD);
    return r->mipmap ? drv_gl_read_image(gl, r, contents) : drv_gl_read_buffer(gl, r, contents);
}

static CUresult put_back(const struct gl *gl, const struct drv_graphics *r) {
    if ((r->flags | r->map_flags) & CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY)
        return CUDA_SUCCESS;
    return r->mipmap ? drv_gl_write_image(gl, r) : drv_gl_write_buffer(gl, r);
}

static CUresult map(const struct gl *gl, struct drv_context *ctx, CUgraphicsResource *list,
                    unsigned count) {
    struct drv_graphics *r;
    CUresult result = mark(ctx, list, count, true);
    if (result != CUDA_SUCCESS)
        return result;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
        result = drv_graphics_find(ctx, list[i], &r);
        if (result == CUDA_SUCCESS)
            result = fetch(gl, r);
    }
    if (result != CUDA_SUCCESS)
        mark(ctx, list, count, false);
    return result;
}

// What cannot be put back is not mapped any more either.
static CUresult unmap(const struct gl *gl, struct drv_context *ctx, CUgraphicsResource *list,
                      unsigned count) {
    struct drv_graphics *r;
    CUresult result = mark(ctx, list, count, false);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
        result = drv_graphics_find(ctx, list[i], &r);
        if (result == CUDA_SUCCESS)
            result = put_back(gl, r);
    }
    return result;
}

static CUresult begin(CUgraphicsResource *resources, unsigned count, CUstream stream,
                      struct kd_queue **q, struct drv_context **ctx, struct gl *gl) {
    TRY(drv_stream_find(stream, q, ctx));
    TRY(drv_capture_refuse(*q, *ctx, "used for graphics resources"));
    REQUIRE(resources && count, CUDA_ERROR_INVALID_VALUE, "there are no resources");
    struct drv_graphics *r;
    for (unsigned i = 0; i < count; i++)
        TRY(drv_graphics_find(*ctx, resources[i], &r));
    return drv_gl_current(gl);
}

// What OpenGL was told before is done first. All resources are mapped, or none is.
// CUDA_ERROR_INVALID_GRAPHICS_CONTEXT: the thread has no current context of OpenGL;
// CUDA_ERROR_MAP_FAILED: the object was deleted or became another one.
CUresult cuGraphicsMapResources(unsigned int count, CUgraphicsResource *resources,
                                CUstream hStream) {
    ENTER();
    struct kd_queue *q;
    struct drv_context *ctx;
    struct gl gl;
    TRY(begin(resources, count, hStream, &q, &ctx, &gl));
    pthread_mutex_lock(&mutex);
    CUresult result = map(&gl, ctx, resources, count);
    pthread_mutex_unlock(&mutex);
    return result;
}

// Waits for the stream. CUDA_ERROR_NOT_MAPPED: one of them is not, and none is unmapped.
CUresult cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource *resources,
                                  CUstream hStream) {
    ENTER();
    struct kd_queue *q;
    struct drv_context *ctx;
    struct gl gl;
    TRY(begin(resources, count, hStream, &q, &ctx, &gl));
    TRY(drv_status(kd_queue_wait(q), ctx));
    pthread_mutex_lock(&mutex);
    CUresult result = unmap(&gl, ctx, resources, count);
    pthread_mutex_unlock(&mutex);
    return result;
}

// From the next mapping on. CUDA_ERROR_ALREADY_MAPPED: it is mapped.
CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned int flags) {
    ENTER_CONTEXT(ctx);
    struct drv_graphics *r;
    TRY(drv_graphics_find(ctx, resource, &r));
    REQUIRE(flags <= CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD, CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of mapping", flags);
    pthread_mutex_lock(&mutex);
    bool mapped = r->mapped;
    if (!mapped)
        r->map_flags = flags;
    pthread_mutex_unlock(&mutex);
    REQUIRE(!mapped, CUDA_ERROR_ALREADY_MAPPED, "%p is mapped", (void *)resource);
    return CUDA_SUCCESS;
}

// What is mapped is given up: OpenGL keeps what it had before. Waits for the context.
CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource) {
    ENTER_CONTEXT(ctx);
    struct drv_graphics *r;
    TRY(drv_graphics_find(ctx, resource, &r));
    TRY(drv_status(kd_context_wait(ctx->c), ctx));
    REQUIRE(drv_object_destroy(&r->object), CUDA_ERROR_INVALID_HANDLE,
            "%p was unregistered by another thread", (void *)resource);
    drop_mipmap(r);
    return CUDA_SUCCESS;
}

// ---- What is mapped -------------------------------------------------------------------------

static CUresult find_mapped(CUgraphicsResource handle, bool image, struct drv_graphics **out) {
    struct drv_context *ctx;
    TRY(drv_context_usable(&ctx));
    TRY(drv_graphics_find(ctx, handle, out));
    pthread_mutex_lock(&mutex);
    bool mapped = (*out)->mapped;
    pthread_mutex_unlock(&mutex);
    REQUIRE(mapped, CUDA_ERROR_NOT_MAPPED, "%p is not mapped", (void *)handle);
    REQUIRE(image || !(*out)->mipmap, CUDA_ERROR_NOT_MAPPED_AS_POINTER,
            "%p is an image, which is mapped as an array", (void *)handle);
    REQUIRE(!image || (*out)->mipmap, CUDA_ERROR_NOT_MAPPED_AS_ARRAY,
            "%p is a buffer, which is mapped as memory", (void *)handle);
    return CUDA_SUCCESS;
}

// The pointer may be another one after the next mapping.
CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *pDevPtr, size_t *pSize,
                                               CUgraphicsResource resource) {
    ENTER();
    struct drv_graphics *r;
    TRY(find_mapped(resource, false, &r));
    if (pDevPtr)
        *pDevPtr = r->base;
    if (pSize)
        *pSize = r->size;
    return CUDA_SUCCESS;
}

// A level of a texture, or of one of its layers or faces.
CUresult cuGraphicsSubResourceGetMappedArray(CUarray *pArray, CUgraphicsResource resource,
                                             unsigned int arrayIndex, unsigned int mipLevel) {
    ENTER();
    struct drv_graphics *r;
    struct drv_mipmap *m;
    REQUIRE_POINTER(pArray);
    TRY(find_mapped(resource, true, &r));
    TRY(drv_mipmap_find(r->mipmap, &m));
    bool layered = m->descriptor.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    size_t layers = layered ? m->descriptor.Depth : 1;
    REQUIRE(arrayIndex < layers && mipLevel < m->levels, CUDA_ERROR_INVALID_VALUE,
            "layer %u of %zu, level %u of %u", arrayIndex, layers, mipLevel, m->levels);
    if (!layered) {
        *pArray = m->level[mipLevel].object.handle;
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&mutex);
    CUresult result = drv_mipmap_layer(m, mipLevel, arrayIndex, pArray);
    pthread_mutex_unlock(&mutex);
    return result;
}

CUresult cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *pMipmappedArray,
                                                   CUgraphicsResource resource) {
    ENTER();
    struct drv_graphics *r;
    REQUIRE_POINTER(pMipmappedArray);
    TRY(find_mapped(resource, true, &r));
    *pMipmappedArray = r->mipmap;
    return CUDA_SUCCESS;
}
