// The entry points. Strings that do not fit give NVML_ERROR_INSUFFICIENT_SIZE; every other function
// than nvmlErrorString needs nvmlInit, which counts, as nvmlShutdown does.
#define _GNU_SOURCE
#include "nvml/nvml.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "api/api.h"
#include "support/compute_modes.h"

_Thread_local int api_per_thread;

void api_not_supported(const char *function, const char *reason) {
    // The library has no error log: the result says it all.
}

// ---- Initialization -------------------------------------------------------------------------

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned initialized;
static struct nvml_system the_system;

nvmlReturn_t nvmlInitWithFlags(unsigned int flags) {
    nvmlReturn_t result = NVML_SUCCESS;
    pthread_mutex_lock(&lock);
    if (!initialized)
        result = nvml_ask_driver(&the_system);
    if (result == NVML_SUCCESS)
        initialized++;
    pthread_mutex_unlock(&lock);
    return result;
}

nvmlReturn_t nvmlInit_v2(void) {
    return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlShutdown(void) {
    pthread_mutex_lock(&lock);
    nvmlReturn_t result = initialized ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
    initialized -= initialized > 0;
    pthread_mutex_unlock(&lock);
    return result;
}

const struct nvml_system *nvml_enter(nvmlReturn_t *error) {
    pthread_mutex_lock(&lock);
    bool ready = initialized;
    pthread_mutex_unlock(&lock);
    *error = NVML_ERROR_UNINITIALIZED;
    return ready ? &the_system : NULL;
}

const struct nvml_system *nvml_enter_device(nvmlDevice_t device, nvmlReturn_t *error) {
    const struct nvml_system *s = nvml_enter(error);
    for (unsigned i = 0; s && i < s->count; ++i)
        if (device == &s->devices[i])
            return s;
    if (s)
        *error = NVML_ERROR_INVALID_ARGUMENT;
    return NULL;
}

const char *nvmlErrorString(nvmlReturn_t result) {
    static const char *const texts[] = {
        "Success",
        "Uninitialized",
        "Invalid Argument",
        "Not Supported",
        "Insufficient Permissions",
        "Already Initialized",
        "Not Found",
        "Insufficient Size",
        "Insufficient External Power",
        "Driver Not Loaded",
        "Timeout",
        "Interrupt Request Issue",
        "NVML Shared Library Not Found",
        "Function Not Found",
        "Corrupted infoROM",
        "GPU is lost",
        "GPU requires reset",
        "GPU access blocked by the operating system",
        "Driver/library version mismatch",
        "In use by another client",
        "Insufficient Memory",
        "No data",
        "vGPU ECC not supported",
        "Insufficient Resources",
        "Requested frequency not supported",
        "Argument version mismatch",
        "Deprecated",
        "Not ready",
        "GPU not found",
        "Invalid state",
    };
    size_t i = (size_t)result;
    return i < sizeof texts / sizeof texts[0] ? texts[i] : "Unknown Error";
}

// ---- System ---------------------------------------------------------------------------------

static nvmlReturn_t give_text(char *out, unsigned length, const char *text) {
    REQUIRE(out);
    if (strlen(text) >= length)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    strcpy(out, text);
    return NVML_SUCCESS;
}

static nvmlReturn_t give(unsigned *out, unsigned value) {
    REQUIRE(out);
    *out = value;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length) {
    ENTER(s);
    return give_text(version, length, KUDZU_VERSION);
}

// Releases of kudzu are one branch.
nvmlReturn_t nvmlSystemGetDriverBranch(nvmlSystemDriverBranchInfo_t *branchInfo,
                                       unsigned int length) {
    ENTER(s);
    REQUIRE(branchInfo);
    if (branchInfo->version != nvmlSystemDriverBranchInfo_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (length > sizeof branchInfo->branch)
        length = sizeof branchInfo->branch;
    return give_text(branchInfo->branch, length, "kudzu");
}

// The first number is that of the CUDA version whose interface it is.
nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length) {
    ENTER(s);
    return give_text(version, length, "12." KUDZU_VERSION);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *cudaDriverVersion) {
    ENTER(s);
    REQUIRE(cudaDriverVersion);
    *cudaDriverVersion = s->cuda_version;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *cudaDriverVersion) {
    return nvmlSystemGetCudaDriverVersion_v2(cudaDriverVersion);
}

// What does not fit is cut off, as documented.
nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length) {
    ENTER(s);
    REQUIRE(name && length);
    char path[32], text[4096];
    snprintf(path, sizeof path, "/proc/%u/exe", pid);
    ssize_t n = readlink(path, text, sizeof text - 1);
    if (n < 0)
        return errno == EACCES ? NVML_ERROR_NO_PERMISSION : NVML_ERROR_NOT_FOUND;
    text[n] = 0;
    snprintf(name, length, "%s", text);
    return NVML_SUCCESS;
}

// ---- Handles --------------------------------------------------------------------------------

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *deviceCount) {
    ENTER(s);
    return give(deviceCount, s->count);
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device) {
    ENTER(s);
    REQUIRE(device && index < s->count);
    *device = (nvmlDevice_t)&s->devices[index];
    return NVML_SUCCESS;
}

// The prefix "GPU-" may be left out.
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
    ENTER(s);
    REQUIRE(uuid && device);
    for (unsigned i = 0; i < s->count; ++i)
        if (!strcasecmp(uuid, s->devices[i].uuid) ||
            !strcasecmp(uuid, s->devices[i].uuid + strlen("GPU-"))) {
            *device = (nvmlDevice_t)&s->devices[i];
            return NVML_SUCCESS;
        }
    return NVML_ERROR_NOT_FOUND;
}

// The bytes that "GPU-01234567-89ab-..." spells.
static bool is_uuid(const char *text, const unsigned char *bytes) {
    unsigned value;
    text += strlen("GPU-");
    for (int i = 0; i < NVML_DEVICE_UUID_BINARY_LEN; ++i, text += 2) {
        text += *text == '-';
        if (sscanf(text, "%2x", &value) != 1 || value != bytes[i])
            return false;
    }
    return true;
}

nvmlReturn_t nvmlDeviceGetHandleByUUIDV(const nvmlUUID_t *uuid, nvmlDevice_t *device) {
    ENTER(s);
    REQUIRE(uuid && device);
    if (uuid->version != nvmlUUID_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (uuid->type == NVML_UUID_TYPE_ASCII) {
        REQUIRE(memchr(uuid->value.str, 0, sizeof uuid->value.str));
        return nvmlDeviceGetHandleByUUID(uuid->value.str, device);
    }
    REQUIRE(uuid->type == NVML_UUID_TYPE_BINARY);
    for (unsigned i = 0; i < s->count; ++i)
        if (is_uuid(s->devices[i].uuid, uuid->value.bytes)) {
            *device = (nvmlDevice_t)&s->devices[i];
            return NVML_SUCCESS;
        }
    return NVML_ERROR_NOT_FOUND;
}

struct pci_address {
    unsigned domain, bus, device;
};

// "0000:00:01.0", "00000000:00:01.0" or "00:01.0".
static bool parse_address(const char *text, struct pci_address *a) {
    unsigned function = 0;
    if (sscanf(text, "%x:%x:%x.%x", &a->domain, &a->bus, &a->device, &function) >= 3)
        return !function;
    a->domain = 0;
    return sscanf(text, "%x:%x.%x", &a->bus, &a->device, &function) >= 2 && !function;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *pciBusId, nvmlDevice_t *device) {
    ENTER(s);
    struct pci_address asked, has;
    REQUIRE(pciBusId && device && parse_address(pciBusId, &asked));
    for (unsigned i = 0; i < s->count; ++i)
        if (parse_address(s->devices[i].bus, &has) && has.domain == asked.domain &&
            has.bus == asked.bus && has.device == asked.device) {
            *device = (nvmlDevice_t)&s->devices[i];
            return NVML_SUCCESS;
        }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleBySerial(const char *serial, nvmlDevice_t *device) {
    ENTER(s);
    REQUIRE(serial && device);
    return NVML_ERROR_NOT_FOUND; // no device has one
}

// ---- What a device is -----------------------------------------------------------------------

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length) {
    ENTER_DEVICE(s, device);
    return give_text(name, length, device->name);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length) {
    ENTER_DEVICE(s, device);
    return give_text(uuid, length, device->uuid);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index) {
    ENTER_DEVICE(s, device);
    return give(index, device->index);
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minorNumber) {
    return nvmlDeviceGetIndex(device, minorNumber);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
    ENTER_DEVICE(s, device);
    REQUIRE(pci);
    struct pci_address a = {0};
    parse_address(device->bus, &a);
    memset(pci, 0, sizeof *pci);
    pci->domain = a.domain;
    pci->bus = a.bus;
    pci->device = a.device;
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:%02X.0", a.domain & 0xffff,
             a.bus & 0xff, a.device & 0xff);
    snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.0", a.domain, a.bus & 0xff,
             a.device & 0xff);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfoExt(nvmlDevice_t device, nvmlPciInfoExt_t *pci) {
    ENTER_DEVICE(s, device);
    REQUIRE(pci);
    if (pci->version != nvmlPciInfoExt_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    nvmlPciInfo_t known;
    nvmlReturn_t result = nvmlDeviceGetPciInfo_v3(device, &known);
    *pci = (nvmlPciInfoExt_t){
        .version = pci->version, .domain = known.domain, .bus = known.bus, .device = known.device};
    memcpy(pci->busId, known.busId, sizeof pci->busId);
    return result;
}

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned int *isMigDevice) {
    ENTER_DEVICE(s, device);
    return give(isMigDevice, 0);
}

// The part of the structure that callers of an older version have room for.
static nvmlReturn_t give_pci_part(nvmlDevice_t device, nvmlPciInfo_t *pci, size_t bytes) {
    nvmlPciInfo_t whole;
    nvmlReturn_t error = nvmlDeviceGetPciInfo_v3(device, pci ? &whole : NULL);
    if (error == NVML_SUCCESS)
        memcpy(pci, &whole, bytes);
    return error;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci) {
    return give_pci_part(device, pci, offsetof(nvmlPciInfo_t, busId));
}

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci) {
    return give_pci_part(device, pci, offsetof(nvmlPciInfo_t, pciSubSystemId));
}

nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t *type) {
    ENTER_DEVICE(s, device);
    return give((unsigned *)type, NVML_BRAND_UNKNOWN);
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *arch) {
    ENTER_DEVICE(s, device);
    return give(arch, device->major >= 10                        ? NVML_DEVICE_ARCH_BLACKWELL
                      : device->major == 9                       ? NVML_DEVICE_ARCH_HOPPER
                      : device->major == 8 && device->minor == 9 ? NVML_DEVICE_ARCH_ADA
                      : device->major == 8                       ? NVML_DEVICE_ARCH_AMPERE
                      : device->major == 7 && device->minor == 5 ? NVML_DEVICE_ARCH_TURING
                                                                 : NVML_DEVICE_ARCH_VOLTA);
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
    ENTER_DEVICE(s, device);
    REQUIRE(major && minor);
    *major = device->major;
    *minor = device->minor;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetAddressingMode(nvmlDevice_t device, nvmlDeviceAddressingMode_t *mode) {
    ENTER_DEVICE(s, device);
    REQUIRE(mode);
    if (mode->version != nvmlDeviceAddressingMode_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    return give(&mode->value, device->host_page_tables ? NVML_DEVICE_ADDRESSING_MODE_ATS
                              : device->pageable       ? NVML_DEVICE_ADDRESSING_MODE_HMM
                                                       : NVML_DEVICE_ADDRESSING_MODE_NONE);
}

nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned int *numCores) {
    ENTER_DEVICE(s, device);
    return give(numCores, (unsigned)device->multiprocessors);
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode) {
    ENTER_DEVICE(s, device);
    return give((unsigned *)mode, (unsigned)compute_mode_get(device->number));
}

// For the user's processes; contexts that are there stay.
nvmlReturn_t nvmlDeviceSetComputeMode(nvmlDevice_t device, nvmlComputeMode_t mode) {
    ENTER_DEVICE(s, device);
    if (mode == NVML_COMPUTEMODE_EXCLUSIVE_THREAD)
        return NVML_ERROR_NOT_SUPPORTED;
    REQUIRE(mode == NVML_COMPUTEMODE_DEFAULT || mode == NVML_COMPUTEMODE_PROHIBITED ||
            mode == NVML_COMPUTEMODE_EXCLUSIVE_PROCESS);
    return compute_mode_set(device->number, (enum compute_mode)mode) ? NVML_SUCCESS
                                                                     : NVML_ERROR_NO_PERMISSION;
}

// Nothing has to be kept loaded.
nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode) {
    ENTER_DEVICE(s, device);
    return give((unsigned *)mode, NVML_FEATURE_DISABLED);
}

nvmlReturn_t nvmlDeviceGetDisplayMode(nvmlDevice_t device, nvmlEnableState_t *display) {
    return nvmlDeviceGetPersistenceMode(device, display);
}

nvmlReturn_t nvmlDeviceGetDisplayActive(nvmlDevice_t device, nvmlEnableState_t *isActive) {
    return nvmlDeviceGetPersistenceMode(device, isActive);
}

nvmlReturn_t nvmlDeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned int *multiGpuBool) {
    ENTER_DEVICE(s, device);
    return give(multiGpuBool, 0);
}

nvmlReturn_t nvmlDeviceOnSameBoard(nvmlDevice_t device1, nvmlDevice_t device2, int *onSameBoard) {
    ENTER_DEVICE(s, device1);
    nvmlReturn_t error;
    if (!nvml_enter_device(device2, &error))
        return error;
    return give((unsigned *)onSameBoard, device1 == device2);
}

// ---- What it does ---------------------------------------------------------------------------

// Devices share the machine's memory: what somebody else needs is used.
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
    ENTER_DEVICE(s, device);
    REQUIRE(memory);
    unsigned long long available = nvml_available_memory() / s->count;
    memory->total = device->total;
    memory->free = available < device->total ? available : device->total;
    memory->used = memory->total - memory->free;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory) {
    nvmlMemory_t m;
    ENTER_DEVICE(s, device);
    REQUIRE(memory);
    if (memory->version != nvmlMemory_v2)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    nvmlReturn_t result = nvmlDeviceGetMemoryInfo(device, &m);
    memory->total = m.total;
    memory->reserved = 0;
    memory->free = m.free;
    memory->used = m.used;
    return result;
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization) {
    ENTER_DEVICE(s, device);
    REQUIRE(utilization);
    utilization->gpu = nvml_busy();
    utilization->memory = 0; // a CPU does not tell
    return NVML_SUCCESS;
}

// Process ids, malloc'ed, and their number as *count; NULL: no memory.
static unsigned *list_processes(const struct nvml_system *s, unsigned *count) {
    for (unsigned room = 64;; room = *count + 64) {
        unsigned *pids = malloc(room * sizeof *pids);
        if (!pids)
            return NULL;
        *count = nvml_processes(s, pids, room);
        if (*count <= room)
            return pids;
        free(pids);
    }
}

// Fills elements of `size` bytes, which all begin as nvmlProcessInfo_v1_t does.
static nvmlReturn_t give_processes(nvmlDevice_t device, unsigned *count, void *infos, size_t size) {
    ENTER_DEVICE(s, device);
    REQUIRE(count && (infos || !*count));
    unsigned n, *pids = list_processes(s, &n);
    if (!pids)
        return NVML_ERROR_MEMORY;
    nvmlReturn_t result = n <= *count ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
    for (unsigned i = 0; result == NVML_SUCCESS && i < n; ++i) {
        nvmlProcessInfo_v2_t info = {.pid = pids[i],
                                     .usedGpuMemory = (unsigned long long)NVML_VALUE_NOT_AVAILABLE,
                                     .gpuInstanceId = ~0u,
                                     .computeInstanceId = ~0u};
        memcpy((char *)infos + i * size, &info, size);
    }
    *count = n;
    free(pids);
    return result;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *infoCount,
                                                     nvmlProcessInfo_t *infos) {
    return give_processes(device, infoCount, infos, sizeof *infos);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int *infoCount,
                                                  nvmlProcessInfo_v1_t *infos) {
    return give_processes(device, infoCount, infos, sizeof *infos);
}

// What does not fit is counted, as with the other lists. Nobody draws, and there is no MPS.
nvmlReturn_t nvmlDeviceGetRunningProcessDetailList(nvmlDevice_t device,
                                                   nvmlProcessDetailList_t *plist) {
    ENTER_DEVICE(s, device);
    REQUIRE(plist);
    if (plist->version != nvmlProcessDetailList_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    unsigned room = plist->numProcArrayEntries, n = 0, *pids = NULL;
    REQUIRE(plist->mode <= NVML_PROCESS_MODE_ALL && (plist->procArray || !room));
    if (plist->mode == NVML_PROCESS_MODE_COMPUTE || plist->mode == NVML_PROCESS_MODE_ALL) {
        pids = list_processes(s, &n);
        if (!pids)
            return NVML_ERROR_MEMORY;
    }
    for (unsigned i = 0; n <= room && i < n; ++i)
        plist->procArray[i] = (nvmlProcessDetail_v1_t){
            .pid = pids[i],
            .usedGpuMemory = (unsigned long long)NVML_VALUE_NOT_AVAILABLE,
            .gpuInstanceId = ~0u,
            .computeInstanceId = ~0u,
            .usedGpuCcProtectedMemory = (unsigned long long)NVML_VALUE_NOT_AVAILABLE};
    plist->numProcArrayEntries = n;
    free(pids);
    return n <= room ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

// Nobody draws on it.
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int *infoCount,
                                                      nvmlProcessInfo_t *infos) {
    ENTER_DEVICE(s, device);
    return give(infoCount, 0);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t device, unsigned int *infoCount,
                                                   nvmlProcessInfo_v1_t *infos) {
    return nvmlDeviceGetGraphicsRunningProcesses_v3(device, infoCount, NULL);
}

nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses(nvmlDevice_t device, unsigned int *infoCount,
                                                     nvmlProcessInfo_v1_t *infos) {
    return nvmlDeviceGetGraphicsRunningProcesses_v3(device, infoCount, NULL);
}

// ---- Neighbours -----------------------------------------------------------------------------

enum { WORD_BITS = 8 * sizeof(unsigned long) };

// Those that the process may use: work runs on no others.
nvmlReturn_t nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned int cpuSetSize,
                                      unsigned long *cpuSet) {
    ENTER_DEVICE(s, device);
    REQUIRE(cpuSetSize && cpuSet);
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return NVML_ERROR_UNKNOWN;
    memset(cpuSet, 0, cpuSetSize * sizeof *cpuSet);
    for (unsigned i = 0; i < CPU_SETSIZE && i < cpuSetSize * WORD_BITS; ++i)
        if (CPU_ISSET(i, &set))
            cpuSet[i / WORD_BITS] |= 1ul << i % WORD_BITS;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCpuAffinityWithinScope(nvmlDevice_t device, unsigned int cpuSetSize,
                                                 unsigned long *cpuSet, unsigned int scope) {
    ENTER_DEVICE(s, device);
    REQUIRE(scope <= NVML_AFFINITY_SCOPE_SOCKET);
    return nvmlDeviceGetCpuAffinity(device, cpuSetSize, cpuSet);
}

// The ideal processors are all that the process may use: the calling thread is on one of them.
nvmlReturn_t nvmlDeviceSetCpuAffinity(nvmlDevice_t device) {
    ENTER_DEVICE(s, device);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceClearCpuAffinity(nvmlDevice_t device) {
    ENTER_DEVICE(s, device);
    return NVML_SUCCESS;
}

// The machine is not divided by its memory nodes: a device has all of them.
nvmlReturn_t nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned int nodeSetSize,
                                         unsigned long *nodeSet, unsigned int scope) {
    ENTER_DEVICE(s, device);
    REQUIRE(nodeSetSize && nodeSet && scope <= NVML_AFFINITY_SCOPE_SOCKET);
    memset(nodeSet, 0, nodeSetSize * sizeof *nodeSet);
    for (unsigned i = 0; i < nodeSetSize * WORD_BITS; ++i) {
        char path[64];
        snprintf(path, sizeof path, "/sys/devices/system/node/node%u", i);
        if (access(path, F_OK) && i)
            break;
        nodeSet[i / WORD_BITS] |= 1ul << i % WORD_BITS;
    }
    return NVML_SUCCESS;
}

// Bindings disagree on the last index: both are taken.
nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t device1, nvmlDevice_t device2,
                                    nvmlGpuP2PCapsIndex_t p2pIndex, nvmlGpuP2PStatus_t *p2pStatus) {
    ENTER_DEVICE(s, device1);
    nvmlReturn_t error;
    if (!nvml_enter_device(device2, &error))
        return error;
    REQUIRE(p2pStatus && (unsigned)p2pIndex <= NVML_P2P_CAPS_INDEX_UNKNOWN + 1);
    bool memory = p2pIndex == NVML_P2P_CAPS_INDEX_READ || p2pIndex == NVML_P2P_CAPS_INDEX_WRITE ||
                  p2pIndex == NVML_P2P_CAPS_INDEX_ATOMICS;
    *p2pStatus = memory ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_NOT_SUPPORTED;
    return NVML_SUCCESS;
}

// All devices are the machine's processors: they share the memory node if there is one alone.
nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t device1, nvmlDevice_t device2,
                                                 nvmlGpuTopologyLevel_t *pathInfo) {
    ENTER_DEVICE(s, device1);
    nvmlReturn_t error;
    if (!nvml_enter_device(device2, &error))
        return error;
    bool nodes = !access("/sys/devices/system/node/node1", F_OK);
    return give((unsigned *)pathInfo, device1 == device2 ? NVML_TOPOLOGY_INTERNAL
                                      : nodes            ? NVML_TOPOLOGY_SYSTEM
                                                         : NVML_TOPOLOGY_NODE);
}

// As many of the chosen devices as *count says, or their number for a count of 0.
static nvmlReturn_t give_devices(const struct nvml_system *s, const bool *chosen,
                                 unsigned int *count, nvmlDevice_t *devices) {
    unsigned found = 0;
    REQUIRE(count && (devices || !*count));
    for (unsigned i = 0; i < s->count; ++i)
        if (chosen[i] && (!*count || found < *count)) {
            if (*count)
                devices[found] = (nvmlDevice_t)&s->devices[i];
            found++;
        }
    *count = found;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTopologyNearestGpus(nvmlDevice_t device, nvmlGpuTopologyLevel_t level,
                                              unsigned int *count, nvmlDevice_t *deviceArray) {
    ENTER_DEVICE(s, device);
    bool chosen[NVML_MAX_DEVICES] = {0};
    for (unsigned i = 0; i < s->count; ++i) {
        nvmlDevice_t other = (nvmlDevice_t)&s->devices[i];
        nvmlGpuTopologyLevel_t at;
        nvmlReturn_t result = nvmlDeviceGetTopologyCommonAncestor(device, other, &at);
        if (result != NVML_SUCCESS)
            return result;
        chosen[i] = other != device && at == level;
    }
    return give_devices(s, chosen, count, deviceArray);
}

// All devices compute on all processors that the process may use.
nvmlReturn_t nvmlSystemGetTopologyGpuSet(unsigned int cpuNumber, unsigned int *count,
                                         nvmlDevice_t *deviceArray) {
    ENTER(s);
    bool chosen[NVML_MAX_DEVICES];
    cpu_set_t set;
    REQUIRE(cpuNumber < CPU_SETSIZE);
    if (sched_getaffinity(0, sizeof set, &set))
        return NVML_ERROR_UNKNOWN;
    memset(chosen, CPU_ISSET(cpuNumber, &set) != 0, sizeof chosen);
    return give_devices(s, chosen, count, deviceArray);
}
