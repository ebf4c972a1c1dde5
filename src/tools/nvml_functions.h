// The management library that belongs to the driver which programs use.
#ifndef KUDZU_TOOLS_NVML_FUNCTIONS_H
#define KUDZU_TOOLS_NVML_FUNCTIONS_H

#define __NVML_API_VERSION_INTERNAL
#include <nvml.h>
#include <stdbool.h>

#include "runtime/load/find_driver.h"

// name in the structure below, exported name, parameters
#define NVML_FUNCTIONS(F)                                                                          \
    F(Init, nvmlInit_v2, (void))                                                                   \
    F(Shutdown, nvmlShutdown, (void))                                                              \
    F(DriverVersion, nvmlSystemGetDriverVersion, (char *, unsigned))                               \
    F(CudaVersion, nvmlSystemGetCudaDriverVersion_v2, (int *))                                     \
    F(ProcessName, nvmlSystemGetProcessName, (unsigned, char *, unsigned))                         \
    F(Count, nvmlDeviceGetCount_v2, (unsigned *))                                                  \
    F(ByIndex, nvmlDeviceGetHandleByIndex_v2, (unsigned, nvmlDevice_t *))                          \
    F(ByUUID, nvmlDeviceGetHandleByUUID, (const char *, nvmlDevice_t *))                           \
    F(ByPci, nvmlDeviceGetHandleByPciBusId_v2, (const char *, nvmlDevice_t *))                     \
    F(Name, nvmlDeviceGetName, (nvmlDevice_t, char *, unsigned))                                   \
    F(UUID, nvmlDeviceGetUUID, (nvmlDevice_t, char *, unsigned))                                   \
    F(Serial, nvmlDeviceGetSerial, (nvmlDevice_t, char *, unsigned))                               \
    F(Vbios, nvmlDeviceGetVbiosVersion, (nvmlDevice_t, char *, unsigned))                          \
    F(Index, nvmlDeviceGetIndex, (nvmlDevice_t, unsigned *))                                       \
    F(Pci, nvmlDeviceGetPciInfo_v3, (nvmlDevice_t, nvmlPciInfo_t *))                               \
    F(Capability, nvmlDeviceGetCudaComputeCapability, (nvmlDevice_t, int *, int *))                \
    F(ComputeMode, nvmlDeviceGetComputeMode, (nvmlDevice_t, nvmlComputeMode_t *))                  \
    F(SetComputeMode, nvmlDeviceSetComputeMode, (nvmlDevice_t, nvmlComputeMode_t))                 \
    F(PersistenceMode, nvmlDeviceGetPersistenceMode, (nvmlDevice_t, nvmlEnableState_t *))          \
    F(DisplayMode, nvmlDeviceGetDisplayMode, (nvmlDevice_t, nvmlEnableState_t *))                  \
    F(DisplayActive, nvmlDeviceGetDisplayActive, (nvmlDevice_t, nvmlEnableState_t *))              \
    F(Memory, nvmlDeviceGetMemoryInfo, (nvmlDevice_t, nvmlMemory_t *))                             \
    F(Utilization, nvmlDeviceGetUtilizationRates, (nvmlDevice_t, nvmlUtilization_t *))             \
    F(Processes, nvmlDeviceGetComputeRunningProcesses_v3,                                          \
      (nvmlDevice_t, unsigned *, nvmlProcessInfo_t *))                                             \
    F(Temperature, nvmlDeviceGetTemperature, (nvmlDevice_t, unsigned, unsigned *))                 \
    F(Fan, nvmlDeviceGetFanSpeed, (nvmlDevice_t, unsigned *))                                      \
    F(Power, nvmlDeviceGetPowerUsage, (nvmlDevice_t, unsigned *))                                  \
    F(PowerLimit, nvmlDeviceGetEnforcedPowerLimit, (nvmlDevice_t, unsigned *))                     \
    F(Clock, nvmlDeviceGetClockInfo, (nvmlDevice_t, unsigned, unsigned *))                         \
    F(MaxClock, nvmlDeviceGetMaxClockInfo, (nvmlDevice_t, unsigned, unsigned *))                   \
    F(Pstate, nvmlDeviceGetPerformanceState, (nvmlDevice_t, unsigned *))                           \
    F(Ecc, nvmlDeviceGetEccMode, (nvmlDevice_t, nvmlEnableState_t *, nvmlEnableState_t *))         \
    F(Mig, nvmlDeviceGetMigMode, (nvmlDevice_t, unsigned *, unsigned *))                           \
    F(Brand, nvmlDeviceGetBrand, (nvmlDevice_t, nvmlBrandType_t *))                                \
    F(Architecture, nvmlDeviceGetArchitecture, (nvmlDevice_t, nvmlDeviceArchitecture_t *))         \
    F(MultiGpuBoard, nvmlDeviceGetMultiGpuBoard, (nvmlDevice_t, unsigned *))                       \
    F(CommonAncestor, nvmlDeviceGetTopologyCommonAncestor,                                         \
      (nvmlDevice_t, nvmlDevice_t, nvmlGpuTopologyLevel_t *))                                      \
    F(P2PStatus, nvmlDeviceGetP2PStatus,                                                           \
      (nvmlDevice_t, nvmlDevice_t, nvmlGpuP2PCapsIndex_t, nvmlGpuP2PStatus_t *))                   \
    F(CpuAffinity, nvmlDeviceGetCpuAffinity, (nvmlDevice_t, unsigned, unsigned long *))            \
    F(MemoryAffinity, nvmlDeviceGetMemoryAffinity,                                                 \
      (nvmlDevice_t, unsigned, unsigned long *, unsigned))                                         \
    F(NvmlVersion, nvmlSystemGetNVMLVersion, (char *, unsigned))                                   \
    F(LinkGeneration, nvmlDeviceGetCurrPcieLinkGeneration, (nvmlDevice_t, unsigned *))             \
    F(LinkWidth, nvmlDeviceGetCurrPcieLinkWidth, (nvmlDevice_t, unsigned *))

#define NVML_DECLARE(name, symbol, parameters) nvmlReturn_t(*name) parameters;
struct nvml_functions {
    NVML_FUNCTIONS(NVML_DECLARE)
};
#undef NVML_DECLARE

extern struct nvml_functions nvml;
extern struct found_driver nvml_driver; // whose library it is

// Finds the library and initialises it. False: said on stderr.
bool nvml_load(void);

#endif
