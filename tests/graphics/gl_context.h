// A context of OpenGL without a display, by EGL, and the functions that the tests call. Both are
// found at run time: neither building nor running the tests needs OpenGL, and where it is not
// there, or the EGL there cannot do without a display, a test ends as skipped.
#ifndef KUDZU_TESTS_GRAPHICS_GL_CONTEXT_H
#define KUDZU_TESTS_GRAPHICS_GL_CONTEXT_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

#define GL_TEST_FUNCTIONS(X)                                                                       \
    X(unsigned, GetError, (void))                                                                  \
    X(const char *, GetString, (unsigned))                                                         \
    X(void, GetIntegerv, (unsigned, int *))                                                        \
    X(void, PixelStorei, (unsigned, int))                                                          \
    X(void, GenBuffers, (int, unsigned *))                                                         \
    X(void, DeleteBuffers, (int, const unsigned *))                                                \
    X(void, BindBuffer, (unsigned, unsigned))                                                      \
    X(void, BufferData, (unsigned, ptrdiff_t, const void *, unsigned))                             \
    X(void, BufferStorage, (unsigned, ptrdiff_t, const void *, unsigned))                          \
    X(void, GetBufferSubData, (unsigned, ptrdiff_t, ptrdiff_t, void *))                            \
    X(void *, MapBufferRange, (unsigned, ptrdiff_t, ptrdiff_t, unsigned))                          \
    X(unsigned char, UnmapBuffer, (unsigned))                                                      \
    X(void, GenTextures, (int, unsigned *))                                                        \
    X(void, DeleteTextures, (int, const unsigned *))                                               \
    X(void, BindTexture, (unsigned, unsigned))                                                     \
    X(void, TexParameteri, (unsigned, unsigned, int))                                              \
    X(void, TexImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void *))     \
    X(void, TexImage3D,                                                                            \
      (unsigned, int, int, int, int, int, int, unsigned, unsigned, const void *))                  \
    X(void, GetTexImage, (unsigned, int, unsigned, unsigned, void *))                              \
    X(void, GenRenderbuffers, (int, unsigned *))                                                   \
    X(void, DeleteRenderbuffers, (int, const unsigned *))                                          \
    X(void, BindRenderbuffer, (unsigned, unsigned))                                                \
    X(void, RenderbufferStorage, (unsigned, unsigned, int, int))                                   \
    X(void, RenderbufferStorageMultisample, (unsigned, int, unsigned, int, int))                   \
    X(void, GenFramebuffers, (int, unsigned *))                                                    \
    X(void, BindFramebuffer, (unsigned, unsigned))                                                 \
    X(void, FramebufferRenderbuffer, (unsigned, unsigned, unsigned, unsigned))                     \
    X(void, FramebufferTexture2D, (unsigned, unsigned, unsigned, unsigned, int))                   \
    X(unsigned, CheckFramebufferStatus, (unsigned))                                                \
    X(void, ReadPixels, (int, int, int, int, unsigned, unsigned, void *))                          \
    X(void, Viewport, (int, int, int, int))                                                        \
    X(void, ClearColor, (float, float, float, float))                                              \
    X(void, Clear, (unsigned))                                                                     \
    X(unsigned, CreateShader, (unsigned))                                                          \
    X(void, ShaderSource, (unsigned, int, const char *const *, const int *))                       \
    X(void, CompileShader, (unsigned))                                                             \
    X(unsigned, CreateProgram, (void))                                                             \
    X(void, AttachShader, (unsigned, unsigned))                                                    \
    X(void, LinkProgram, (unsigned))                                                               \
    X(void, GetProgramiv, (unsigned, unsigned, int *))                                             \
    X(void, UseProgram, (unsigned))                                                                \
    X(void, GenVertexArrays, (int, unsigned *))                                                    \
    X(void, BindVertexArray, (unsigned))                                                           \
    X(void, EnableVertexAttribArray, (unsigned))                                                   \
    X(void, VertexAttribPointer, (unsigned, int, unsigned, unsigned char, int, const void *))      \
    X(void, DrawArrays, (unsigned, int, int))

#define X(type, name, parameters) static type(*gl##name) parameters __attribute__((unused));
GL_TEST_FUNCTIONS(X)
#undef X

// What EGL's functions are, with handles as pointers.
struct test_egl {
    void *handle;
    void *(*get_address)(const char *);
    void *(*get_platform_display)(unsigned, void *, const intptr_t *);
    unsigned (*initialize)(void *, int *, int *);
    unsigned (*bind_api)(unsigned);
    void *(*create_context)(void *, void *, void *, const int *);
    unsigned (*make_current)(void *, void *, void *, void *);
    void *display, *context;
};
static struct test_egl test_egl __attribute__((unused));

static inline void *test_egl_function(const char *name) {
    return dlsym(test_egl.handle, name);
}

static inline void test_skip(const char *reason) {
    printf("skipped: %s\n", reason);
    exit(SKIPPED);
}

// The display of EGL_MESA_platform_surfaceless.
static inline void test_open_egl(void) {
    struct test_egl *e = &test_egl;
    int major, minor;
    e->handle = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!e->handle)
        test_skip("there is no libEGL.so.1");
    *(void **)&e->get_address = test_egl_function("eglGetProcAddress");
    *(void **)&e->get_platform_display = test_egl_function("eglGetPlatformDisplay");
    *(void **)&e->initialize = test_egl_function("eglInitialize");
    *(void **)&e->bind_api = test_egl_function("eglBindAPI");
    *(void **)&e->create_context = test_egl_function("eglCreateContext");
    *(void **)&e->make_current = test_egl_function("eglMakeCurrent");
    if (!e->get_platform_display)
        test_skip("EGL is older than 1.5");
    e->display = e->get_platform_display(0x31DD, NULL, NULL);
    if (!e->display || !e->initialize(e->display, &major, &minor))
        test_skip("EGL has no display without a surface");
}

enum test_profile { TEST_CORE = 1, TEST_COMPATIBILITY = 2, TEST_ES };

// Makes a context of OpenGL, or OpenGL ES, `major`.`minor` current.
static inline void test_make_context(int major, int minor, enum test_profile profile) {
    enum { API = 0x30A2, ES_API = 0x30A0, MAJOR = 0x3098, MINOR = 0x30FB, PROFILE = 0x30FD };
    struct test_egl *e = &test_egl;
    const int wanted[] = {MAJOR, major, MINOR, minor, PROFILE, (int)profile, 0x3038};
    const int of_es[] = {MAJOR, major, MINOR, minor, 0x3038};
    e->bind_api(profile == TEST_ES ? ES_API : API);
    e->context = e->create_context(e->display, NULL, NULL, profile == TEST_ES ? of_es : wanted);
    if (!e->context || !e->make_current(e->display, NULL, NULL, e->context))
        test_skip("EGL has no such context of OpenGL");
#define X(type, name, parameters) *(void **)&gl##name = e->get_address("gl" #name);
    GL_TEST_FUNCTIONS(X)
#undef X
}

#endif
