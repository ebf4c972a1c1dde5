// Each field of cudaDeviceProp comes from its own attribute; the choice of a device.
#include "check.h"
#include "stand_in.h"

int main(void) {
    struct stand_in *driver = stand_in_state();
    if (!driver)
        return 2;
    struct cudaDeviceProp p;
    int device, value;
    CHECK_OK(cudaGetDeviceProperties(&p, 1));
    CHECK(strcmp(p.name, "second") == 0);
    CHECK(p.totalGlobalMem == (size_t)2 << 33);
    CHECK(p.uuid.bytes[15] == 0x41);
    CHECK(p.maxThreadsPerBlock == 128 && p.maxThreadsDim[1] == 100 && p.maxThreadsDim[2] == 10);
    CHECK(p.major == 9);
    CHECK(p.sharedMemPerBlock == 1008 && p.totalConstMem == 1009 && p.warpSize == 1010);
    CHECK(p.memPitch == 1011 && p.regsPerBlock == 1012 && p.clockRate == 1013);
    CHECK(p.deviceOverlap == 1015 && p.multiProcessorCount == 1016);
    CHECK(p.maxGridSize[0] == 1005 && p.maxGridSize[2] == 1007);
    CHECK(p.maxTexture2D[1] == 1023 && p.maxSurfaceCubemapLayered[1] == 1068);
    CHECK(p.ECCEnabled == 1032 && p.pciDomainID == 1050 && p.memoryBusWidth == 1037);
    CHECK(p.sharedMemPerMultiprocessor == 1081 && p.sharedMemPerBlockOptin == 1097);
    CHECK(p.maxBlocksPerMultiProcessor == 1106 && p.reservedSharedMemPerBlock == 1111);
    CHECK(p.clusterLaunch == 1120 && p.unifiedFunctionPointers == 1129);
    CHECK(p.reserved[0] == 0 && p.reserved[62] == 0);
    CHECK_ERROR(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 2));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, -1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetDeviceProperties(NULL, 0));

    CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrL2CacheSize, 0));
    CHECK(value == 1038);
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)0, 0));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 9));

    memset(&p, 0, sizeof p);
    CHECK_OK(cudaChooseDevice(&device, &p));
    CHECK(device == 0);
    p.major = 9;
    CHECK_OK(cudaChooseDevice(&device, &p));
    CHECK(device == 1);
    CHECK_ERROR(cudaErrorInvalidValue, cudaChooseDevice(NULL, &p));
    CHECK(driver->undocumented == 0);
    return finish();
}
