// Buffers of OpenGL as device memory (guide 6.2.15.1).
#include <stdlib.h>
#include <string.h>

#include "driver/interop/graphics.h"

// Bound to where drawing does not look, and what was bound there comes back afterwards.
enum {
    COPY_READ_BUFFER = 0x8F36,
    COPY_WRITE_BUFFER = 0x8F37,
    BUFFER_SIZE = 0x8764,
    BUFFER_MAPPED = 0x88BC,
    BUFFER_ACCESS_FLAGS = 0x911F,
    BUFFER_IMMUTABLE_STORAGE = 0x821F,
    BUFFER_STORAGE_FLAGS = 0x8220,
    STREAM_COPY = 0x88E2,
    MAP_READ_BIT = 1,
    MAP_PERSISTENT_BIT = 0x40,
    DYNAMIC_STORAGE_BIT = 0x100,
};

static unsigned bind(const struct gl *gl, gl_enum target, unsigned name) {
    int before = 0;
    gl->GetIntegerv(target, &before);
    gl->BindBuffer(target, name);
    return (unsigned)before;
}

// 0: no such buffer, or it has no memory.
static uint64_t size_of(const struct gl *gl, unsigned name) {
    int64_t size = 0;
    if (!gl->IsBuffer(name))
        return 0;
    unsigned before = bind(gl, COPY_READ_BUFFER, name);
    gl->GetBufferParameteri64v(COPY_READ_BUFFER, BUFFER_SIZE, &size);
    gl->BindBuffer(COPY_READ_BUFFER, before);
    return size > 0 ? (uint64_t)size : 0;
}

static int parameter(const struct gl *gl, gl_enum what) {
    int value = 0;
    gl->GetBufferParameteriv(COPY_READ_BUFFER, what, &value);
    return value;
}

// Of the buffer that is bound: OpenGL copies nothing while the program has it mapped, but for a
// mapping that is meant to stay.
static bool is_mapped(const struct gl *gl) {
    return parameter(gl, BUFFER_MAPPED) &&
           !(gl->version >= 44 && !gl->es &&
             parameter(gl, BUFFER_ACCESS_FLAGS) & MAP_PERSISTENT_BIT);
}

static bool takes_data(const struct gl *gl) {
    return gl->es || gl->version < 44 || !parameter(gl, BUFFER_IMMUTABLE_STORAGE) ||
           parameter(gl, BUFFER_STORAGE_FLAGS) & DYNAMIC_STORAGE_BIT;
}

CUresult drv_gl_register_buffer(struct drv_context *ctx, unsigned name, unsigned flags,
                                CUgraphicsResource *out) {
    struct gl gl;
    TRY(drv_graphics_check_flags(flags, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY |
                                            CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD));
    TRY(drv_gl_current(&gl));
    uint64_t size = size_of(&gl, name);
    REQUIRE(size, CUDA_ERROR_INVALID_VALUE,
            "%u is no buffer of the current OpenGL context, or it has no memory yet", name);
    uint64_t base;
    TRY(drv_memory_allocate(ctx, KD_MEMORY_DEVICE, size, DRV_MEMORY_GRAPHICS, &base));
    struct drv_graphics *r = calloc(1, sizeof *r);
    if (!r) {
        kd_memory_free(base);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graphics resource");
    }
    r->flags = flags;
    r->name = name;
    r->base = base;
    r->size = size;
    return drv_graphics_add(ctx, r, out);
}

// A buffer that got another size since gets other memory.
static CUresult follow_size(struct drv_graphics *r, uint64_t size) {
    uint64_t base;
    if (size == r->size)
        return CUDA_SUCCESS;
    TRY(drv_memory_allocate(r->object.context, KD_MEMORY_DEVICE, size, DRV_MEMORY_GRAPHICS, &base));
    drv_memory_end_in(r->object.context->c, r->base);
    r->base = base;
    r->size = size;
    return CUDA_SUCCESS;
}

static bool read_bound(const struct gl *gl, void *to, uint64_t size) {
    if (!gl->es) {
        gl->GetBufferSubData(COPY_READ_BUFFER, 0, (ptrdiff_t)size, to);
        return true;
    }
    const void *from = gl->MapBufferRange(COPY_READ_BUFFER, 0, (ptrdiff_t)size, MAP_READ_BIT);
    if (!from) {
        gl->GetError(); // the program did not ask
        return false;
    }
    memcpy(to, from, size);
    return gl->UnmapBuffer(COPY_READ_BUFFER);
}

CUresult drv_gl_read_buffer(const struct gl *gl, struct drv_graphics *r, bool contents) {
    uint64_t size = size_of(gl, r->name);
    REQUIRE(size, CUDA_ERROR_MAP_FAILED, "buffer %u was deleted, or is of another OpenGL context",
            r->name);
    TRY(follow_size(r, size));
    if (!contents)
        return CUDA_SUCCESS;
    unsigned before = bind(gl, COPY_READ_BUFFER, r->name);
    bool mapped = is_mapped(gl), done = !mapped && read_bound(gl, (void *)r->base, size);
    gl->BindBuffer(COPY_READ_BUFFER, before);
    REQUIRE(!mapped, CUDA_ERROR_MAP_FAILED, "buffer %u is mapped by OpenGL", r->name);
    REQUIRE(done, CUDA_ERROR_MAP_FAILED, "OpenGL does not give the contents of buffer %u", r->name);
    kd_memory_written(r->base, size);
    return CUDA_SUCCESS;
}

// By another buffer: so contents reach what the program itself may not write to.
static void write_by_copy(const struct gl *gl, const void *from, uint64_t size) {
    unsigned name = 0;
    gl->GenBuffers(1, &name);
    unsigned before = bind(gl, COPY_WRITE_BUFFER, name);
    gl->BufferData(COPY_WRITE_BUFFER, (ptrdiff_t)size, from, STREAM_COPY);
    gl->CopyBufferSubData(COPY_WRITE_BUFFER, COPY_READ_BUFFER, 0, 0, (ptrdiff_t)size);
    gl->BindBuffer(COPY_WRITE_BUFFER, before);
    gl->DeleteBuffers(1, &name);
}

CUresult drv_gl_write_buffer(const struct gl *gl, const struct drv_graphics *r) {
    REQUIRE(size_of(gl, r->name) == r->size, CUDA_ERROR_UNMAP_FAILED,
            "buffer %u was deleted or became another one while it was mapped", r->name);
    unsigned before = bind(gl, COPY_READ_BUFFER, r->name);
    bool mapped = is_mapped(gl);
    if (!mapped && takes_data(gl))
        gl->BufferSubData(COPY_READ_BUFFER, 0, (ptrdiff_t)r->size, (void *)r->base);
    else if (!mapped)
        write_by_copy(gl, (void *)r->base, r->size);
    gl->BindBuffer(COPY_READ_BUFFER, before);
    REQUIRE(!mapped, CUDA_ERROR_UNMAP_FAILED, "buffer %u is mapped by OpenGL", r->name);
    return CUDA_SUCCESS;
}
