// Finds the driver and fills the table of its functions.
//
// Where it is looked for: KUDZU_DRIVER, a path; beside this library, and in the lib folder beside
// that one (a program with the runtime linked into it, in bin); the system's library path.
#define _GNU_SOURCE
#include "runtime/driver_table.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"

struct rt_driver_table rt_driver[2];

// dlopen of FOLDER/tail, FOLDER being where this code was loaded from; NULL when there is none.
static void *open_beside(const char *tail) {
    Dl_info info;
    if (!dladdr((void *)&rt_driver, &info) || !info.dli_fname)
        return NULL;
    char here[PATH_MAX], path[PATH_MAX + 64];
    if (!realpath(info.dli_fname, here))
        return NULL;
    char *slash = strrchr(here, '/');
    if (!slash)
        return NULL;
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - here), here, tail);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// Written by the compiler driver into every object with device code: where kudzu's libraries were
// when it was compiled. For programs that another linker made, without a search path of their own.
extern const char __kudzu_library_directory[] __attribute__((weak));

static void *open_where_compiled(void) {
    char path[PATH_MAX];
    if (!__kudzu_library_directory)
        return NULL;
    snprintf(path, sizeof path, "%s/libcuda.so.1", __kudzu_library_directory);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *rt_find_driver(char *reason, size_t size) {
    const char *path = getenv("KUDZU_DRIVER");
    if (path && *path) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            snprintf(reason, size, "KUDZU_DRIVER names no driver that can be loaded: %s",
                     dlerror());
        return library;
    }
    void *library = open_beside("libcuda.so.1");
    if (!library)
        library = open_beside("../lib/libcuda.so.1");
    if (!library)
        library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = open_where_compiled();
    if (!library)
        snprintf(reason, size, "no CUDA driver was found: %s", dlerror());
    return library;
}

static void *look_up(const char *name, int version, cuuint64_t flags) {
    void *function = NULL;
    CUdriverProcAddressQueryResult status;
    CUresult result = rt_driver[0].get_proc_address(name, &function, version, flags, &status);
    return result == CUDA_SUCCESS && status == CU_GET_PROC_ADDRESS_SUCCESS ? function : NULL;
}

static void fill(struct rt_driver_table *table, cuuint64_t flags) {
#define RT_DRIVER_FUNCTION(name, version)                                                          \
    table->name = (PFN_##name##_v##version)look_up(#name, version, flags);
#include "runtime/driver_functions.def"
#undef RT_DRIVER_FUNCTION
}

_Bool rt_fill_driver_table(void *library) {
    PFN_cuGetProcAddress_v12000 get =
        (PFN_cuGetProcAddress_v12000)dlsym(library, "cuGetProcAddress_v2");
    if (!get)
        return 0;
    rt_driver[0].get_proc_address = rt_driver[1].get_proc_address = get;
    fill(&rt_driver[0], CU_GET_PROC_ADDRESS_LEGACY_STREAM);
    fill(&rt_driver[1], CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    return rt_driver[0].cuInit && rt_driver[0].cuCtxGetCurrent &&
           rt_driver[0].cuDevicePrimaryCtxRetain;
}
