// Textures and renderbuffers of OpenGL as arrays (guide 6.2.15.1). Rows of arrays have no gaps, so
// that OpenGL reads and writes them in place.
#include <stdlib.h>

#include "driver/interop/graphics.h"
#include "driver/memory/array.h"

enum {
    TEXTURE_BORDER = 0x1005,
    TEXTURE_WIDTH = 0x1000,
    TEXTURE_HEIGHT = 0x1001,
    TEXTURE_INTERNAL_FORMAT = 0x1003,
    TEXTURE_DEPTH = 0x8071,
    TEXTURE_MAX_LEVEL = 0x813D,
    FIRST_FACE = 0x8515,
    FACES = 6,
    RENDERBUFFER_BINDING = 0x8CA7,
    RENDERBUFFER_SAMPLES = 0x8CAB,
    RENDERBUFFER_WIDTH = 0x8D42,
    RENDERBUFFER_HEIGHT = 0x8D43,
    RENDERBUFFER_INTERNAL_FORMAT = 0x8D44,
};

// 0: no target of images that can be registered.
static gl_enum binding_of(gl_enum target) {
    switch (target) {
    case GL_TEXTURE_2D:
        return 0x8069;
    case GL_TEXTURE_3D:
        return 0x806A;
    case GL_TEXTURE_RECTANGLE:
        return 0x84F6;
    case GL_TEXTURE_CUBE_MAP:
        return 0x8514;
    case GL_TEXTURE_2D_ARRAY:
        return 0x8C1D;
    case GL_RENDERBUFFER:
        return RENDERBUFFER_BINDING;
    default:
        return 0;
    }
}

// ---- State of OpenGL ------------------------------------------------------------------------

// What transfers depend on. The program gets it back as it was.
static const gl_enum pixel_store[] = {
    0x0D00, 0x0D01, 0x0D02, 0x0D03, 0x0D04, 0x0D05, 0x806B, 0x806C, // packing
    0x0CF0, 0x0CF1, 0x0CF2, 0x0CF3, 0x0CF4, 0x0CF5, 0x806D, 0x806E, // unpacking
};
enum { STORES = sizeof pixel_store / sizeof *pixel_store };
enum { PACK_ALIGNMENT = 0x0D05, UNPACK_ALIGNMENT = 0x0CF5 };
enum { PACK_BUFFER = 0x88EB, PACK_BUFFER_BINDING = 0x88ED };
enum { UNPACK_BUFFER = 0x88EC, UNPACK_BUFFER_BINDING = 0x88EF };
// Scales and biases of colours, of compatibility contexts alone.
static const gl_enum pixel_transfer[] = {0x0D10, 0x0D14, 0x0D15, 0x0D18, 0x0D19,
                                         0x0D1A, 0x0D1B, 0x0D1C, 0x0D1D};
enum { TRANSFERS = sizeof pixel_transfer / sizeof *pixel_transfer };
enum { CONTEXT_PROFILE_MASK = 0x9126, COMPATIBILITY_PROFILE_BIT = 2 };

struct state {
    int store[STORES], pack_buffer, unpack_buffer;
    bool compatibility;
    float transfer[TRANSFERS];
};

static bool is_scale(gl_enum what) {
    return what == 0x0D14 || what == 0x0D18 || what == 0x0D1A || what == 0x0D1C;
}

static void take_state(const struct gl *gl, struct state *s) {
    int profile = 0;
    *s = (struct state){0};
    gl->GetIntegerv(CONTEXT_PROFILE_MASK, &profile);
    gl->GetIntegerv(PACK_BUFFER_BINDING, &s->pack_buffer);
    gl->GetIntegerv(UNPACK_BUFFER_BINDING, &s->unpack_buffer);
    gl->BindBuffer(PACK_BUFFER, 0);
    gl->BindBuffer(UNPACK_BUFFER, 0);
    for (unsigned k = 0; k < STORES; k++) {
        gl_enum what = pixel_store[k];
        gl->GetIntegerv(what, &s->store[k]);
        gl->PixelStorei(what, what == PACK_ALIGNMENT || what == UNPACK_ALIGNMENT);
    }
    s->compatibility = profile & COMPATIBILITY_PROFILE_BIT;
    for (unsigned k = 0; s->compatibility && k < TRANSFERS; k++) {
        gl->GetFloatv(pixel_transfer[k], &s->transfer[k]);
        gl->PixelTransferf(pixel_transfer[k], is_scale(pixel_transfer[k]));
    }
}

static void give_state_back(const struct gl *gl, const struct state *s) {
    for (unsigned k = 0; s->compatibility && k < TRANSFERS; k++)
        gl->PixelTransferf(pixel_transfer[k], s->transfer[k]);
    for (unsigned k = 0; k < STORES; k++)
        gl->PixelStorei(pixel_store[k], s->store[k]);
    gl->BindBuffer(PACK_BUFFER, (unsigned)s->pack_buffer);
    gl->BindBuffer(UNPACK_BUFFER, (unsigned)s->unpack_buffer);
}

// ---- What an image is -----------------------------------------------------------------------

// False: the object is not of that target, or there is none; what was bound stays.
static bool bind(const struct gl *gl, gl_enum target, unsigned name, unsigned *before) {
    int bound = 0, now = 0;
    bool renderbuffer = target == GL_RENDERBUFFER;
    if (!(renderbuffer ? gl->IsRenderbuffer(name) : gl->IsTexture(name)))
        return false;
    gl->GetIntegerv(binding_of(target), &bound);
    *before = (unsigned)bound;
    if (renderbuffer)
        gl->BindRenderbuffer(target, name);
    else
        gl->BindTexture(target, name);
    gl->GetIntegerv(binding_of(target), &now);
    if ((unsigned)now == name)
        return true;
    gl->GetError(); // which the program did not cause
    return false;
}

static void bind_again(const struct gl *gl, gl_enum target, unsigned name) {
    if (target == GL_RENDERBUFFER)
        gl->BindRenderbuffer(target, name);
    else
        gl->BindTexture(target, name);
}

struct shape {
    int width, height, depth, internal;
    int other; // borders, samples: there are none of what can be registered
};

// Of a level of the texture, or of the renderbuffer, that is bound.
static struct shape shape_of(const struct gl *gl, gl_enum target, int level) {
    struct shape s = {0};
    if (target == GL_RENDERBUFFER) {
        gl->GetRenderbufferParameteriv(target, RENDERBUFFER_WIDTH, &s.width);
        gl->GetRenderbufferParameteriv(target, RENDERBUFFER_HEIGHT, &s.height);
        gl->GetRenderbufferParameteriv(target, RENDERBUFFER_INTERNAL_FORMAT, &s.internal);
        gl->GetRenderbufferParameteriv(target, RENDERBUFFER_SAMPLES, &s.other);
        return s;
    }
    gl->GetTexLevelParameteriv(target, level, TEXTURE_WIDTH, &s.width);
    gl->GetTexLevelParameteriv(target, level, TEXTURE_HEIGHT, &s.height);
    gl->GetTexLevelParameteriv(target, level, TEXTURE_INTERNAL_FORMAT, &s.internal);
    if (target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY)
        gl->GetTexLevelParameteriv(target, level, TEXTURE_DEPTH, &s.depth);
    if (gl->version < 44) // later ones have no borders
        gl->GetTexLevelParameteriv(target, level, TEXTURE_BORDER, &s.other);
    return s;
}

static CUDA_ARRAY3D_DESCRIPTOR descriptor_of(const struct shape *s, gl_enum target,
                                             const struct gl_format *format, unsigned flags) {
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = (size_t)s->width,
                                 .Height = (size_t)s->height,
                                 .Depth = (size_t)s->depth,
                                 .Format = format->component,
                                 .NumChannels = format->channels};
    if (target == GL_TEXTURE_2D_ARRAY)
        d.Flags |= CUDA_ARRAY3D_LAYERED;
    if (target == GL_TEXTURE_CUBE_MAP) {
        d.Flags |= CUDA_ARRAY3D_CUBEMAP;
        d.Depth = FACES;
    }
    if (flags & CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST)
        d.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    if (flags & CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER)
        d.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
    return d;
}

static bool is_level(const struct gl *gl, gl_enum target, int level, unsigned internal,
                     const CUDA_ARRAY3D_DESCRIPTOR *d) {
    bool cube = target == GL_TEXTURE_CUBE_MAP;
    for (int face = 0; face < (cube ? FACES : 1); face++) {
        struct shape s = shape_of(gl, cube ? (gl_enum)(FIRST_FACE + face) : target, level);
        if ((size_t)s.width != d->Width || (size_t)s.height != d->Height ||
            (!cube && (size_t)s.depth != d->Depth) || (unsigned)s.internal != internal || s.other)
            return false;
    }
    return true;
}

// ---- Registration ---------------------------------------------------------------------------

static CUresult check_shape(const struct shape *s, unsigned name, gl_enum target,
                            struct gl_format *format) {
    REQUIRE(s->width > 0 && s->height > 0, CUDA_ERROR_INVALID_VALUE,
            "image %u has no texels in its first level", name);
    REQUIRE(!s->other, CUDA_ERROR_INVALID_VALUE, "image %u has %s", name,
            target == GL_RENDERBUFFER ? "several samples" : "a border");
    REQUIRE(drv_gl_format((gl_enum)s->internal, format), CUDA_ERROR_INVALID_VALUE,
            "image %u: the internal format %#x is none of those that can be registered", name,
            (unsigned)s->internal);
    return CUDA_SUCCESS;
}

// Levels of the bound texture, as far as each is half of the one before it.
static unsigned count_levels(const struct gl *gl, gl_enum target, unsigned internal,
                             const struct drv_mipmap *m) {
    unsigned n = 1;
    while (n < m->levels && is_level(gl, target, (int)n, internal, &m->level[n].descriptor))
        n++;
    return n;
}

static CUresult make_array(const struct gl *gl, struct drv_context *ctx,
                           const CUDA_ARRAY3D_DESCRIPTOR *d, gl_enum target, unsigned internal,
                           CUmipmappedArray *out) {
    struct drv_mipmap *m;
    bool levels = target != GL_RENDERBUFFER && target != GL_TEXTURE_RECTANGLE;
    TRY(drv_mipmap_create(ctx, d, levels ? DRV_MAX_LEVELS : 1, out));
    TRY(drv_mipmap_find(*out, &m));
    unsigned n = levels ? count_levels(gl, target, internal, m) : 1;
    if (n != m->levels) {
        TRY(drv_mipmap_destroy(m));
        TRY(drv_mipmap_create(ctx, d, n, out));
        TRY(drv_mipmap_find(*out, &m));
    }
    m->of_graphics = true;
    return CUDA_SUCCESS;
}

static CUresult register_bound(const struct gl *gl, struct drv_context *ctx, unsigned name,
                               gl_enum target, unsigned flags, struct drv_graphics **out) {
    struct gl_format format;
    struct shape s = shape_of(gl, target == GL_TEXTURE_CUBE_MAP ? FIRST_FACE : target, 0);
    TRY(check_shape(&s, name, target, &format));
    CUDA_ARRAY3D_DESCRIPTOR d = descriptor_of(&s, target, &format, flags);
    REQUIRE(is_level(gl, target, 0, (unsigned)s.internal, &d), CUDA_ERROR_INVALID_VALUE,
            "the faces of cubemap %u are not alike", name);
    CUmipmappedArray mipmap;
    TRY(make_array(gl, ctx, &d, target, (unsigned)s.internal, &mipmap));
    struct drv_graphics *r = calloc(1, sizeof *r);
    if (!r) {
        drv_mipmap_destroy(drv_object_find(mipmap, DRV_MIPMAP));
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graphics resource");
    }
    r->flags = flags;
    r->name = name;
    r->target = target;
    r->internal = (unsigned)s.internal;
    r->format = format;
    r->mipmap = mipmap;
    *out = r;
    return CUDA_SUCCESS;
}

CUresult drv_gl_register_image(struct drv_context *ctx, unsigned name, gl_enum target,
                               unsigned flags, CUgraphicsResource *out) {
    struct gl gl;
    struct drv_graphics *r = NULL;
    unsigned before;
    TRY(drv_graphics_check_flags(flags, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY |
                                            CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD |
                                            CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST |
                                            CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER));
    REQUIRE(binding_of(target), CUDA_ERROR_INVALID_VALUE,
            "%#x is no target of images that can be registered", target);
    TRY(drv_gl_current(&gl));
    REQUIRE(!gl.es, CUDA_ERROR_NOT_SUPPORTED,
            "OpenGL ES does not read textures back; images are registered with OpenGL alone");
    REQUIRE(target != GL_RENDERBUFFER || gl.version >= 43, CUDA_ERROR_NOT_SUPPORTED,
            "renderbuffers need OpenGL 4.3");
    REQUIRE(bind(&gl, target, name, &before), CUDA_ERROR_INVALID_VALUE,
            "%u is no image of target %#x in the current OpenGL context", name, target);
    CUresult result = register_bound(&gl, ctx, name, target, flags, &r);
    bind_again(&gl, target, before);
    if (result != CUDA_SUCCESS)
        return result;
    return drv_graphics_add(ctx, r, out);
}

// ---- Transfers ------------------------------------------------------------------------------

// Whether every level is as it was registered, of what is bound.
static bool is_same(const struct gl *gl, const struct drv_graphics *r, const struct drv_mipmap *m) {
    for (unsigned k = 0; k < m->levels; k++)
        if (!is_level(gl, r->target, (int)k, r->internal, &m->level[k].descriptor))
            return false;
    return true;
}

static void read_level(const struct gl *gl, const struct drv_graphics *r, int level,
                       const struct drv_array *a) {
    bool cube = r->target == GL_TEXTURE_CUBE_MAP;
    for (unsigned face = 0; face < (cube ? FACES : 1); face++)
        gl->GetTexImage(cube ? FIRST_FACE + face : r->target, level, r->format.format,
                        r->format.type, (void *)(a->base + face * a->rows * a->pitch));
}

static void write_level(const struct gl *gl, const struct drv_graphics *r, int level,
                        const struct drv_array *a) {
    int width = (int)a->descriptor.Width, height = (int)a->descriptor.Height;
    bool cube = r->target == GL_TEXTURE_CUBE_MAP;
    if (r->target == GL_TEXTURE_3D || r->target == GL_TEXTURE_2D_ARRAY) {
        gl->TexSubImage3D(r->target, level, 0, 0, 0, width, height, (int)a->slices,
                          r->format.format, r->format.type, (void *)a->base);
        return;
    }
    for (unsigned face = 0; face < (cube ? FACES : 1); face++)
        gl->TexSubImage2D(cube ? FIRST_FACE + face : r->target, level, 0, 0, width, height,
                          r->format.format, r->format.type,
                          (void *)(a->base + face * a->rows * a->pitch));
}

// A renderbuffer is read and written by a texture of the same format.
static unsigned scratch(const struct gl *gl, const struct drv_graphics *r,
                        const struct drv_array *a, unsigned *before) {
    unsigned name = 0;
    int bound = 0;
    gl->GetIntegerv(binding_of(GL_TEXTURE_2D), &bound);
    *before = (unsigned)bound;
    gl->GenTextures(1, &name);
    gl->BindTexture(GL_TEXTURE_2D, name);
    gl->TexImage2D(GL_TEXTURE_2D, 0, (int)r->internal, (int)a->descriptor.Width,
                   (int)a->descriptor.Height, 0, r->format.format, r->format.type, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, TEXTURE_MAX_LEVEL, 0); // else it is not complete
    return name;
}

static void transfer_renderbuffer(const struct gl *gl, const struct drv_graphics *r,
                                  const struct drv_array *a, bool write) {
    struct drv_graphics texture = *r;
    unsigned before, name = scratch(gl, r, a, &before);
    int width = (int)a->descriptor.Width, height = (int)a->descriptor.Height;
    texture.target = GL_TEXTURE_2D;
    if (write) {
        write_level(gl, &texture, 0, a);
        gl->CopyImageSubData(name, GL_TEXTURE_2D, 0, 0, 0, 0, r->name, GL_RENDERBUFFER, 0, 0, 0, 0,
                             width, height, 1);
    } else {
        gl->CopyImageSubData(r->name, GL_RENDERBUFFER, 0, 0, 0, 0, name, GL_TEXTURE_2D, 0, 0, 0, 0,
                             width, height, 1);
        read_level(gl, &texture, 0, a);
    }
    gl->BindTexture(GL_TEXTURE_2D, before);
    gl->DeleteTextures(1, &name);
}

static void transfer(const struct gl *gl, const struct drv_graphics *r, const struct drv_mipmap *m,
                     bool write) {
    struct state state;
    take_state(gl, &state);
    for (unsigned k = 0; k < m->levels; k++) {
        if (r->target == GL_RENDERBUFFER)
            transfer_renderbuffer(gl, r, &m->level[k], write);
        else if (write)
            write_level(gl, r, (int)k, &m->level[k]);
        else
            read_level(gl, r, (int)k, &m->level[k]);
        if (!write)
            kd_memory_written(m->level[k].base, drv_array_bytes(&m->level[k].descriptor));
    }
    give_state_back(gl, &state);
}

// `needed`: there is something to transfer.
static CUresult do_bound(const struct gl *gl, const struct drv_graphics *r, bool write,
                         bool needed) {
    struct drv_mipmap *m;
    unsigned before;
    CUresult failed = write ? CUDA_ERROR_UNMAP_FAILED : CUDA_ERROR_MAP_FAILED;
    TRY(drv_mipmap_find(r->mipmap, &m));
    REQUIRE(!gl->es, failed, "the current context is of OpenGL ES, the image of OpenGL");
    REQUIRE(bind(gl, r->target, r->name, &before), failed,
            "image %u was deleted, or is of another OpenGL context", r->name);
    bool same = is_same(gl, r, m);
    if (same && needed)
        transfer(gl, r, m, write);
    bind_again(gl, r->target, before);
    REQUIRE(same, failed, "image %u has other levels than those registered", r->name);
    return CUDA_SUCCESS;
}

CUresult drv_gl_read_image(const struct gl *gl, struct drv_graphics *r, bool contents) {
    return do_bound(gl, r, false, contents);
}

CUresult drv_gl_write_image(const struct gl *gl, const struct drv_graphics *r) {
    return do_bound(gl, r, true, true);
}
