// Every function of the description is exported, and cuGetProcAddress finds it by name and
// version. The list is generated from the description, the answers come from the library.
#include "check.h"

#include <cudaTypedefs.h>
#include <dlfcn.h>

static const struct {
    const char *name, *symbol;
    int version, per_thread;
} entries[] = {
#define API_ENTRY(name, version, per_thread, function) {name, #function, version, per_thread},
#include "api/driver_table.inc"
};

static void *find(const char *name, int version, cuuint64_t flags,
                  CUdriverProcAddressQueryResult *status) {
    void *p = (void *)1;
    OK(cuGetProcAddress(name, &p, version, flags, status));
    return p;
}

static void all_entries(void *library) {
    int driver = 0;
    OK(cuDriverGetVersion(&driver));
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        void *exported = dlsym(library, entries[i].symbol);
        CHECK(exported != NULL);
        if (entries[i].version > driver)
            continue;
        CUdriverProcAddressQueryResult status;
        void *found = find(entries[i].name, entries[i].version,
                           entries[i].per_thread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                                 : CU_GET_PROC_ADDRESS_LEGACY_STREAM,
                           &status);
        if (!exported || exported != found || status != CU_GET_PROC_ADDRESS_SUCCESS) {
            fprintf(stderr, "%s: exported %p, found %p\n", entries[i].symbol, exported, found);
            check_failures++;
        }
    }
}

static void versions(void *library) {
    CUdriverProcAddressQueryResult status;
    CHECK(find("cuMemAlloc", 12000, 0, &status) == dlsym(library, "cuMemAlloc_v2"));
    CHECK(find("cuCtxCreate", 11030, 0, &status) == dlsym(library, "cuCtxCreate_v2"));
    CHECK(find("cuCtxCreate", 11040, 0, &status) == dlsym(library, "cuCtxCreate_v3"));
    CHECK(find("cuGetProcAddress", 11030, 0, &status) == dlsym(library, "cuGetProcAddress"));
    CHECK(find("cuGetProcAddress", 12000, 0, &status) == dlsym(library, "cuGetProcAddress_v2"));
    CHECK(find("cuMemcpyHtoD", 12000, 2, &status) == dlsym(library, "cuMemcpyHtoD_v2_ptds"));
    // As the tables of function types name them: PFN_cuLaunchKernelEx_v11060.
    CHECK(find("cuLaunchKernelEx", 11060, 0, &status) == dlsym(library, "cuLaunchKernelEx"));
    CHECK(find("cuOccupancyMaxActiveClusters", 11070, 0, &status) ==
          dlsym(library, "cuOccupancyMaxActiveClusters"));
    CHECK(find("cuOccupancyMaxPotentialClusterSize", 11070, 0, &status) ==
          dlsym(library, "cuOccupancyMaxPotentialClusterSize"));
    CHECK(find("cuMemBatchDecompressAsync", 12060, 0, &status) ==
          dlsym(library, "cuMemBatchDecompressAsync"));
    CHECK(find("cuGreenCtxGetId", 12090, 0, &status) == dlsym(library, "cuGreenCtxGetId"));
    // A function without streams has no variant: the one that there is.
    CHECK(find("cuMemAlloc", 12000, 2, &status) == dlsym(library, "cuMemAlloc_v2"));
    CHECK(find("cuDeviceGetExecAffinitySupport", 11030, 0, &status) == NULL);
    CHECK(status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    CHECK(find("CUDeviceGet", 12000, 0, &status) == NULL);
    CHECK(status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CHECK(find("", 12000, 0, &status) == NULL);
}

static const char *step(char *text, int *version, char symbol[100]) {
    return text && sscanf(text, "%d:%99s", version, symbol) == 2 ? text : NULL;
}

// One name and form of the recording: what is found at each of its versions, and just before it.
static void recorded_form(void *library, const char *name, cuuint64_t form, char *steps) {
    CUdriverProcAddressQueryResult status;
    void *before = NULL;
    char *rest, symbol[100];
    int version;
    for (char *s = strtok_r(steps, " \n", &rest); step(s, &version, symbol);
         s = strtok_r(NULL, " \n", &rest)) {
        void *want = dlsym(library, symbol), *got = find(name, version - 10, form, &status);
        CUdriverProcAddressQueryResult had =
            before ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
        if (got != before || status != had) {
            fprintf(stderr, "%s, form %d, before %d: %p, %d\n", name, (int)form, version, got,
                    (int)status);
            check_failures++;
        }
        got = find(name, version, form, &status);
        if (!want || got != want || status != CU_GET_PROC_ADDRESS_SUCCESS) {
            fprintf(stderr, "%s, form %d, at %d: not %s\n", name, (int)form, version, symbol);
            check_failures++;
        }
        before = want;
    }
    CHECK(before && find(name, 13000, form, &status) == before);
    CHECK(find(name, -1, form, &status) == before);
}

// Of NVIDIA's driver, each function, form and version.
static void recorded(void *library, const char *path) {
    char line[400], copy[400], name[100], forms[8];
    int names = 0, at;
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file)) {
        if (line[0] == '#' || sscanf(line, "%99s %7s %n", name, forms, &at) != 2)
            continue;
        for (const char *f = forms; *f; f++) {
            memcpy(copy, line + at, sizeof copy - (size_t)at);
            recorded_form(library, name, (cuuint64_t)(*f - '0'), copy);
        }
        names++;
    }
    if (file)
        fclose(file);
    CHECK(names > 450);
}

static void errors(void) {
    void *p;
    CUdriverProcAddressQueryResult status;
    EXPECT(cuGetProcAddress(NULL, &p, 12000, 0, &status), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGetProcAddress("cuInit", NULL, 12000, 0, &status), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGetProcAddress("cuInit", &p, 12000, 8, &status), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGetProcAddress("cuInit", &p, 13010, 0, &status), CUDA_ERROR_INVALID_VALUE);
    CHECK(find("cuMemcpyHtoD", 12000, 3, &status) == find("cuMemcpyHtoD", 12000, 2, &status));
    CHECK(find("cuNoSuch", 12000, 0, NULL) == NULL);
    CHECK(find("cuFuncSetAttribute", 2000, 0, NULL) == NULL);
    // The first form has no status, and leaves the pointer alone.
    PFN_cuGetProcAddress_v11030 first =
        (PFN_cuGetProcAddress_v11030)find("cuGetProcAddress", 11030, 0, &status);
    p = &p;
    EXPECT(first("cuNoSuch", &p, 12000, 0), CUDA_ERROR_NOT_FOUND);
    EXPECT(first("cuFuncSetAttribute", &p, 2000, 0), CUDA_ERROR_NOT_FOUND);
    CHECK(p == &p);
    EXPECT(first("cuInit", &p, 2000, 0), CUDA_SUCCESS);
    CHECK(p != NULL && p != (void *)&p);
}

// What is not built says so, before anything else.
static void not_built(void) {
    EXPECT(cuDeviceGetNvSciSyncAttributes(NULL, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
}

// With the path of the recording, whose version the driver is of; without, it is of the latest.
int main(int argc, char **argv) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    CHECK(library != NULL);
    all_entries(library);
    versions(library);
    if (argc > 1)
        recorded(library, argv[1]);
    if (argc > 1)
        errors();
    not_built();
    return check_result();
}
