// Devices, attributes, CUDA_VISIBLE_DEVICES. Run with KUDZU_DEVICES=3.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static int attribute(CUdevice_attribute a) {
    int value = -12345;
    OK(cuDeviceGetAttribute(&value, a, 0));
    return value;
}

static void limits_of_9_0(void) {
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) == 9);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) == 0);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE) == 32);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) == 1024);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) == 64);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) == 0x7FFFFFFF);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) == 65535);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) == 48 * 1024);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) == 227 * 1024);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) == 228 * 1024);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK) == 65536);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) == 65536);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) == 2048);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR) == 32);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY) == 65536);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS) == 2048);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) >= 1);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) > 0);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING) == 1);
}

static void every_attribute(void) {
    int value;
    const int last = CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED;
    for (int a = 1; a <= last; a++)
        OK(cuDeviceGetAttribute(&value, (CUdevice_attribute)a, 0));
    EXPECT(cuDeviceGetAttribute(&value, (CUdevice_attribute)(last + 1), 0),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetAttribute(&value, (CUdevice_attribute)0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetAttribute(&value, (CUdevice_attribute)-7, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 3),
           CUDA_ERROR_INVALID_DEVICE);
}

static void names(void) {
    char name[256], cut[5];
    OK(cuDeviceGetName(name, sizeof name, 0));
    CHECK(strlen(name) > 5);
    OK(cuDeviceGetName(cut, sizeof cut, 0));
    CHECK(strlen(cut) == 4 && !strncmp(cut, name, 4));
    EXPECT(cuDeviceGetName(NULL, 10, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetName(name, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetName(name, 10, -1), CUDA_ERROR_INVALID_DEVICE);
    CUuuid a, b;
    OK(cuDeviceGetUuid(&a, 0));
    OK(cuDeviceGetUuid_v2(&b, 1));
    CHECK(memcmp(&a, &b, sizeof a));
    char bus[16];
    CUdevice device = -1;
    OK(cuDeviceGetPCIBusId(bus, sizeof bus, 2));
    OK(cuDeviceGetByPCIBusId(&device, bus));
    CHECK(device == 2);
    EXPECT(cuDeviceGetPCIBusId(bus, 12, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetByPCIBusId(&device, "nonsense"), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetByPCIBusId(&device, "0000:7F:00.0"), CUDA_ERROR_INVALID_DEVICE);
}

static void others(void) {
    CUdevice device;
    size_t bytes = 0;
    int major, minor, value;
    CUdevprop prop;
    EXPECT(cuDeviceGet(&device, 3), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuDeviceGet(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuDeviceGetCount(NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceTotalMem(&bytes, 0));
    CHECK(bytes >= (size_t)64 << 20);
    EXPECT(cuDeviceTotalMem(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceComputeCapability(&major, &minor, 0));
    CHECK(major == 9 && minor == 0);
    OK(cuDeviceGetProperties(&prop, 0));
    CHECK(prop.maxThreadsPerBlock == 1024 && prop.SIMDWidth == 32 && prop.maxThreadsDim[2] == 64);
    OK(cuDeviceGetExecAffinitySupport(&value, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    CHECK(value == 0);
}

// In a child, as CUDA_VISIBLE_DEVICES is read once: the number of devices, or 0 for none.
static int visible(const char *list) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int n = 0;
        setenv("CUDA_VISIBLE_DEVICES", list, 1);
        CUresult r = cuInit(0);
        if (r == CUDA_SUCCESS)
            cuDeviceGetCount(&n);
        _exit(r == CUDA_SUCCESS ? n : r == CUDA_ERROR_NO_DEVICE ? 0 : 99);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void) {
    setenv("KUDZU_DEVICES", "3", 1);
    CHECK(visible("0") == 1);
    CHECK(visible("2,1") == 2);
    CHECK(visible("0,2,-1,1") == 2);
    CHECK(visible("1,1") == 1);
    CHECK(visible("7,0") == 0);
    CHECK(visible("") == 0);
    CHECK(visible("GPU-zz") == 0);
    int n = 0;
    unsetenv("CUDA_VISIBLE_DEVICES");
    NEED(cuInit(0));
    OK(cuDeviceGetCount(&n));
    CHECK(n == 3);
    limits_of_9_0();
    every_attribute();
    names();
    others();
    return check_result();
}
