// cuGetProcAddress: functions by name and version (guide 21.5). The table is generated from
// src/api/driver.api.
#include <string.h>

#include "driver/driver.h"

struct entry {
    const char *name;
    int version;    // of CUDA, since which this is what the name means
    int per_thread; // the variant with the per-thread default stream
    void *function;
};

static const struct entry table[] = {
#define API_ENTRY(name, version, per_thread, function)                                             \
    {name, version, per_thread, (void *)function},
#include "api/driver_table.inc"
#undef API_ENTRY
};
enum { TABLE_SIZE = sizeof table / sizeof table[0] };

// The table is sorted by name, then version. Returns the first entry of the name, or NULL.
static const struct entry *first_of_name(const char *name) {
    size_t low = 0, high = TABLE_SIZE;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(table[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < TABLE_SIZE && !strcmp(table[low].name, name) ? &table[low] : NULL;
}

static const struct entry *best(const struct entry *first, int version, bool per_thread) {
    const struct entry *found = NULL;
    int latest = drv_version();
    if (version > latest)
        version = latest;
    for (const struct entry *e = first; e < table + TABLE_SIZE && !strcmp(e->name, first->name);
         e++)
        if (e->version <= version && e->per_thread == per_thread)
            found = e;
    return found;
}

static CUresult find(const char *symbol, void **pfn, int version, cuuint64_t flags,
                     CUdriverProcAddressQueryResult *status) {
    REQUIRE_POINTER(symbol);
    REQUIRE_POINTER(pfn);
    REQUIRE((flags & ~(cuuint64_t)3) == 0 && flags != 3, CUDA_ERROR_INVALID_VALUE,
            "flags %llu: one of LEGACY_STREAM and PER_THREAD_DEFAULT_STREAM, or 0",
            (unsigned long long)flags);
    *pfn = NULL;
    const struct entry *first = first_of_name(symbol);
    const struct entry *e = NULL;
    if (first && flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        e = best(first, version, true);
    if (first && !e)
        e = best(first, version, false);
    if (status)
        *status = e       ? CU_GET_PROC_ADDRESS_SUCCESS
                  : first ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                          : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (e)
        *pfn = e->function;
    else if (!status)
        FAIL(CUDA_ERROR_NOT_FOUND, first ? "%s is not in CUDA %d.%d" : "there is no function %s",
             symbol, version / 1000, version % 1000 / 10);
    return CUDA_SUCCESS;
}

// The function that `symbol` (without version suffix) means in CUDA version `cudaVersion`.
// Where there is none, *pfn is NULL and *symbolStatus says why; without symbolStatus the answer is
// CUDA_ERROR_NOT_FOUND (guide 21.5.5). Works before cuInit.
CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *symbolStatus) {
    drv_api = __func__;
    return find(symbol, pfn, cudaVersion, flags, symbolStatus);
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
    drv_api = __func__;
    return find(symbol, pfn, cudaVersion, flags, NULL);
}
