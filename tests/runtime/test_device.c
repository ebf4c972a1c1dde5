// Devices: attributes and properties agree, limits, configuration, flags, peers, reset.
#include "check.h"
#include "cuda_profiler_api.h"

static void attributes(void) {
    struct cudaDeviceProp p;
    int count, value;
    CHECK_OK(cudaGetDeviceCount(&count));
    CHECK(count >= 1);
    CHECK_OK(cudaGetDeviceProperties(&p, 0));
    CHECK(p.name[0] && p.totalGlobalMem > 0 && p.warpSize == 32);
    // The limits that the guide's tables give for compute capability 5.0 and later.
    CHECK(p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[2] == 64);
    CHECK(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535);
    CHECK(p.sharedMemPerBlock == 48 * 1024 && p.regsPerBlock == 64 * 1024);
    CHECK(p.totalConstMem == 64 * 1024 && p.unifiedAddressing == 1);
    CHECK(p.multiProcessorCount >= 1 && p.major >= 5);
    CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == p.multiProcessorCount);
    CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK((size_t)value == p.sharedMemPerBlockOptin);
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)100000, 0));
}

static void limits(void) {
    size_t value, before;
    CHECK_OK(cudaDeviceGetLimit(&before, cudaLimitStackSize));
    CHECK(before > 0);
    CHECK_OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CHECK_OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    CHECK(value >= 4096);
    CHECK_OK(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
    CHECK(value > 0);
    CHECK_OK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    CHECK(value >= 8u << 20);
    CHECK_OK(cudaThreadGetLimit(&value, cudaLimitStackSize));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    CHECK(cudaDeviceGetLimit(&value, (enum cudaLimit)77) != cudaSuccess);
    (void)cudaGetLastError();
}

static void configuration(void) {
    enum cudaFuncCache cache;
    enum cudaSharedMemConfig banks;
    unsigned int flags;
    int least, greatest;
    CHECK_OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    CHECK_OK(cudaDeviceGetCacheConfig(&cache));
    CHECK_OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    CHECK_OK(cudaDeviceGetSharedMemConfig(&banks));
    CHECK_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(least >= greatest);
    CHECK_OK(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceMapHost));
    CHECK_OK(cudaGetDeviceFlags(&flags));
    CHECK((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleSpin);
    CHECK(flags & cudaDeviceMapHost);
    CHECK_ERROR(cudaErrorInvalidValue, cudaSetDeviceFlags(0x10000));
    CHECK_ERROR(cudaErrorInvalidValue, cudaSetDeviceFlags(3));
    CHECK_OK(cudaInitDevice(0, cudaDeviceScheduleAuto, cudaInitDeviceFlagsAreValid));
    CHECK_ERROR(cudaErrorInvalidValue, cudaInitDevice(0, 0, 8));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaInitDevice(-3, 0, 0));
}

// Names of the first versions, and hints that have no effect.
static void old_names_and_hints(void) {
    enum cudaFuncCache config = cudaFuncCachePreferNone;
    size_t value = 0;
    double d = 1.5;
    CHECK_OK(cudaThreadSetLimit(cudaLimitStackSize, 4096));
    CHECK_OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    CHECK(value >= 4096);
    CHECK_ERROR(cudaErrorInvalidValue, cudaThreadSetLimit((enum cudaLimit)99, 1));
    CHECK_OK(cudaThreadSetCacheConfig(cudaFuncCachePreferShared));
    CHECK_OK(cudaThreadGetCacheConfig(&config));
    CHECK(config == cudaFuncCachePreferShared || config == cudaFuncCachePreferNone);
    CHECK_ERROR(cudaErrorInvalidValue, cudaThreadGetCacheConfig(NULL));
    CHECK_OK(cudaCtxResetPersistingL2Cache());
    CHECK_OK(cudaSetDoubleForDevice(&d));
    CHECK_OK(cudaSetDoubleForHost(&d));
    CHECK(d == 1.5);
    CHECK_OK(cudaProfilerStart());
    CHECK_OK(cudaProfilerStop());
}

static void bus(void) {
    char id[32], small[3];
    int device = -1;
    CHECK_OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    CHECK_OK(cudaDeviceGetByPCIBusId(&device, id));
    CHECK(device == 0);
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(NULL, 32, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(small, 0, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(NULL, id));
}

static void peers(void) {
    int can = 7;
    CHECK_OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK(can == 0);
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(0, 1));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(99));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 99));
    CHECK_ERROR(cudaErrorInvalidDevice,
                cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 0));
}

static void versions(void) {
    int runtime, driver;
    CHECK_OK(cudaRuntimeGetVersion(&runtime));
    CHECK_OK(cudaDriverGetVersion(&driver));
    CHECK(runtime == 12090 && CUDART_VERSION == 12090);
    CHECK(on_kudzu() ? driver == 13000 : driver >= 12000);
    CHECK_ERROR(cudaErrorInvalidValue, cudaRuntimeGetVersion(NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDriverGetVersion(NULL));
}

static void entry_points(void) {
    enum cudaDriverEntryPointQueryResult status;
    int (*version)(int *) = NULL;
    void *p;
    int found = 0;
    CHECK_OK(cudaGetDriverEntryPoint("cuDriverGetVersion", (void **)&version, cudaEnableDefault,
                                     &status));
    CHECK(version && status == cudaDriverEntryPointSuccess);
    CHECK(version(&found) == 0 && found >= 12000);
    CHECK_OK(cudaGetDriverEntryPoint("cuNoSuchFunction", &p, cudaEnableDefault, &status));
    CHECK(!p && status == cudaDriverEntryPointSymbolNotFound);
    CHECK_OK(cudaGetDriverEntryPointByVersion("cuLibraryLoadData", &p, 11000, cudaEnableDefault,
                                              &status));
    CHECK(!p && status == cudaDriverEntryPointVersionNotSufficent);
    CHECK_ERROR(cudaErrorSymbolNotFound,
                cudaGetDriverEntryPoint("cuNoSuchFunction", &p, cudaEnableDefault, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetDriverEntryPoint("cuInit", NULL, 0, &status));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetDriverEntryPoint("", &p, 0, &status));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetDriverEntryPoint("cuInit", &p, 17, &status));
}

static void reset(void) {
    void *p;
    NEED(cudaMalloc(&p, 1 << 20));
    CHECK_OK(cudaDeviceReset());
    CHECK_ERROR(cudaErrorInvalidValue, cudaFree(p));
    CHECK_OK(cudaMalloc(&p, 1 << 20));
    CHECK_OK(cudaFree(p));
    CHECK_OK(cudaThreadExit());
    CHECK_OK(cudaThreadSynchronize());
}

int main(void) {
    attributes();
    limits();
    configuration();
    old_names_and_hints();
    bus();
    peers();
    versions();
    entry_points();
    reset();
    return finish();
}
