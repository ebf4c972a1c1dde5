// OpenGL as the program has it (guide 6.2.15.1): its functions are found at run time, and nothing
// of it is linked or included. Everything here is for the context that is current to the calling
// thread.
#ifndef KUDZU_DRIVER_GL_H
#define KUDZU_DRIVER_GL_H

#include "driver/driver.h"

typedef unsigned gl_enum;

// Every function: what it returns, its name without "gl", its parameters.
#define GL_FUNCTIONS(X)                                                                            \
    X(const char *, GetString, (gl_enum))                                                          \
    X(gl_enum, GetError, (void))                                                                   \
    X(void, GetIntegerv, (gl_enum, int *))                                                         \
    X(void, GetFloatv, (gl_enum, float *))                                                         \
    X(void, PixelStorei, (gl_enum, int))                                                           \
    X(void, PixelTransferf, (gl_enum, float))                                                      \
    X(unsigned char, IsBuffer, (unsigned))                                                         \
    X(void, GenBuffers, (int, unsigned *))                                                         \
    X(void, DeleteBuffers, (int, const unsigned *))                                                \
    X(void, BindBuffer, (gl_enum, unsigned))                                                       \
    X(void, BufferData, (gl_enum, ptrdiff_t, const void *, gl_enum))                               \
    X(void, GetBufferParameteriv, (gl_enum, gl_enum, int *))                                       \
    X(void, GetBufferParameteri64v, (gl_enum, gl_enum, int64_t *))                                 \
    X(void, GetBufferSubData, (gl_enum, ptrdiff_t, ptrdiff_t, void *))                             \
    X(void, BufferSubData, (gl_enum, ptrdiff_t, ptrdiff_t, const void *))                          \
    X(void, CopyBufferSubData, (gl_enum, gl_enum, ptrdiff_t, ptrdiff_t, ptrdiff_t))                \
    X(void *, MapBufferRange, (gl_enum, ptrdiff_t, ptrdiff_t, unsigned))                           \
    X(unsigned char, UnmapBuffer, (gl_enum))                                                       \
    X(unsigned char, IsTexture, (unsigned))                                                        \
    X(void, GenTextures, (int, unsigned *))                                                        \
    X(void, DeleteTextures, (int, const unsigned *))                                               \
    X(void, BindTexture, (gl_enum, unsigned))                                                      \
    X(void, TexParameteri, (gl_enum, gl_enum, int))                                                \
    X(void, TexImage2D, (gl_enum, int, int, int, int, int, gl_enum, gl_enum, const void *))        \
    X(void, GetTexLevelParameteriv, (gl_enum, int, gl_enum, int *))                                \
    X(void, GetTexImage, (gl_enum, int, gl_enum, gl_enum, void *))                                 \
    X(void, TexSubImage2D, (gl_enum, int, int, int, int, int, gl_enum, gl_enum, const void *))     \
    X(void, TexSubImage3D,                                                                         \
      (gl_enum, int, int, int, int, int, int, int, gl_enum, gl_enum, const void *))                \
    X(unsigned char, IsRenderbuffer, (unsigned))                                                   \
    X(void, BindRenderbuffer, (gl_enum, unsigned))                                                 \
    X(void, GetRenderbufferParameteriv, (gl_enum, gl_enum, int *))                                 \
    X(void, CopyImageSubData,                                                                      \
      (unsigned, gl_enum, int, int, int, int, unsigned, gl_enum, int, int, int, int, int, int,     \
       int))

struct gl {
#define X(type, name, parameters) type(*name) parameters;
    GL_FUNCTIONS(X)
#undef X
    bool es;          // OpenGL ES
    unsigned version; // 45: 4.5
};

// CUDA_ERROR_INVALID_GRAPHICS_CONTEXT: no context is current, or one of an OpenGL before 3.2.
CUresult drv_gl_current(struct gl *out);

enum {
    GL_TEXTURE_2D = 0x0DE1,
    GL_RED = 0x1903,
    GL_ALPHA = 0x1906,
    GL_RGBA = 0x1908,
    GL_LUMINANCE = 0x1909,
    GL_LUMINANCE_ALPHA = 0x190A,
    GL_TEXTURE_3D = 0x806F,
    GL_RG = 0x8227,
    GL_TEXTURE_RECTANGLE = 0x84F5,
    GL_TEXTURE_CUBE_MAP = 0x8513,
    GL_TEXTURE_2D_ARRAY = 0x8C1A,
    GL_RENDERBUFFER = 0x8D41,
};

// How the texels of an internal format lie in an array, and what transfers of them are told.
struct gl_format {
    CUarray_format component;
    unsigned channels;
    gl_enum format, type;
};
// False: an internal format of which no images can be registered.
bool drv_gl_format(gl_enum internal, struct gl_format *out);

#endif
