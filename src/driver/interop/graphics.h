// Resources of graphics APIs that are registered (guide 6.2.15). Kernels see device memory of the
// resource's own: mapping copies into it what the graphics API has, unmapping copies it back.
#ifndef KUDZU_DRIVER_GRAPHICS_H
#define KUDZU_DRIVER_GRAPHICS_H

#include "driver/interop/gl.h"

struct drv_graphics {
    struct drv_object object;
    unsigned flags;     // CUgraphicsRegisterFlags
    unsigned map_flags; // CUgraphicsMapResourceFlags
    bool mapped;        // under the lock of graphics.c
    unsigned name;      // of the buffer, texture or renderbuffer
    // A buffer's.
    uint64_t base, size;
    // An image's; NULL: it is a buffer.
    CUmipmappedArray mipmap;
    gl_enum target, internal;
    struct gl_format format;
};

// A new resource becomes a handle; it is freed on failure.
CUresult drv_graphics_add(struct drv_context *ctx, struct drv_graphics *r, CUgraphicsResource *out);
// Whether registration flags are known, and do not contradict each other.
CUresult drv_graphics_check_flags(unsigned flags, unsigned known);
// CUDA_ERROR_INVALID_HANDLE: it is none of ctx's.
CUresult drv_graphics_find(struct drv_context *ctx, CUgraphicsResource handle,
                           struct drv_graphics **out);
// CUDA_ERROR_INVALID_VALUE: no object of OpenGL has the name, or none of which that can be done.
CUresult drv_gl_register_buffer(struct drv_context *ctx, unsigned name, unsigned flags,
                                CUgraphicsResource *out);
CUresult drv_gl_register_image(struct drv_context *ctx, unsigned name, gl_enum target,
                               unsigned flags, CUgraphicsResource *out);
// Copies between OpenGL and the resource's memory, and checks first that the object is still what
// was registered. CUDA_ERROR_MAP_FAILED, CUDA_ERROR_UNMAP_FAILED. `contents` false: they are not
// needed.
CUresult drv_gl_read_buffer(const struct gl *gl, struct drv_graphics *r, bool contents);
CUresult drv_gl_write_buffer(const struct gl *gl, const struct drv_graphics *r);
CUresult drv_gl_read_image(const struct gl *gl, struct drv_graphics *r, bool contents);
CUresult drv_gl_write_image(const struct gl *gl, const struct drv_graphics *r);

#endif
