#include "tools/nvml_functions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct nvml_functions nvml;
struct found_driver nvml_driver;

// Drivers have their management library beside them.
static void *open_beside(const char *driver) {
    char path[PATH_MAX + 32];
    const char *slash = strrchr(driver, '/');
    snprintf(path, sizeof path, "%.*slibnvidia-ml.so.1", slash ? (int)(slash - driver) + 1 : 0,
             driver);
    return dlopen(path, RTLD_NOW);
}

bool nvml_load(void) {
    find_driver(&nvml_driver);
    if (!nvml_driver.handle) {
        fprintf(stderr, "kudzu smi: error: %s\n", nvml_driver.why);
        return false;
    }
    void *library = open_beside(nvml_driver.path);
    if (!library) {
        fprintf(stderr, "kudzu smi: error: %s\n", dlerror());
        return false;
    }
    const struct {
        void *function;
        const char *name;
    } table[] = {
#define NVML_ROW(name, symbol, parameters) {&nvml.name, #symbol},
        NVML_FUNCTIONS(NVML_ROW)
#undef NVML_ROW
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
        if (!(*(void **)table[i].function = dlsym(library, table[i].name))) {
            fprintf(stderr, "kudzu smi: error: the management library has no %s\n", table[i].name);
            return false;
        }
    nvmlReturn_t result = nvml.Init();
    if (result != NVML_SUCCESS)
        fprintf(stderr, "kudzu smi: error: the management library does not start: error %d\n",
                (int)result);
    return result == NVML_SUCCESS;
}
