#include "isa/device_functions.h"

#include <string.h>

#include "abi/generated_code.h"

static bool same(const char *name, const char *known) {
    static const char prefix[] = "__cudaCDP2", plain[] = "cuda";
    if (!strncmp(name, prefix, sizeof prefix - 1)) {
        name += sizeof prefix - 1;
        known += sizeof plain - 1;
    }
    size_t n = strlen(known);
    return !strncmp(name, known, n) && (!name[n] || !strcmp(name + n, "_ptsz"));
}

const struct device_function *device_function_find(const char *name) {
#define ENTRY(name, nargs, aggregates, bits) {#name, KD_##name, nargs, aggregates, bits},
    static const struct device_function table[] = {KD_DEVICE_FUNCTIONS(ENTRY)};
#undef ENTRY
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (same(name, table[i].name))
            return &table[i];
    return NULL;
}

bool device_provides(const char *name) {
    static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return device_function_find(name) != NULL;
}

bool device_lacks(const char *name) {
    return same(name, "cudaDeviceSynchronize");
}

bool device_launches(const char *name) {
    const struct device_function *f = device_function_find(name);
    switch (f ? f->function : KD_DEVICE_FUNCTION_COUNT) {
    case KD_cudaLaunchDevice:
    case KD_cudaLaunchDeviceV2:
    case KD_cudaMemcpyAsync:
    case KD_cudaMemcpy2DAsync:
    case KD_cudaMemcpy3DAsync:
    case KD_cudaMemsetAsync:
    case KD_cudaMemset2DAsync:
    case KD_cudaMemset3DAsync:
        return true;
    default:
        return false;
    }
}
