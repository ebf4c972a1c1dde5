// The stand-in for cuDNN has handles, checks what it is given, and has nothing that computes.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && ++failures)                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
    } while (0)

int main(int argc, char **argv) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: standins_cudnn LIBRARY");
        return 1;
    }
    int (*create)(void **) = (int (*)(void **))dlsym(library, "cudnnCreate");
    int (*destroy)(void *) = (int (*)(void *))dlsym(library, "cudnnDestroy");
    int (*set)(void *, void *) = (int (*)(void *, void *))dlsym(library, "cudnnSetStream");
    int (*get)(void *, void **) = (int (*)(void *, void **))dlsym(library, "cudnnGetStream");
    int (*property)(int, int *) = (int (*)(int, int *))dlsym(library, "cudnnGetProperty");
    size_t (*version)(void) = (size_t(*)(void))dlsym(library, "cudnnGetVersion");
    void *handle = NULL, *stream = NULL;
    int number = 0, value;
    if (!create || !destroy || !set || !get || !property || !version)
        return 1;
    CHECK(create(NULL) != 0);
    CHECK(create(&handle) == 0 && handle);
    CHECK(set(NULL, NULL) != 0);
    CHECK(set(handle, &value) == 0);
    CHECK(get(handle, &stream) == 0 && stream == &value);
    CHECK(get(handle, NULL) != 0);
    CHECK(destroy(handle) == 0);
    CHECK(property(0, &number) == 0 && version() / 10000 == (size_t)number);
    CHECK(property(3, &number) != 0 && property(0, NULL) != 0);
    CHECK(!dlsym(library, "cudnnConvolutionForward"));
    return failures != 0;
}
