#include "stand_in.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct stand_in stand_in __attribute__((visibility("default")));

// A context, a stream, an event or a pool is its address; a library is its image.
static struct context {
    int device;
    bool active;
} primaries[STAND_IN_DEVICES] = {{0, false}, {1, false}};
static _Thread_local CUcontext current;

static struct kernel {
    const void *image;
    char name[64];
} kernels[64];
static int nkernels;
static struct variable {
    const void *image;
    char name[64];
    int words[64];
} variables[64];
static int nvariables;

// Counts the call and gives the failure that was asked for.
#define CALL(name)                                                                                 \
    do {                                                                                           \
        stand_in.calls++;                                                                          \
        if (stand_in.fail_in && strcmp(stand_in.fail_in, #name) == 0) {                            \
            stand_in.fail_in = NULL;                                                               \
            return stand_in.failure;                                                               \
        }                                                                                          \
    } while (0)

static CUresult fake_cuInit(unsigned int flags) {
    CALL(cuInit);
    return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult fake_cuDriverGetVersion(int *version) {
    const char *wanted = getenv("STAND_IN_VERSION");
    CALL(cuDriverGetVersion);
    *version = wanted ? atoi(wanted) : 12090;
    return CUDA_SUCCESS;
}

static CUresult fake_cuDeviceGetCount(int *count) {
    const char *wanted = getenv("STAND_IN_COUNT");
    CALL(cuDeviceGetCount);
    *count = wanted ? atoi(wanted) : STAND_IN_DEVICES;
    return CUDA_SUCCESS;
}

static CUresult fake_cuDeviceGetName(char *name, int size, CUdevice device) {
    CALL(cuDeviceGetName);
    strncpy(name, device ? "second" : "first", size);
    return CUDA_SUCCESS;
}

static CUresult fake_cuDeviceTotalMem(size_t *bytes, CUdevice device) {
    CALL(cuDeviceTotalMem);
    *bytes = (size_t)(device + 1) << 33;
    return CUDA_SUCCESS;
}

static CUresult fake_cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
    CALL(cuDeviceGetUuid);
    memset(uuid, 0x40 + device, sizeof *uuid);
    return CUDA_SUCCESS;
}

// Each attribute is its number plus 1000, so that a field shows where it came from; the limits of
// launches are small.
static CUresult fake_cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                          CUdevice device) {
    CALL(cuDeviceGetAttribute);
    if ((int)attribute <= 0 || (int)attribute >= CU_DEVICE_ATTRIBUTE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 128;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
        *value = 100;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
        *value = 10;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 8 + device;
        break;
    default:
        *value = 1000 + (int)attribute;
    }
    return CUDA_SUCCESS;
}

static CUresult fake_cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    CALL(cuDevicePrimaryCtxRetain);
    stand_in.retains[device]++;
    primaries[device].active = true;
    *context = (CUcontext)&primaries[device];
    return CUDA_SUCCESS;
}

static CUresult fake_cuDevicePrimaryCtxRelease(CUdevice device) {
    CALL(cuDevicePrimaryCtxRelease);
    stand_in.releases[device]++;
    primaries[device].active = false;
    return CUDA_SUCCESS;
}

static CUresult fake_cuDevicePrimaryCtxReset(CUdevice device) {
    CALL(cuDevicePrimaryCtxReset);
    stand_in.resets[device]++;
    primaries[device].active = false;
    return CUDA_SUCCESS;
}

static CUresult fake_cuCtxGetCurrent(CUcontext *context) {
    *context = current;
    return CUDA_SUCCESS;
}

static CUresult fake_cuCtxSetCurrent(CUcontext context) {
    CALL(cuCtxSetCurrent);
    current = context;
    return CUDA_SUCCESS;
}

static CUresult usable(void) {
    if (!current)
        return CUDA_ERROR_INVALID_CONTEXT;
    return ((struct context *)current)->active ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static CUresult fake_cuCtxGetDevice(CUdevice *device) {
    CALL(cuCtxGetDevice);
    if (!current)
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = ((struct context *)current)->device;
    return CUDA_SUCCESS;
}

static CUresult fake_cuCtxSynchronize(void) {
    CALL(cuCtxSynchronize);
    return usable();
}

static CUresult fake_cuMemAlloc(CUdeviceptr *address, size_t size) {
    CALL(cuMemAlloc);
    *address = (CUdeviceptr)malloc(size);
    return usable();
}

static CUresult fake_cuMemFree(CUdeviceptr address) {
    CALL(cuMemFree);
    free((void *)address);
    return usable();
}

// ---- What takes a stream, in both forms -------------------------------------------------------

#define BOTH_FORMS(name, parameters, arguments, stream)                                            \
    static CUresult fake_##name parameters {                                                       \
        CALL(name);                                                                                \
        stand_in.last_call = #name;                                                                \
        stand_in.last_stream = stream;                                                             \
        stand_in.last_per_thread = 0;                                                              \
        return do_##name arguments;                                                                \
    }                                                                                              \
    static CUresult fake_##name##_pt parameters {                                                  \
        CALL(name);                                                                                \
        stand_in.last_call = #name;                                                                \
        stand_in.last_stream = stream;                                                             \
        stand_in.last_per_thread = 1;                                                              \
        return do_##name arguments;                                                                \
    }

static CUresult do_cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t n) {
    memcpy((void *)dst, src, n);
    return usable();
}
BOTH_FORMS(cuMemcpyHtoD, (CUdeviceptr dst, const void *src, size_t n), (dst, src, n), NULL)

static CUresult do_cuMemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t n) {
    memcpy((void *)dst, src, n);
    return usable();
}
BOTH_FORMS(cuMemcpyHtoDAsync, (CUdeviceptr dst, const void *src, size_t n, CUstream s),
           (dst, src, n), s)

static CUresult do_cuStreamQuery(void) {
    return usable();
}
BOTH_FORMS(cuStreamQuery, (CUstream s), (), s)

static CUresult do_cuEventRecord(CUevent event) {
    return event ? usable() : CUDA_ERROR_INVALID_HANDLE;
}
BOTH_FORMS(cuEventRecord, (CUevent event, CUstream s), (event), s)

static CUresult do_cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
                                  unsigned int bx, unsigned int by, unsigned int bz,
                                  unsigned int shared) {
    stand_in.kernel = ((struct kernel *)f)->name;
    stand_in.grid[0] = gx;
    stand_in.grid[1] = gy;
    stand_in.grid[2] = gz;
    stand_in.block[0] = bx;
    stand_in.block[1] = by;
    stand_in.block[2] = bz;
    stand_in.shared = shared;
    stand_in.nattributes = 0;
    return usable();
}
BOTH_FORMS(cuLaunchKernel,
           (CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
            unsigned int by, unsigned int bz, unsigned int shared, CUstream s, void **params,
            void **extra),
           (f, gx, gy, gz, bx, by, bz, shared), s)

static CUresult do_cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f) {
    CUresult result = do_cuLaunchKernel(f, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX,
                                        c->blockDimY, c->blockDimZ, c->sharedMemBytes);
    stand_in.nattributes = c->numAttrs;
    return result;
}
BOTH_FORMS(cuLaunchKernelEx, (const CUlaunchConfig *c, CUfunction f, void **params, void **extra),
           (c, f), c->hStream)

// ---- Libraries --------------------------------------------------------------------------------

static CUresult fake_cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
                                       void **values, unsigned int n, CUlibraryOption *loptions,
                                       void **lvalues, unsigned int nl) {
    CALL(cuLibraryLoadData);
    if (strncmp(image, ".version", 8) != 0)
        return CUDA_ERROR_INVALID_IMAGE;
    stand_in.loads++;
    *library = (CUlibrary)image;
    return CUDA_SUCCESS;
}

static CUresult fake_cuLibraryUnload(CUlibrary library) {
    CALL(cuLibraryUnload);
    stand_in.unloads++;
    return CUDA_SUCCESS;
}

// Whether the text has the word after `kind`, which ends there.
static bool declares(const char *text, const char *kind, const char *name, const char *ends) {
    size_t length = strlen(name);
    for (const char *at = strstr(text, kind); at; at = strstr(at + 1, kind)) {
        const char *word = at + strlen(kind);
        if (strncmp(word, name, length) == 0 && strchr(ends, word[length]))
            return true;
    }
    return false;
}

static CUresult fake_cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
    CALL(cuLibraryGetKernel);
    if (!declares((const char *)library, ".entry ", name, "("))
        return CUDA_ERROR_NOT_FOUND;
    for (int i = 0; i < nkernels; i++)
        if (kernels[i].image == library && strcmp(kernels[i].name, name) == 0) {
            *kernel = (CUkernel)&kernels[i];
            return CUDA_SUCCESS;
        }
    kernels[nkernels].image = library;
    strncpy(kernels[nkernels].name, name, sizeof kernels->name - 1);
    *kernel = (CUkernel)&kernels[nkernels++];
    return CUDA_SUCCESS;
}

static CUresult fake_cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
    CALL(cuKernelGetFunction);
    stand_in.functions++;
    *function = (CUfunction)kernel;
    return usable();
}

static CUresult fake_cuLibraryGetGlobal(CUdeviceptr *address, size_t *size, CUlibrary library,
                                        const char *name) {
    CALL(cuLibraryGetGlobal);
    bool table = declares((const char *)library, ".b8 ", name, "[");
    if (!table && !declares((const char *)library, ".u32 ", name, " "))
        return CUDA_ERROR_NOT_FOUND;
    *size = table ? 16 : 4;
    int i = 0;
    while (i < nvariables &&
           (variables[i].image != library || strcmp(variables[i].name, name) != 0))
        i++;
    if (i == nvariables) {
        variables[i].image = library;
        strncpy(variables[i].name, name, sizeof variables->name - 1);
        nvariables++;
    }
    *address = (CUdeviceptr)variables[i].words;
    return CUDA_SUCCESS;
}

// ---- cuGetProcAddress -------------------------------------------------------------------------

static const struct {
    const char *name;
    int version;
    int per_thread;
} documented[] = {
#define API_ENTRY(name, version, per_thread, function) {name, version, per_thread},
#include "api/driver_table.inc"
#undef API_ENTRY
};

static const struct {
    const char *name;
    void *plain, *per_thread;
} entries[] = {
#define ENTRY(name) {#name, (void *)fake_##name, (void *)fake_##name},
#define ENTRY_BOTH(name) {#name, (void *)fake_##name, (void *)fake_##name##_pt},
#undef cuDeviceTotalMem
#undef cuDeviceGetUuid
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuMemAlloc
#undef cuMemFree
#undef cuMemcpyHtoD
#undef cuMemcpyHtoDAsync
    ENTRY(cuInit) ENTRY(cuDriverGetVersion) ENTRY(cuDeviceGetCount) ENTRY(cuDeviceGetName)
        ENTRY(cuDeviceTotalMem) ENTRY(cuDeviceGetUuid) ENTRY(cuDeviceGetAttribute)
            ENTRY(cuDevicePrimaryCtxRetain) ENTRY(cuDevicePrimaryCtxRelease)
                ENTRY(cuDevicePrimaryCtxReset) ENTRY(cuCtxGetCurrent) ENTRY(cuCtxSetCurrent)
                    ENTRY(cuCtxGetDevice) ENTRY(cuCtxSynchronize) ENTRY(cuMemAlloc) ENTRY(cuMemFree)
                        ENTRY_BOTH(cuMemcpyHtoD) ENTRY_BOTH(cuMemcpyHtoDAsync)
                            ENTRY_BOTH(cuStreamQuery) ENTRY_BOTH(cuEventRecord)
                                ENTRY_BOTH(cuLaunchKernel) ENTRY_BOTH(cuLaunchKernelEx)
                                    ENTRY(cuLibraryLoadData) ENTRY(cuLibraryUnload)
                                        ENTRY(cuLibraryGetKernel) ENTRY(cuKernelGetFunction)
                                            ENTRY(cuLibraryGetGlobal)};

static bool is_documented(const char *name, int version) {
    for (size_t i = 0; i < sizeof documented / sizeof *documented; i++)
        if (strcmp(documented[i].name, name) == 0 && documented[i].version <= version)
            return true;
    return false;
}

__attribute__((visibility("default"))) CUresult
cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                    CUdriverProcAddressQueryResult *status) {
    *function = NULL;
    if (status)
        *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    const char *lacks = getenv("STAND_IN_LACKS");
    if (lacks && strcmp(lacks, symbol) == 0)
        return CUDA_ERROR_NOT_FOUND;
    if (!is_documented(symbol, version)) {
        stand_in.undocumented++;
        strncpy(stand_in.last_undocumented, symbol, sizeof stand_in.last_undocumented - 1);
        return CUDA_ERROR_NOT_FOUND;
    }
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(entries[i].name, symbol) != 0)
            continue;
        bool per_thread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
        *function = per_thread ? entries[i].per_thread : entries[i].plain;
        if (status)
            *status = CU_GET_PROC_ADDRESS_SUCCESS;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}
