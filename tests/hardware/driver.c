// See driver.h.
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76, ERROR_LOG = 5, ERROR_LOG_SIZE = 6 };

static struct {
    int (*init)(unsigned);
    int (*version)(int *);
    int (*device)(int *, int);
    int (*name)(char *, int, int);
    int (*attribute)(int *, int, int);
    int (*retain)(void **, int);
    int (*set_current)(void *);
    int (*load)(void **, const void *, unsigned, int *, void **);
    int (*unload)(void *);
    int (*function)(void **, void *, const char *);
    int (*allocate)(uint64_t *, size_t);
    int (*free)(uint64_t);
    int (*upload)(uint64_t, const void *, size_t);
    int (*download)(void *, uint64_t, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*synchronize)(void);
} cu;

static const struct {
    const char *name;
    void *where;
} functions[] = {
    {"cuInit", &cu.init},
    {"cuDriverGetVersion", &cu.version},
    {"cuDeviceGet", &cu.device},
    {"cuDeviceGetName", &cu.name},
    {"cuDeviceGetAttribute", &cu.attribute},
    {"cuDevicePrimaryCtxRetain", &cu.retain},
    {"cuCtxSetCurrent", &cu.set_current},
    {"cuModuleLoadDataEx", &cu.load},
    {"cuModuleUnload", &cu.unload},
    {"cuModuleGetFunction", &cu.function},
    {"cuMemAlloc_v2", &cu.allocate},
    {"cuMemFree_v2", &cu.free},
    {"cuMemcpyHtoD_v2", &cu.upload},
    {"cuMemcpyDtoH_v2", &cu.download},
    {"cuLaunchKernel", &cu.launch},
    {"cuCtxSynchronize", &cu.synchronize},
};

static void *context;

static void check(int result, const char *what) {
    if (!result)
        return;
    fprintf(stderr, "%s: error %d of the driver\n", what, result);
    exit(2);
}

static bool find_functions(const char *library) {
    void *l = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!l) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        void *f = dlsym(l, functions[k].name);
        if (!f) {
            fprintf(stderr, "%s has no %s\n", library, functions[k].name);
            return false;
        }
        *(void **)functions[k].where = f;
    }
    return true;
}

bool hw_driver_open(const char *library, struct hw_device *d) {
    int device;
    if (!find_functions(library))
        return false;
    int r = cu.init(0);
    if (r || cu.device(&device, 0)) {
        fprintf(stderr, "%s finds no device (cuInit: %d)\n", library, r);
        return false;
    }
    check(cu.version(&d->api), "cuDriverGetVersion");
    check(cu.name(d->name, sizeof d->name, device), "cuDeviceGetName");
    check(cu.attribute(&d->major, CAPABILITY_MAJOR, device), "cuDeviceGetAttribute");
    check(cu.attribute(&d->minor, CAPABILITY_MINOR, device), "cuDeviceGetAttribute");
    check(cu.retain(&context, device), "cuDevicePrimaryCtxRetain");
    return true;
}

void hw_driver_enter(void) {
    check(cu.set_current(context), "cuCtxSetCurrent");
}

hw_module hw_driver_load(const char *text, char *log, size_t log_size) {
    int options[] = {ERROR_LOG, ERROR_LOG_SIZE};
    void *values[] = {log, (void *)log_size}, *m = NULL;
    log[0] = 0;
    return cu.load(&m, text, 2, options, values) ? NULL : m;
}

void hw_driver_unload(hw_module m) {
    check(cu.unload(m), "cuModuleUnload");
}

uint64_t hw_driver_allocate(size_t bytes) {
    uint64_t p = 0;
    check(cu.allocate(&p, bytes), "cuMemAlloc");
    return p;
}

void hw_driver_upload(uint64_t to, const void *from, size_t bytes) {
    check(cu.upload(to, from, bytes), "cuMemcpyHtoD");
}

void hw_driver_download(void *to, uint64_t from, size_t bytes) {
    check(cu.download(to, from, bytes), "cuMemcpyDtoH");
}

void hw_driver_free(uint64_t p) {
    check(cu.free(p), "cuMemFree");
}

int hw_driver_launch(hw_module m, const char *kernel, unsigned blocks, unsigned threads,
                     void **params) {
    void *f = NULL;
    check(cu.function(&f, m, kernel), kernel);
    int r = cu.launch(f, blocks, 1, 1, threads, 1, 1, 0, NULL, params, NULL);
    if (!r)
        check(cu.synchronize(), kernel);
    return r;
}
