// KUDZU_COMPUTE_CAPABILITY: attributes, occupancy, and which PTX loads.
//
// Usage: test_capability [CAPABILITY]   of which the device is, 90 for 9.0; 0: a value that none
// has
#include "check.h"

#include <stdbool.h>

// Guide, table 28. KiB: of a multiprocessor, of a block at most, of a block for the system.
static const struct {
    int number, threads, blocks, shared, block, reserved;
} table[] = {
    {70, 2048, 32, 96, 96, 0},    {75, 1024, 16, 64, 64, 0},    {80, 2048, 32, 164, 163, 1},
    {86, 1536, 16, 100, 99, 1},   {89, 1536, 24, 100, 99, 1},   {90, 2048, 32, 228, 227, 1},
    {100, 2048, 32, 228, 227, 1}, {103, 2048, 32, 228, 227, 1}, {110, 1536, 24, 228, 227, 1},
    {120, 1536, 24, 100, 99, 1},  {121, 1536, 24, 100, 99, 1},
};

// The capabilities, of those above, on which code for a target runs; "*": from its own on.
static const struct {
    const char *target;
    const char *runs;
} targets[] = {
    {"sm_20", "*"},     {"sm_70", "*"},         {"sm_75", "*"},         {"sm_80", "*"},
    {"sm_89", "*"},     {"sm_90", "*"},         {"sm_90a", "90"},       {"sm_100", "*"},
    {"sm_100a", "100"}, {"sm_100f", "100 103"}, {"sm_101", "*"},        {"sm_101a", ""},
    {"sm_101f", ""},    {"sm_103f", "103"},     {"sm_110", "*"},        {"sm_110f", "110"},
    {"sm_120", "*"},    {"sm_120a", "120"},     {"sm_120f", "120 121"}, {"sm_121a", "121"},
};

static int attribute(CUdevice_attribute a) {
    int value = -1;
    OK(cuDeviceGetAttribute(&value, a, 0));
    return value;
}

static void attributes(int number) {
    size_t i = 0;
    while (table[i].number != number)
        i++;
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) == number / 10);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) == number % 10);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) == table[i].threads);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR) == table[i].blocks);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) ==
          table[i].shared * 1024);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) ==
          table[i].block * 1024);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK) ==
          table[i].reserved * 1024);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) == 48 * 1024);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) == 65536);
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) == (number >= 90));
    CHECK(attribute(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED) == (number >= 90));
    CHECK((attribute(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE) > 0) == (number >= 80));
    int major, minor;
    OK(cuDeviceComputeCapability(&major, &minor, 0));
    CHECK(major * 10 + minor == number);
}

static CUresult load(const char *target, CUmodule *m) {
    char text[400];
    snprintf(text, sizeof text,
             "// a comment /* and\n/* another\n.target sm_999 */ .version 8.8 .target debug, %s\n"
             ".address_size 64\n.visible .entry k() {\n    ret;\n}\n",
             target);
    return cuModuleLoadData(m, text);
}

static bool runs_on(const char *target, const char *runs, int number) {
    char text[8];
    snprintf(text, sizeof text, "%d", number);
    if (*runs == '*')
        return atoi(target + 3) <= number;
    return *runs && strstr(runs, text) != NULL;
}

static void loads(int number, bool lenient) {
    CUmodule m;
    CUfunction f;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        bool runs = lenient || runs_on(targets[i].target, targets[i].runs, number);
        CUresult result = load(targets[i].target, &m);
        if (result != (runs ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX)) {
            fprintf(stderr, "%s on %d: %d\n", targets[i].target, number, (int)result);
            check_failures++;
        }
        if (result != CUDA_SUCCESS)
            continue;
        int version;
        OK(cuModuleGetFunction(&f, m, "k"));
        OK(cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_BINARY_VERSION, f));
        CHECK(version == number);
        OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
        OK(cuCtxSynchronize());
        OK(cuModuleUnload(m));
    }
    static const char *const unknown[] = {"sm_999", "sm_91", "sm_80a", "sm_90f", "sm_90b", "sm_9"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        CHECK(load(unknown[i], &m) != CUDA_SUCCESS);
}

static void resources(int number) {
    CUmodule m;
    CUfunction f;
    int n, most = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    OK(load("sm_70", &m));
    OK(cuModuleGetFunction(&f, m, "k"));
    // Threads are what limits this one.
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 512, 0));
    CHECK(n == attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / 512);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 32, 0));
    CHECK(n == attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
    // The largest block has the multiprocessor for itself.
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most));
    EXPECT(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most + 1),
           CUDA_ERROR_INVALID_VALUE);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 32, (size_t)most));
    CHECK(n == 1);
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, (unsigned)most, 0, NULL, NULL));
    OK(cuCtxSynchronize());
    CUlaunchAttribute cluster;
    memset(&cluster, 0, sizeof cluster);
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = 2;
    cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
    CUlaunchConfig config = {2, 1, 1, 32, 1, 1, 0, NULL, &cluster, 1};
    EXPECT(cuLaunchKernelEx(&config, f, NULL, NULL),
           number >= 90 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE);
    OK(cuCtxSynchronize());
}

int main(int argc, char **argv) {
    int number = argc > 1 ? atoi(argv[1]) : 90;
    if (!number) {
        EXPECT(cuInit(0), CUDA_ERROR_INVALID_VALUE);
        return check_result();
    }
    check_context();
    attributes(number);
    loads(number, argc == 1);
    resources(number);
    return check_result();
}
