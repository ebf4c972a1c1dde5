// The management library: what it tells of devices, and every error that is documented.
#define _GNU_SOURCE // sched_getcpu
#include <nvml.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && ++failures)                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
    } while (0)
#define CHECK_RESULT(expected, call)                                                               \
    do {                                                                                           \
        nvmlReturn_t got_ = (call);                                                                \
        if (got_ != (expected) && ++failures)                                                      \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, nvmlErrorString(got_));  \
    } while (0)
#define CHECK_OK(call) CHECK_RESULT(NVML_SUCCESS, call)

enum { DEVICES = 2 }; // KUDZU_DEVICES of this test

static void before_init(void) {
    unsigned n;
    char text[96];
    nvmlDevice_t d;
    CHECK_RESULT(NVML_ERROR_UNINITIALIZED, nvmlShutdown());
    CHECK_RESULT(NVML_ERROR_UNINITIALIZED, nvmlDeviceGetCount(&n));
    CHECK_RESULT(NVML_ERROR_UNINITIALIZED, nvmlDeviceGetHandleByIndex(0, &d));
    CHECK_RESULT(NVML_ERROR_UNINITIALIZED, nvmlSystemGetDriverVersion(text, sizeof text));
    CHECK_RESULT(NVML_ERROR_UNINITIALIZED, nvmlDeviceGetName(NULL, text, sizeof text));
    CHECK(!strcmp(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported"));
    CHECK(!strcmp(nvmlErrorString((nvmlReturn_t)12345), "Unknown Error"));
}

static void initialization(void) {
    unsigned n = 0;
    CHECK_OK(nvmlInit());
    CHECK_OK(nvmlInitWithFlags(0));
    CHECK_OK(nvmlShutdown());
    CHECK_OK(nvmlDeviceGetCount(&n)); // initialised twice, shut down once
    CHECK(n == DEVICES);
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetCount(NULL));
}

static void system_wide(void) {
    char text[96];
    int version = 0;
    unsigned units = 7;
    CHECK_OK(nvmlSystemGetDriverVersion(text, sizeof text));
    CHECK(strlen(text) >= 5);
    CHECK_RESULT(NVML_ERROR_INSUFFICIENT_SIZE, nvmlSystemGetDriverVersion(text, 3));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlSystemGetDriverVersion(NULL, 80));
    nvmlSystemDriverBranchInfo_t branch = {.version = nvmlSystemDriverBranchInfo_v1};
    CHECK_OK(nvmlSystemGetDriverBranch(&branch, sizeof branch.branch));
    CHECK(*branch.branch);
    CHECK_RESULT(NVML_ERROR_INSUFFICIENT_SIZE, nvmlSystemGetDriverBranch(&branch, 3));
    branch.version = 0;
    CHECK_RESULT(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvmlSystemGetDriverBranch(&branch, 80));
    CHECK_OK(nvmlSystemGetNVMLVersion(text, sizeof text));
    CHECK(!strncmp(text, "12.", 3));
    CHECK_OK(nvmlSystemGetCudaDriverVersion(&version));
    CHECK(NVML_CUDA_DRIVER_VERSION_MAJOR(version) == 13);
    CHECK_OK(nvmlSystemGetCudaDriverVersion_v2(&version));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlSystemGetCudaDriverVersion(NULL));
    CHECK_OK(nvmlUnitGetCount(&units));
    CHECK(units == 0);
    CHECK_OK(nvmlSystemGetProcessName((unsigned)getpid(), text, sizeof text));
    CHECK(strstr(text, "/") != NULL);
    CHECK_OK(nvmlSystemGetProcessName((unsigned)getpid(), text, 5));
    CHECK(strlen(text) == 4);
    CHECK_RESULT(NVML_ERROR_NOT_FOUND, nvmlSystemGetProcessName(0x7fffffff, text, sizeof text));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlSystemGetProcessName(1, NULL, 10));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlSystemGetProcessName(1, text, 0));
}

// Exported for callers of older headers, whose structures are smaller.
nvmlReturn_t pci_info_v1(nvmlDevice_t, void *) __asm__("nvmlDeviceGetPciInfo");
nvmlReturn_t pci_info_v2(nvmlDevice_t, void *) __asm__("nvmlDeviceGetPciInfo_v2");

static void uuid_v(nvmlDevice_t d, const char *text) {
    nvmlUUID_t id = {.version = nvmlUUID_v1, .type = NVML_UUID_TYPE_ASCII};
    nvmlDevice_t same = NULL;
    memcpy(id.value.str, text, strlen(text) + 1);
    CHECK_OK(nvmlDeviceGetHandleByUUIDV(&id, &same));
    CHECK(same == d);
    id.type = NVML_UUID_TYPE_BINARY;
    CHECK_RESULT(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleByUUIDV(&id, &same));
    unsigned char *at = id.value.bytes;
    for (const char *p = text + strlen("GPU-"); *p; p += 2) {
        p += *p == '-';
        CHECK(sscanf(p, "%2hhx", at++) == 1);
    }
    same = NULL;
    CHECK_OK(nvmlDeviceGetHandleByUUIDV(&id, &same));
    CHECK(same == d);
    id.type = NVML_UUID_TYPE_NONE;
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByUUIDV(&id, &same));
    id.version = 0;
    CHECK_RESULT(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvmlDeviceGetHandleByUUIDV(&id, &same));
}

static void pci_info_ext(nvmlDevice_t d, const nvmlPciInfo_t *known) {
    nvmlPciInfoExt_t pci = {.version = nvmlPciInfoExt_v1};
    CHECK_OK(nvmlDeviceGetPciInfoExt(d, &pci));
    CHECK(!strcmp(pci.busId, known->busId) && pci.bus == known->bus);
    pci.version = 0;
    CHECK_RESULT(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvmlDeviceGetPciInfoExt(d, &pci));
}

static void old_pci_info(nvmlDevice_t d) {
    nvmlPciInfo_t now;
    CHECK_OK(nvmlDeviceGetPciInfo(d, &now));
    nvmlReturn_t (*const versions[])(nvmlDevice_t, void *) = {pci_info_v1, pci_info_v2};
    const size_t bytes[] = {32, 36};
    for (int i = 0; i < 2; ++i) {
        unsigned char got[sizeof now + 1];
        memset(got, 0xa5, sizeof got);
        CHECK_OK(versions[i](d, got));
        CHECK(!memcmp(got, &now, bytes[i]));
        for (size_t k = bytes[i]; k < sizeof got; ++k)
            CHECK(got[k] == 0xa5);
        CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, versions[i](d, NULL));
    }
}

static void handles(void) {
    nvmlDevice_t d, same, other;
    char uuid[96], first[96];
    nvmlPciInfo_t pci;
    for (unsigned i = 0; i < DEVICES; ++i) {
        unsigned index = 9;
        CHECK_OK(nvmlDeviceGetHandleByIndex(i, &d));
        CHECK_OK(nvmlDeviceGetIndex(d, &index));
        CHECK(index == i);
        CHECK_OK(nvmlDeviceGetMinorNumber(d, &index));
        CHECK(index == i);
        CHECK_OK(nvmlDeviceGetUUID(d, uuid, sizeof uuid));
        CHECK(strlen(uuid) == 40 && !strncmp(uuid, "GPU-", 4));
        CHECK_OK(nvmlDeviceGetHandleByUUID(uuid, &same));
        CHECK(same == d);
        CHECK_OK(nvmlDeviceGetHandleByUUID(uuid + strlen("GPU-"), &same));
        CHECK(same == d);
        uuid_v(d, uuid);
        CHECK_OK(nvmlDeviceGetPciInfo(d, &pci));
        CHECK(strlen(pci.busId) == 16 && strlen(pci.busIdLegacy) == 12);
        CHECK_OK(nvmlDeviceGetHandleByPciBusId(pci.busId, &same));
        CHECK(same == d);
        CHECK_OK(nvmlDeviceGetHandleByPciBusId(pci.busIdLegacy, &same));
        CHECK(same == d);
        pci_info_ext(d, &pci);
        old_pci_info(d);
        if (!i)
            strcpy(first, uuid);
    }
    CHECK(strcmp(first, uuid) != 0);
    CHECK_OK(nvmlDeviceGetHandleByIndex(0, &other));
    int board = 7;
    CHECK_OK(nvmlDeviceOnSameBoard(d, other, &board));
    CHECK(board == 0);
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceOnSameBoard(d, NULL, &board));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByIndex(DEVICES, &d));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByIndex(0, NULL));
    CHECK_RESULT(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleByUUID("GPU-1", &d));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByUUID(NULL, &d));
    CHECK_RESULT(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleByPciBusId("00:1f.0", &d));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByPciBusId("here", &d));
    CHECK_RESULT(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleBySerial("1", &d));
}

static void one_device(nvmlDevice_t d) {
    char name[96];
    nvmlMemory_t m = {0};
    nvmlMemory_v2_t m2 = {.version = nvmlMemory_v2};
    nvmlUtilization_t u = {777, 777};
    int major = 0, minor = 9;
    nvmlComputeMode_t mode;
    CHECK(nvmlMemory_v2 == 0x02000028);
    CHECK_OK(nvmlDeviceGetName(d, name, sizeof name));
    CHECK(!strncmp(name, "kudzu CPU", 9));
    CHECK_RESULT(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetName(d, name, 4));
    CHECK_OK(nvmlDeviceGetMemoryInfo(d, &m));
    CHECK(m.total > 0 && m.free <= m.total && m.free + m.used == m.total);
    CHECK_OK(nvmlDeviceGetMemoryInfo_v2(d, &m2));
    CHECK(m2.total == m.total && m2.reserved == 0 && m2.free + m2.used == m2.total);
    m2.version = 1;
    CHECK_RESULT(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvmlDeviceGetMemoryInfo_v2(d, &m2));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetMemoryInfo(d, NULL));
    CHECK_OK(nvmlDeviceGetUtilizationRates(d, &u));
    CHECK(u.gpu <= 100 && u.memory <= 100);
    CHECK_OK(nvmlDeviceGetCudaComputeCapability(d, &major, &minor));
    CHECK(major == 9 && minor == 0);
    CHECK_OK(nvmlDeviceGetComputeMode(d, &mode));
    CHECK(mode == NVML_COMPUTEMODE_DEFAULT);
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetName((nvmlDevice_t)&m, name, 96));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetMemoryInfo(NULL, &m));
}

static void sets_of_devices(nvmlDevice_t d, nvmlDevice_t other, nvmlGpuTopologyLevel_t level) {
    nvmlDevice_t found[DEVICES];
    unsigned count = 0, cpu = (unsigned)sched_getcpu();
    CHECK_OK(nvmlDeviceGetTopologyNearestGpus(d, level, &count, NULL));
    CHECK(count == DEVICES - 1);
    count = 1;
    CHECK_OK(nvmlDeviceGetTopologyNearestGpus(d, level, &count, found));
    CHECK(count == 1 && found[0] == other);
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT,
                 nvmlDeviceGetTopologyNearestGpus(d, level, &count, NULL));
    count = 0;
    CHECK_OK(nvmlSystemGetTopologyGpuSet(cpu, &count, NULL));
    CHECK(count == DEVICES);
    CHECK_OK(nvmlSystemGetTopologyGpuSet(cpu, &count, found));
    CHECK(count == DEVICES && (found[0] == d || found[1] == d));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlSystemGetTopologyGpuSet(1u << 30, &count, found));
    CHECK_OK(nvmlDeviceIsMigDeviceHandle(d, &count));
    CHECK(!count);
}

static void neighbours(nvmlDevice_t d) {
    unsigned long set[64] = {0};
    nvmlDevice_t other;
    nvmlGpuP2PStatus_t status;
    nvmlGpuTopologyLevel_t level;
    unsigned bits = 0;
    CHECK_OK(nvmlDeviceGetHandleByIndex(0, &other));
    CHECK_OK(nvmlDeviceGetCpuAffinity(d, 64, set));
    for (int i = 0; i < 64; ++i)
        bits += (unsigned)__builtin_popcountl(set[i]);
    CHECK(bits > 0 && bits <= (unsigned)sysconf(_SC_NPROCESSORS_CONF));
    CHECK_OK(nvmlDeviceGetCpuAffinityWithinScope(d, 1, set, NVML_AFFINITY_SCOPE_SOCKET));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetCpuAffinityWithinScope(d, 1, set, 2));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetCpuAffinity(d, 0, set));
    CHECK_OK(nvmlDeviceGetMemoryAffinity(d, 1, set, NVML_AFFINITY_SCOPE_NODE));
    CHECK(set[0] & 1);
    CHECK_OK(nvmlDeviceGetP2PStatus(d, other, NVML_P2P_CAPS_INDEX_READ, &status));
    CHECK(status == NVML_P2P_STATUS_OK);
    CHECK_OK(nvmlDeviceGetP2PStatus(d, other, NVML_P2P_CAPS_INDEX_NVLINK, &status));
    CHECK(status == NVML_P2P_STATUS_NOT_SUPPORTED);
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT,
                 nvmlDeviceGetP2PStatus(d, other, (nvmlGpuP2PCapsIndex_t)99, &status));
    CHECK_OK(nvmlDeviceGetTopologyCommonAncestor(d, d, &level));
    CHECK(level == NVML_TOPOLOGY_INTERNAL);
    CHECK_OK(nvmlDeviceGetTopologyCommonAncestor(d, other, &level));
    CHECK(level == (access("/sys/devices/system/node/node1", F_OK) ? NVML_TOPOLOGY_NODE
                                                                   : NVML_TOPOLOGY_SYSTEM));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetTopologyCommonAncestor(d, other, NULL));
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetTopologyCommonAncestor(d, NULL, &level));
    sets_of_devices(d, other, level);
}

static void absent(nvmlDevice_t d) {
    unsigned value;
    unsigned long long reasons;
    nvmlPstates_t state;
    nvmlEnableState_t a, b;
    char text[64];
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED,
                 nvmlDeviceGetTemperature(d, NVML_TEMPERATURE_GPU, &value));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetPowerUsage(d, &value));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetFanSpeed(d, &value));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetClockInfo(d, NVML_CLOCK_SM, &value));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetPerformanceState(d, &state));
    nvmlIntNvLinkDeviceType_t link;
    nvmlGpuFabricInfoV_t fabric = {.version = nvmlGpuFabricInfo_v2};
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetNvLinkRemoteDeviceType(d, 0, &link));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetGpuFabricInfoV(d, &fabric));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetEccMode(d, &a, &b));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetSerial(d, text, sizeof text));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED,
                 nvmlDeviceGetSupportedClocksThrottleReasons(d, &reasons));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetCurrentClocksThrottleReasons(d, &reasons));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetSupportedClocksEventReasons(d, &reasons));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetCurrentClocksEventReasons(d, &reasons));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceSetPowerManagementLimit(d, 1000));
    unsigned n = 1, rows[4];
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetSupportedMemoryClocks(d, &n, &value));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED,
                 nvmlDeviceGetSupportedGraphicsClocks(d, 1000, &n, &value));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED,
                 nvmlDeviceGetDefaultApplicationsClock(d, NVML_CLOCK_SM, &value));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceSetApplicationsClocks(d, 1000, 1000));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceResetApplicationsClocks(d));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceSetGpuLockedClocks(d, 1000, 1000));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetAutoBoostedClocksEnabled(d, &a, &b));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED,
                 nvmlDeviceGetRemappedRows(d, &rows[0], &rows[1], &rows[2], &rows[3]));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetPcieReplayCounter(d, &value));
    CHECK_RESULT(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceSetEccMode(d, NVML_FEATURE_ENABLED));
}

static void processes(nvmlDevice_t d) {
    static nvmlProcessInfo_t infos[4096];
    unsigned n = 4096, none = 3;
    CHECK_OK(nvmlDeviceGetComputeRunningProcesses(d, &n, infos));
    for (unsigned i = 1; i < n; ++i)
        CHECK(infos[i - 1].pid < infos[i].pid);
    // A management tool is not a compute process.
    for (unsigned i = 0; i < n; ++i)
        CHECK(infos[i].pid != (unsigned)getpid());
    CHECK_OK(nvmlDeviceGetGraphicsRunningProcesses(d, &none, NULL));
    CHECK(none == 0);
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetComputeRunningProcesses(d, NULL, infos));
    n = 5;
    CHECK_RESULT(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetComputeRunningProcesses(d, &n, NULL));
}

int main(void) {
    nvmlDevice_t d;
    unsigned n;
    before_init();
    initialization();
    system_wide();
    handles();
    CHECK_OK(nvmlDeviceGetHandleByIndex(1, &d));
    one_device(d);
    neighbours(d);
    absent(d);
    processes(d);
    CHECK_OK(nvmlShutdown());
    CHECK_RESULT(NVML_ERROR_UNINITIALIZED, nvmlDeviceGetCount(&n));
    CHECK_RESULT(NVML_ERROR_UNINITIALIZED, nvmlDeviceGetIndex(d, &n));
    if (failures)
        fprintf(stderr, "%d checks failed\n", failures);
    return failures != 0;
}
