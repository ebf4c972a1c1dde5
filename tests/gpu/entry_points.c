// entry_points: asks a driver by cuGetProcAddress for every function that the runtime calls, as the
// runtime asks, and lists what it refuses, with the versions that it would accept.
//
// Usage: entry_points [libcuda.so.1]. Exit status 0: the driver has all of them.
#include <dlfcn.h>
#include <stdio.h>

#include "cuda.h"
#include "cudaTypedefs.h"

static const struct {
    const char *name;
    int version;
} functions[] = {
#define RT_DRIVER_FUNCTION(name, version) {#name, version},
#define RT_DRIVER_FORM(name, version, suffix) {#name, version},
#include "runtime/driver_functions.def"
#undef RT_DRIVER_FUNCTION
#undef RT_DRIVER_FORM
};

// Every version that the description of the driver API names.
static const int versions[] = {2000,  2010,  2020,  2030,  3000,  3010,  3020,  4000,  4010,
                               4020,  5000,  5050,  6000,  6050,  7000,  7050,  8000,  9000,
                               9010,  9020,  10000, 10010, 10020, 11000, 11010, 11020, 11030,
                               11040, 11050, 11060, 11070, 11080, 12000, 12010, 12020, 12030,
                               12040, 12050, 12060, 12080, 12090, 13000};

static PFN_cuGetProcAddress_v12000 get_proc_address;

static void *look_up(const char *name, int version, cuuint64_t flags, int *status) {
    void *function = NULL;
    CUdriverProcAddressQueryResult answer = CU_GET_PROC_ADDRESS_SUCCESS;
    CUresult result = get_proc_address(name, &function, version, flags, &answer);
    *status = result == CUDA_SUCCESS ? (int)answer : -(int)result;
    return result == CUDA_SUCCESS ? function : NULL;
}

// The versions from which the answer is another function.
static void print_versions(const char *name, cuuint64_t flags) {
    void *before = NULL;
    int status;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        void *function = look_up(name, versions[i], flags, &status);
        if (function != before)
            printf(" %d", versions[i]);
        before = function;
    }
    printf("\n");
}

static int check(const char *title, cuuint64_t flags) {
    int refused = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        int status, version = functions[i].version;
        if (flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM && version < 7000)
            version = 7000;
        if (look_up(functions[i].name, version, flags, &status))
            continue;
        printf("%s: %s of version %d is refused (%d); accepted from:", title, functions[i].name,
               version, status);
        print_versions(functions[i].name, flags);
        refused++;
    }
    return refused;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "entry_points: %s\n", dlerror());
        return 2;
    }
    get_proc_address = (PFN_cuGetProcAddress_v12000)dlsym(library, "cuGetProcAddress_v2");
    if (!get_proc_address) {
        fprintf(stderr, "entry_points: %s has no cuGetProcAddress_v2\n", path);
        return 2;
    }
    int refused = check("legacy", CU_GET_PROC_ADDRESS_LEGACY_STREAM) +
                  check("per thread", CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    printf("%d of %zu functions refused\n", refused, 2 * sizeof functions / sizeof *functions);
    return refused != 0;
}
