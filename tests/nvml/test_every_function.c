// Every function of the library's table: before nvmlInit, with nothing but zeros, with a device and
// zeros behind it. Functions are called with more arguments than they take, which the ABI allows.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "nvml.h"

#define CHECK(condition, name, got)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: %s, got %d\n", __FILE__, __LINE__, name, #condition, got); \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

#define IS(expected, call)                                                                         \
    do {                                                                                           \
        nvmlReturn_t got_ = (call);                                                                \
        CHECK(got_ == (expected), #call, (int)got_);                                               \
    } while (0)

static int failures;

static const char *const names[] = {
#define API_ENTRY(name, since, per_thread, symbol) #symbol,
#include "api/nvml_table.inc"
};
enum { NAMES = sizeof names / sizeof names[0] };

static int call(const char *name, uintptr_t first, uintptr_t second) {
    int (*f)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
    *(void **)&f = dlsym(RTLD_DEFAULT, name);
    if (!f) {
        CHECK(f != NULL, name, 0);
        return -1;
    }
    return f(first, second, 0, 0, 0, 0);
}

// Those that need no nvmlInit, or whose meaning is to begin and end.
static int is_of_the_library(const char *name) {
    return !strncmp(name, "nvmlInit", 8) || !strcmp(name, "nvmlShutdown") ||
           !strcmp(name, "nvmlErrorString");
}

// Without a pointer and a device: nothing of what they are given can be wrong.
static int takes_numbers_alone(const char *name) {
    static const char *const those[] = {
        "nvmlSystemSetConfComputeGpusReadyState", "nvmlSystemSetNvlinkBwMode",
        "nvmlVgpuInstanceClearAccountingPids", "nvmlVgpuInstanceSetEncoderCapacity"};
    for (size_t i = 0; i < sizeof those / sizeof those[0]; ++i)
        if (!strcmp(name, those[i]))
            return 1;
    return 0;
}

static int takes_device(const char *name) {
    static const char *const others[] = {"GetCount", "GetHandleBy", "DrainState", "DiscoverGpus",
                                         "RemoveGpu"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        if (strstr(name, others[i]))
            return 0;
    return !strncmp(name, "nvmlDevice", 10);
}

static void with_zeros(void) {
    for (int i = 0; i < NAMES; ++i) {
        if (is_of_the_library(names[i]))
            continue;
        int got = call(names[i], 0, 0);
        CHECK(got == (takes_numbers_alone(names[i]) ? NVML_ERROR_NOT_SUPPORTED
                                                    : NVML_ERROR_INVALID_ARGUMENT),
              names[i], got);
    }
}

// A bad device comes before anything else; with a good one nothing but its state, and no crash.
static void with_devices(void) {
    nvmlDevice_t device;
    int not_one = 0;
    CHECK(nvmlDeviceGetHandleByIndex(0, &device) == NVML_SUCCESS, "device 0", 0);
    for (int i = 0; i < NAMES; ++i)
        if (takes_device(names[i])) {
            int got = call(names[i], (uintptr_t)&not_one, 0);
            CHECK(got == NVML_ERROR_INVALID_ARGUMENT, names[i], got);
            got = call(names[i], (uintptr_t)device, 0);
            CHECK(got == NVML_SUCCESS || got == NVML_ERROR_INVALID_ARGUMENT ||
                      got == NVML_ERROR_NOT_SUPPORTED,
                  names[i], got);
        }
}

static void none(void) {
    nvmlDevice_t device;
    unsigned n = 7;
    nvmlUnit_t unit;
    nvmlExcludedDeviceInfo_t excluded;
    nvmlDeviceCapabilities_t caps = {.version = nvmlDeviceCapabilities_v1, .capMask = 7};
    nvmlGpmSupport_t metrics = {.version = NVML_GPM_SUPPORT_VERSION, .isSupportedDevice = 7};
    nvmlGridLicensableFeatures_t licences = {.isGridLicenseSupported = 7};
    nvmlFieldValue_t fields[2] = {{.fieldId = 1}, {.fieldId = 82}};
    IS(NVML_SUCCESS, nvmlDeviceGetHandleByIndex(0, &device));
    IS(NVML_SUCCESS, nvmlGetExcludedDeviceCount(&n));
    CHECK(n == 0, "excluded", (int)n);
    IS(NVML_ERROR_INVALID_ARGUMENT, nvmlGetExcludedDeviceInfoByIndex(0, &excluded));
    IS(NVML_ERROR_INVALID_ARGUMENT, nvmlUnitGetHandleByIndex(0, &unit));
    n = 7;
    IS(NVML_SUCCESS, nvmlSystemGetHicVersion(&n, NULL));
    CHECK(n == 0, "cards", (int)n);
    n = 7;
    IS(NVML_SUCCESS, nvmlDeviceGetBusType(device, &n));
    CHECK(n == NVML_BUS_TYPE_UNKNOWN, "bus", (int)n);
    IS(NVML_SUCCESS, nvmlDeviceGetCapabilities(device, &caps));
    CHECK(caps.capMask == 0, "capabilities", (int)caps.capMask);
    caps.version = 0;
    IS(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvmlDeviceGetCapabilities(device, &caps));
    IS(NVML_SUCCESS, nvmlGpmQueryDeviceSupport(device, &metrics));
    CHECK(metrics.isSupportedDevice == 0, "metrics", (int)metrics.isSupportedDevice);
    IS(NVML_SUCCESS, nvmlDeviceGetGridLicensableFeatures(device, &licences));
    CHECK(!licences.isGridLicenseSupported && !licences.licensableFeaturesCount, "licences", 0);
    IS(NVML_SUCCESS, nvmlDeviceGetFieldValues(device, 2, fields));
    for (int i = 0; i < 2; ++i)
        CHECK(fields[i].nvmlReturn == NVML_ERROR_NOT_SUPPORTED, "field", i);
    IS(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetFieldValues(device, 0, fields));
}

// Younger than the version of CUDA whose header this is.
nvmlReturn_t nvmlDeviceGetAddressingMode(nvmlDevice_t device, nvmlDeviceAddressingMode_t *mode);

static void addressing(void) {
    nvmlDevice_t device;
    nvmlDeviceAddressingMode_t mode = {.version = nvmlDeviceAddressingMode_v1, .value = 7};
    IS(NVML_SUCCESS, nvmlDeviceGetHandleByIndex(0, &device));
    IS(NVML_SUCCESS, nvmlDeviceGetAddressingMode(device, &mode));
    // The CPU device is the processor that has the page tables.
    CHECK(mode.value == NVML_DEVICE_ADDRESSING_MODE_ATS, "addressing", (int)mode.value);
    mode.version = 0;
    IS(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvmlDeviceGetAddressingMode(device, &mode));
    IS(NVML_SUCCESS, nvmlDeviceSetCpuAffinity(device));
    IS(NVML_SUCCESS, nvmlDeviceClearCpuAffinity(device));
}

static void process_list(void) {
    static nvmlProcessDetail_v1_t details[4096];
    nvmlDevice_t device;
    nvmlProcessDetailList_t list = {.version = nvmlProcessDetailList_v1,
                                    .mode = NVML_PROCESS_MODE_COMPUTE,
                                    .numProcArrayEntries = 4096,
                                    .procArray = details};
    IS(NVML_SUCCESS, nvmlDeviceGetHandleByIndex(0, &device));
    CHECK(nvmlProcessDetailList_v1 == 0x1000018, "version", (int)list.version);
    IS(NVML_SUCCESS, nvmlDeviceGetRunningProcessDetailList(device, &list));
    for (unsigned i = 1; i < list.numProcArrayEntries; ++i)
        CHECK(details[i - 1].pid < details[i].pid, "process", (int)details[i].pid);
    list.mode = NVML_PROCESS_MODE_GRAPHICS;
    list.numProcArrayEntries = 4096;
    IS(NVML_SUCCESS, nvmlDeviceGetRunningProcessDetailList(device, &list));
    CHECK(list.numProcArrayEntries == 0, "drawing", (int)list.numProcArrayEntries);
    list.mode = NVML_PROCESS_MODE_ALL + 1;
    IS(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetRunningProcessDetailList(device, &list));
    list.version = 0;
    IS(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvmlDeviceGetRunningProcessDetailList(device, &list));
}

static void events(void) {
    nvmlEventSet_t set = NULL, other = NULL;
    nvmlEventData_t data;
    nvmlDevice_t device;
    IS(NVML_SUCCESS, nvmlDeviceGetHandleByIndex(0, &device));
    IS(NVML_SUCCESS, nvmlEventSetCreate(&set));
    IS(NVML_SUCCESS, nvmlEventSetCreate(&other));
    IS(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceRegisterEvents(device, 8, set));
    IS(NVML_ERROR_TIMEOUT, nvmlEventSetWait(set, &data, 1));
    IS(NVML_ERROR_INVALID_ARGUMENT, nvmlEventSetWait(set, NULL, 1));
    IS(NVML_SUCCESS, nvmlEventSetFree(set));
    IS(NVML_ERROR_INVALID_ARGUMENT, nvmlEventSetFree(set));
    IS(NVML_ERROR_INVALID_ARGUMENT, nvmlEventSetWait(set, &data, 1));
    IS(NVML_ERROR_TIMEOUT, nvmlEventSetWait(other, &data, 0));
    IS(NVML_SUCCESS, nvmlEventSetFree(other));
}

int main(void) {
    for (int i = 0; i < NAMES; ++i)
        if (!is_of_the_library(names[i])) {
            int got = call(names[i], 0, 0);
            CHECK(got == NVML_ERROR_UNINITIALIZED, names[i], got);
        }
    CHECK(NAMES > 400, "names", NAMES);
    CHECK(nvmlInit() == NVML_SUCCESS, "nvmlInit", 0);
    with_zeros();
    with_devices();
    none();
    addressing();
    process_list();
    events();
    CHECK(nvmlShutdown() == NVML_SUCCESS, "nvmlShutdown", 0);
    if (failures)
        fprintf(stderr, "%d checks failed\n", failures);
    return failures != 0;
}
