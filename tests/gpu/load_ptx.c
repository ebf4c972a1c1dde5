// load_ptx: gives each file to the driver's JIT and prints what it says of those it refuses.
//
// Usage: load_ptx libcuda.so.1 file.ptx...  Exit status 0: all of them load.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda.h"
#include "cudaTypedefs.h"

static struct {
    PFN_cuInit_v2000 init;
    PFN_cuDevicePrimaryCtxRetain_v7000 retain;
    PFN_cuCtxSetCurrent_v4000 set_current;
    PFN_cuModuleLoadDataEx_v2010 load;
    PFN_cuModuleUnload_v2000 unload;
} cu;

static int start(const char *path) {
    CUcontext context;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "load_ptx: %s\n", dlerror());
        return 0;
    }
    cu.init = (PFN_cuInit_v2000)dlsym(library, "cuInit");
    cu.retain = (PFN_cuDevicePrimaryCtxRetain_v7000)dlsym(library, "cuDevicePrimaryCtxRetain");
    cu.set_current = (PFN_cuCtxSetCurrent_v4000)dlsym(library, "cuCtxSetCurrent");
    cu.load = (PFN_cuModuleLoadDataEx_v2010)dlsym(library, "cuModuleLoadDataEx");
    cu.unload = (PFN_cuModuleUnload_v2000)dlsym(library, "cuModuleUnload");
    if (!cu.init || !cu.retain || !cu.set_current || !cu.load || !cu.unload || cu.init(0) ||
        cu.retain(&context, 0) || cu.set_current(context)) {
        fprintf(stderr, "load_ptx: %s does not start\n", path);
        return 0;
    }
    return 1;
}

// The file with a NUL after it; NULL when it cannot be read.
static char *contents(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && !fseek(file, 0, SEEK_END)) {
        long size = ftell(file);
        rewind(file);
        text = size < 0 ? NULL : calloc(1, (size_t)size + 1);
        if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
            free(text);
            text = NULL;
        }
    }
    if (file)
        fclose(file);
    return text;
}

static int loads(const char *path) {
    static char log[8192];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUmodule module;
    char *text = contents(path);
    if (!text) {
        fprintf(stderr, "load_ptx: %s cannot be read\n", path);
        return 0;
    }
    log[0] = 0;
    CUresult result = cu.load(&module, text, 2, options, values);
    if (result == CUDA_SUCCESS)
        cu.unload(module);
    else
        printf("%s: refused (%d): %s\n", path, (int)result, log);
    free(text);
    return result == CUDA_SUCCESS;
}

int main(int argc, char **argv) {
    int bad = 0;
    if (argc < 2 || !start(argv[1]))
        return 2;
    for (int i = 2; i < argc; i++)
        bad += !loads(argv[i]);
    printf("%d of %d files load\n", argc - 2 - bad, argc - 2);
    return bad != 0;
}
