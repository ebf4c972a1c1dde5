#define _GNU_SOURCE
#include "runtime/load/find_driver.h"

#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/load/find_cpu_driver.h"
#include "support/environment.h"

// Where systems keep NVIDIA's driver. By path: a program's own search path leads to kudzu's, which
// has the same name.
static const char *const system_folders[] = {
#if defined(__x86_64__)
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
#elif defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib/aarch64-linux-gnu/nvidia",
#endif
    "/usr/lib",
    "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
    "/run/opengl-driver/lib",
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct found_driver *found,
                                                         const char *why, ...) {
    va_list args;
    va_start(args, why);
    vsnprintf(found->why, sizeof found->why, why, args);
    va_end(args);
    found->handle = NULL;
    return false;
}

// Opens `name` and remembers where it lies.
static bool open_library(struct found_driver *found, const char *name, int more_flags) {
    struct link_map *map;
    found->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | more_flags);
    if (!found->handle)
        return false;
    bool known = dlinfo(found->handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name;
    snprintf(found->path, sizeof found->path, "%s", known ? map->l_name : name);
    return true;
}

// ---- Drivers of GPUs --------------------------------------------------------------------------

// The driver's functions are found as every function of a driver is: by cuGetProcAddress.
static void *function_of(const struct found_driver *found, const char *name, int version) {
    int (*get)(const char *, void **, int, unsigned long long, int *);
    void *function = NULL;
    *(void **)&get = dlsym(found->handle, "cuGetProcAddress_v2");
    return get && get(name, &function, version, 0, NULL) == 0 ? function : NULL;
}

// Whether the opened driver starts and has a device that is not the CPU.
static bool has_gpu(struct found_driver *found) {
    int (*init)(unsigned int), (*count)(int *), (*name)(char *, int, int);
    *(void **)&init = function_of(found, "cuInit", 2000);
    *(void **)&count = function_of(found, "cuDeviceGetCount", 2000);
    *(void **)&name = function_of(found, "cuDeviceGetName", 2000);
    char text[256] = "";
    int status, devices = 0;
    if (!init || !count || !name)
        return refuse(found, "%s is no CUDA driver of version 12.0 or later", found->path);
    if ((status = init(0)) != 0 || (status = count(&devices)) != 0)
        return refuse(found, "%s does not start: error %d", found->path, status);
    if (devices == 0 || name(text, sizeof text, 0) != 0)
        return refuse(found, "%s has no device", found->path);
    if (strncmp(text, "kudzu ", 6) == 0)
        return refuse(found, "%s is kudzu's own", found->path);
    snprintf(found->why, sizeof found->why, "it has a GPU");
    return true;
}

// "LENGTH bytes of FOLDER" / name; false where there is no such file.
static bool file_in(char *path, const char *folder, size_t length, const char *name) {
    int n = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, name);
    return length > 0 && n < PATH_MAX && access(path, R_OK) == 0;
}

// kudzu's own driver, which lies beside its JIT, is not even opened.
static bool gpu_driver_in(struct found_driver *found, const char *folder, size_t length) {
    char path[PATH_MAX];
    if (file_in(path, folder, length, "libkudzu-jit.so") ||
        !file_in(path, folder, length, "libcuda.so.1"))
        return false;
    if (!open_library(found, path, 0))
        return refuse(found, "%s", dlerror());
    return has_gpu(found);
}

static bool find_gpu(struct found_driver *found) {
    refuse(found, "NVIDIA's driver, libcuda.so.1, is not on this machine");
    const char *list = environment_get("LD_LIBRARY_PATH");
    while (list && *list) {
        size_t length = strcspn(list, ":;");
        if (gpu_driver_in(found, list, length))
            return true;
        list += length + (list[length] != 0);
    }
    for (size_t i = 0; i < sizeof system_folders / sizeof *system_folders; i++)
        if (gpu_driver_in(found, system_folders[i], strlen(system_folders[i])))
            return true;
    return false;
}

// ---- kudzu's driver ---------------------------------------------------------------------------

static bool open_cpu_driver(const char *path, void *found) {
    return open_library(found, path, 0);
}

static bool open_on_library_path(struct found_driver *found) {
    return open_library(found, "libcuda.so.1", 0);
}

// What the library path leads to may be NVIDIA's: kudzu's lies beside its JIT.
static bool open_cpu_driver_on_library_path(void *data) {
    struct found_driver *found = data;
    char path[PATH_MAX];
    if (!open_on_library_path(found))
        return false;
    const char *slash = strrchr(found->path, '/');
    return slash && file_in(path, found->path, (size_t)(slash - found->path), "libkudzu-jit.so");
}

// `any`: where there is no driver of kudzu's, another one will do, and gives the error.
static bool find_cpu(struct found_driver *found, bool any) {
    return find_cpu_driver(open_cpu_driver, open_cpu_driver_on_library_path, found) ||
           (any && open_on_library_path(found)) ||
           refuse(found, "no CUDA driver was found: kudzu's lies in none of the places where it is "
                         "looked for; KUDZU_HOME may name the folder of an installation");
}

// ---- The choice -------------------------------------------------------------------------------

static void find_by_device(struct found_driver *found, const char *device) {
    bool automatic = !device || !*device || strcmp(device, "auto") == 0;
    if (!automatic && strcmp(device, "gpu") == 0) {
        char why[sizeof found->why];
        if (find_gpu(found))
            return;
        memcpy(why, found->why, sizeof why);
        refuse(found, "KUDZU_DEVICE asks for a GPU: %.*s", (int)sizeof why - 64, why);
        return;
    }
    if (!automatic && strcmp(device, "cpu") != 0) {
        refuse(found, "KUDZU_DEVICE is '%.64s': it must be cpu, gpu or auto", device);
        return;
    }
    if (automatic && find_gpu(found))
        return;
    char why[sizeof found->why];
    memcpy(why, found->why, sizeof why);
    if (find_cpu(found, automatic))
        snprintf(found->why, sizeof found->why, "%s",
                 automatic ? why : "KUDZU_DEVICE asks for the CPU");
}

void find_driver(struct found_driver *found) {
    const char *path = environment_get("KUDZU_DRIVER");
    memset(found, 0, sizeof *found);
    if (path && *path) {
        if (open_library(found, path, 0))
            snprintf(found->why, sizeof found->why, "KUDZU_DRIVER names it");
        else
            refuse(found, "KUDZU_DRIVER names no driver that can be loaded: %s", dlerror());
    } else if (open_library(found, "libcuda.so.1", RTLD_NOLOAD)) {
        snprintf(found->why, sizeof found->why, "the program has loaded it");
    } else {
        find_by_device(found, environment_get("KUDZU_DEVICE"));
    }
}
