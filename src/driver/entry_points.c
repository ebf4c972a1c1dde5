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

static bool same_name(const struct entry *e, const char *name) {
    return e < table + TABLE_SIZE && !strcmp(e->name, name);
}

// Where the per-thread default stream is asked for, a function that knows streams has only the
// forms that came with it: before version 7.0 there is none.
static const struct entry *best(const struct entry *first, int version, bool per_thread) {
    const struct entry *found = NULL;
    bool has_forms = false;
    for (const struct entry *e = first; same_name(e, first->name); e++)
        has_forms |= e->per_thread;
    for (const struct entry *e = first; same_name(e, first->name); e++)
        if (e->version <= version && e->per_thread == (per_thread && has_forms))
            found = e;
    return found;
}

// What `symbol` means in a version of CUDA, as NVIDIA's driver answers (tests/driver/
// proc_addresses.txt): a version after the driver's is an error, one below zero the driver's own.
static CUresult find(const char *symbol, void **pfn, int version, cuuint64_t flags,
                     const struct entry **out, CUdriverProcAddressQueryResult *status) {
    REQUIRE_POINTER(symbol);
    REQUIRE_POINTER(pfn);
    const cuuint64_t known =
        CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    REQUIRE(!(flags & ~known), CUDA_ERROR_INVALID_VALUE, "flags %#llx are not known",
            (unsigned long long)flags);
    int latest = drv_version();
    REQUIRE(version <= latest, CUDA_ERROR_INVALID_VALUE,
            "the driver is of CUDA %d.%d, and functions of %d.%d are asked for", latest / 1000,
            latest % 1000 / 10, version / 1000, version % 1000 / 10);
    const struct entry *first = first_of_name(symbol);
    if (first && first->version > latest)
        first = NULL;
    *out = first ? best(first, version < 0 ? latest : version,
                        flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
                 : NULL;
    *status = *out    ? CU_GET_PROC_ADDRESS_SUCCESS
              : first ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;
}

// The function that `symbol` (without version suffix) means in CUDA version `cudaVersion`. Where
// there is none, *pfn is NULL and *symbolStatus, which need not be asked for, says why
// (guide 21.5.5). Works before cuInit.
CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *symbolStatus) {
    drv_api = __func__;
    CUdriverProcAddressQueryResult status;
    const struct entry *e;
    TRY(find(symbol, pfn, cudaVersion, flags, &e, &status));
    *pfn = e ? e->function : NULL;
    if (symbolStatus)
        *symbolStatus = status;
    return CUDA_SUCCESS;
}

// The same before version 12.0: where there is none, CUDA_ERROR_NOT_FOUND, and *pfn stays.
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
    drv_api = __func__;
    CUdriverProcAddressQueryResult status;
    const struct entry *e;
    TRY(find(symbol, pfn, cudaVersion, flags, &e, &status));
    REQUIRE(e, CUDA_ERROR_NOT_FOUND,
            status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND ? "there is no function %s"
                                                           : "%s is not in CUDA %d.%d",
            symbol, cudaVersion / 1000, cudaVersion % 1000 / 10);
    *pfn = e->function;
    return CUDA_SUCCESS;
}
