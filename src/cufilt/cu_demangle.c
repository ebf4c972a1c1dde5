// __cu_demangle (CUDA Binary Utilities, library of cu++filt). The decoder is that of the C++
// library, the one with which programs are linked, or which every machine with a C++ compiler has.
#include <dlfcn.h>
#include <string.h>

#include "nv_decode.h"

typedef char *decoder(const char *name, char *buffer, size_t *length, int *status);

__attribute__((weak)) decoder __cxa_demangle;

static decoder *find_decoder(void) {
    if (__cxa_demangle)
        return __cxa_demangle;
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    decoder *found = NULL;
    if (library)
        *(void **)&found = dlsym(library, "__cxa_demangle");
    return found;
}

static char *answer(int *status, int value) {
    if (status)
        *status = value;
    return NULL;
}

__attribute__((visibility("default"))) char *__cu_demangle(const char *id, char *output_buffer,
                                                           size_t *length, int *status) {
    int result = -1;
    if (!id || (output_buffer && !length))
        return answer(status, -3);
    // Without this mark the C++ library takes the name for that of a type.
    if (strncmp(id, "_Z", 2) != 0)
        return answer(status, -2);
    decoder *decode = find_decoder();
    char *name = decode ? decode(id, output_buffer, length, &result) : NULL;
    if (!name)
        return answer(status, result);
    // The C++ library tells the text's length where it made the buffer itself.
    if (length && !output_buffer)
        *length = strlen(name) + 1;
    if (status)
        *status = 0;
    return name;
}
