// Finds the OpenGL whose context is current: by EGL, GLX or OSMesa, whichever of them the program
// has loaded. One that is not loaded has no current context.
#define _GNU_SOURCE // RTLD_DEFAULT
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/interop/gl.h"

enum { LEAST_VERSION = 32, LEAST_VERSION_ES = 30 };

struct window_system {
    const char *file, *current, *address;
    void *(*get_current)(void);
    void *(*get_address)(const char *name);
    struct gl gl;
    bool loaded, filled; // under the mutex
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct window_system systems[] = {
    {.file = "libEGL.so.1", .current = "eglGetCurrentContext", .address = "eglGetProcAddress"},
    {.file = "libGLX.so.0", .current = "glXGetCurrentContext", .address = "glXGetProcAddressARB"},
    {.file = "libGL.so.1", .current = "glXGetCurrentContext", .address = "glXGetProcAddressARB"},
    {.file = "libOSMesa.so.8",
     .current = "OSMesaGetCurrentContext",
     .address = "OSMesaGetProcAddress"},
};

static bool load(struct window_system *s, void *library) {
    *(void **)&s->get_current = dlsym(library, s->current);
    *(void **)&s->get_address = dlsym(library, s->address);
    return s->loaded = s->get_current && s->get_address;
}

// A library that was opened stays open: its functions are kept.
static bool find(struct window_system *s) {
    if (s->loaded || load(s, RTLD_DEFAULT))
        return true;
    void *library = dlopen(s->file, RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return false;
    if (!load(s, library))
        dlclose(library);
    return s->loaded;
}

static struct window_system *current(void) {
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++)
        if (find(&systems[k]) && systems[k].get_current())
            return &systems[k];
    return NULL;
}

static void fill(struct window_system *s) {
#define X(type, name, parameters) *(void **)&s->gl.name = s->get_address("gl" #name);
    GL_FUNCTIONS(X)
#undef X
    s->filled = true;
}

// "4.5 (Core Profile) Mesa 22.3.6", "OpenGL ES 3.2 Mesa 22.3.6".
static void read_version(struct gl *gl) {
    enum { VERSION = 0x1F02 };
    const char *text = gl->GetString ? gl->GetString(VERSION) : NULL;
    unsigned major = 0, minor = 0;
    gl->es = text && !strncmp(text, "OpenGL ES", 9);
    if (text && sscanf(text + strcspn(text, "0123456789"), "%u.%u", &major, &minor) == 2)
        gl->version = major * 10 + minor;
    else
        gl->version = 0;
}

CUresult drv_gl_current(struct gl *out) {
    pthread_mutex_lock(&mutex);
    struct window_system *s = current();
    if (s && !s->filled)
        fill(s);
    if (s)
        *out = s->gl;
    pthread_mutex_unlock(&mutex);
    REQUIRE(s, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
            "no OpenGL context is current to the calling thread");
    read_version(out);
    REQUIRE(out->version >= (out->es ? LEAST_VERSION_ES : LEAST_VERSION),
            CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
            "the current context is of OpenGL%s %u.%u; OpenGL 3.2 or OpenGL ES 3.0 is needed",
            out->es ? " ES" : "", out->version / 10, out->version % 10);
    return CUDA_SUCCESS;
}
