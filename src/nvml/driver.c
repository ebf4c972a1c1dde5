// What the driver tells of its devices, by its documented functions.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvml/nvml.h"

enum { // CUdevice_attribute
    MULTIPROCESSORS = 16,
    PCI_DEVICE_ID = 34,
    PAGEABLE_MEMORY = 88,
    PAGEABLE_BY_HOST_TABLES = 100,
    MAJOR = 75,
    MINOR = 76,
};

struct driver {
    int (*init)(unsigned);
    int (*version)(int *);
    int (*count)(int *);
    int (*device)(int *, int);
    int (*name)(char *, int, int);
    int (*uuid)(unsigned char *, int);
    int (*bus)(char *, int, int);
    int (*total)(size_t *, int);
    int (*attribute)(int *, int, int);
};

// The driver that lies beside this library, or else the one that programs find.
static void *open_driver(char path[PATH_MAX]) {
    Dl_info info;
    char own[PATH_MAX];
    void *handle = NULL;
    if (dladdr((void *)open_driver, &info) && realpath(info.dli_fname, own)) {
        *strrchr(own, '/') = 0;
        snprintf(path, PATH_MAX, "%.*s/libcuda.so.1", PATH_MAX - 16, own);
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!handle)
        handle = dlopen(strcpy(path, "libcuda.so.1"), RTLD_NOW | RTLD_LOCAL);
    return handle;
}

static bool find_functions(void *handle, struct driver *d) {
    const struct {
        void *function;
        const char *name;
    } table[] = {
        {&d->init, "cuInit"},
        {&d->version, "cuDriverGetVersion"},
        {&d->count, "cuDeviceGetCount"},
        {&d->device, "cuDeviceGet"},
        {&d->name, "cuDeviceGetName"},
        {&d->uuid, "cuDeviceGetUuid_v2"},
        {&d->bus, "cuDeviceGetPCIBusId"},
        {&d->total, "cuDeviceTotalMem_v2"},
        {&d->attribute, "cuDeviceGetAttribute"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
        if (!(*(void **)table[i].function = dlsym(handle, table[i].name)))
            return false;
    return true;
}

static bool describe(const struct driver *d, int index, struct nvmlDevice_st *out) {
    unsigned char id[16];
    int device;
    size_t total;
    out->index = (unsigned)index;
    if (d->device(&device, index) || d->name(out->name, sizeof out->name, device) ||
        d->uuid(id, device) || d->bus(out->bus, sizeof out->bus, device) ||
        d->total(&total, device) || d->attribute(&out->multiprocessors, MULTIPROCESSORS, device) ||
        d->attribute(&out->major, MAJOR, device) || d->attribute(&out->minor, MINOR, device) ||
        d->attribute(&out->number, PCI_DEVICE_ID, device) ||
        d->attribute(&out->pageable, PAGEABLE_MEMORY, device) ||
        d->attribute(&out->host_page_tables, PAGEABLE_BY_HOST_TABLES, device))
        return false;
    out->total = total;
    char *at = out->uuid + sprintf(out->uuid, "GPU-");
    for (int i = 0; i < 16; i++)
        at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id[i]);
    return true;
}

static void note_path(void *handle, struct nvml_system *s) {
    Dl_info info;
    if (!dladdr(dlsym(handle, "cuInit"), &info) || !realpath(info.dli_fname, s->driver_path))
        s->driver_path[0] = 0;
}

nvmlReturn_t nvml_ask_driver(struct nvml_system *s) {
    char path[PATH_MAX] = "";
    struct driver d;
    int count = 0;
    void *before = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    s->program_uses_driver = before != NULL;
    if (before)
        dlclose(before);
    void *handle = open_driver(path);
    if (!handle || !find_functions(handle, &d))
        return NVML_ERROR_DRIVER_NOT_LOADED;
    note_path(handle, s);
    s->count = 0;
    d.version(&s->cuda_version);
    // A driver without a visible device is a system without devices.
    if (!d.init(0) && !d.count(&count))
        for (int i = 0; i < count && i < NVML_MAX_DEVICES; ++i)
            if (describe(&d, i, &s->devices[s->count]))
                s->count++;
    return NVML_SUCCESS;
}
