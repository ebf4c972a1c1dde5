// Fills the table of the driver's functions.
#include "runtime/load/driver_table.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#include "api/api.h"
#include "runtime/runtime.h"

struct rt_driver_table rt_driver[2];

// Forms with the per-thread default stream came with version 7.0: an older one has none.
enum { PER_THREAD_SINCE = 7000 };

// The driver's own version; INT_MAX: not known yet.
static int latest = INT_MAX;

// A driver is not asked for functions of later versions: it would tell of each in CUDA_LOG_FILE.
static void *look_up(const char *name, int version, cuuint64_t flags) {
    void *function = NULL;
    CUdriverProcAddressQueryResult status;
    if (version > latest)
        return NULL;
    CUresult result = rt_driver[0].get_proc_address(name, &function, version, flags, &status);
    return result == CUDA_SUCCESS && status == CU_GET_PROC_ADDRESS_SUCCESS ? function : NULL;
}

static void find_latest(void) {
    int version;
    PFN_cuDriverGetVersion_v2020 ask =
        (PFN_cuDriverGetVersion_v2020)look_up("cuDriverGetVersion", 2020, 0);
    if (ask && ask(&version) == CUDA_SUCCESS)
        latest = version;
}

static void fill(struct rt_driver_table *table, cuuint64_t flags, int oldest) {
#define RT_DRIVER_FUNCTION(name, version)                                                          \
    table->name =                                                                                  \
        (PFN_##name##_v##version)look_up(#name, version > oldest ? version : oldest, flags);
#define RT_DRIVER_FORM(name, version, suffix)                                                      \
    table->name##suffix =                                                                          \
        (PFN_##name##_v##version)look_up(#name, version > oldest ? version : oldest, flags);
#include "runtime/driver_functions.def"
#undef RT_DRIVER_FUNCTION
#undef RT_DRIVER_FORM
}

// The functions that every call of the runtime goes through: they are called without a check.
static const char *missing(void) {
#define NEEDED(name)                                                                               \
    if (!rt_driver[0].name)                                                                        \
        return #name;
    NEEDED(cuInit)
    NEEDED(cuDriverGetVersion)
    NEEDED(cuDeviceGetCount)
    NEEDED(cuDeviceGetAttribute)
    NEEDED(cuDevicePrimaryCtxRetain)
    NEEDED(cuDevicePrimaryCtxRelease)
    NEEDED(cuDevicePrimaryCtxReset)
    NEEDED(cuCtxGetCurrent)
    NEEDED(cuCtxSetCurrent)
    NEEDED(cuCtxGetDevice)
#undef NEEDED
    return NULL;
}

_Bool rt_fill_driver_table(void *library, char *reason, size_t size) {
    PFN_cuGetProcAddress_v12000 get =
        (PFN_cuGetProcAddress_v12000)dlsym(library, "cuGetProcAddress_v2");
    if (!get) {
        snprintf(reason, size, "the CUDA driver is older than 12.0: it has no cuGetProcAddress_v2");
        return 0;
    }
    rt_driver[0].get_proc_address = rt_driver[1].get_proc_address = get;
    find_latest();
    fill(&rt_driver[0], CU_GET_PROC_ADDRESS_LEGACY_STREAM, 0);
    fill(&rt_driver[1], CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, PER_THREAD_SINCE);
    const char *name = missing();
    if (name)
        snprintf(reason, size, "the CUDA driver has no %s", name);
    return !name;
}

CUresult rt_driver_lacks(const char *name) {
    rt_fail("cudart", cudaErrorCallRequiresNewerDriver, "the CUDA driver has no %s", name);
    return (CUresult)cudaErrorCallRequiresNewerDriver;
}
