// Kernels end to end: launches in every form, variables, attributes, occupancy, libraries, faults.
#include "check.h"
#include "images.h"

#include <unistd.h>

static int *p, back[256];

static void fetch(void) {
    CHECK_OK(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
}

static void launches(void) {
    int v = 100;
    void *args[] = {&p, &v};
    CHECK_OK(cudaMemset(p, 0, sizeof back));
    CHECK_OK(cudaLaunchKernel(&fill_stub, (dim3){4, 1, 1}, (dim3){50, 1, 1}, args, 0, 0));
    fetch();
    for (int i = 0; i < 256; i++)
        CHECK(back[i] == (i < 200 ? 100 + i : 0));
    void *one[] = {&p};
    CHECK_OK(cudaLaunchKernel(&shape_stub, (dim3){2, 3, 4}, (dim3){5, 6, 7}, one, 88, 0));
    fetch();
    int shape[] = {2, 3, 4, 5, 6, 7, 88};
    CHECK(memcmp(back, shape, sizeof shape) == 0);
    cudaLaunchConfig_t config = {.gridDim = {8, 1, 1}, .blockDim = {9, 2, 1}};
    CHECK_OK(cudaLaunchKernelExC(&config, &shape_stub, one));
    fetch();
    CHECK(back[0] == 8 && back[3] == 9 && back[4] == 2 && back[6] == 0);
    CHECK_OK(cudaLaunchCooperativeKernel(&shape_stub, (dim3){1, 1, 1}, (dim3){3, 1, 1}, one, 0, 0));
    fetch();
    CHECK(back[3] == 3);
    cudaKernel_t handle = NULL; // as host stubs of version 13 do
    CHECK_OK(__cudaGetKernel(&handle, &shape_stub));
    CHECK_OK(__cudaLaunchKernel(handle, (dim3){1, 1, 1}, (dim3){7, 1, 1}, one, 0, 0));
    fetch();
    CHECK(back[3] == 7);
    CHECK_OK(__cudaLaunchKernel_ptsz(handle, (dim3){1, 1, 1}, (dim3){8, 1, 1}, one, 0, 0));
    CHECK_OK(cudaDeviceSynchronize());
    fetch();
    CHECK(back[3] == 8);
    CHECK_ERROR(cudaErrorInvalidDeviceFunction,
                __cudaLaunchKernel(NULL, (dim3){1, 1, 1}, (dim3){1, 1, 1}, one, 0, 0));
    CHECK_ERROR(cudaErrorInvalidValue, __cudaGetKernel(NULL, &shape_stub));
    CHECK_OK(cudaConfigureCall((dim3){1, 1, 1}, (dim3){11, 1, 1}, 0, 0));
    CHECK_OK(cudaSetupArgument(&p, 8, 0));
    CHECK_OK(cudaLaunch(&shape_stub));
    fetch();
    CHECK(back[3] == 11);
    CHECK_ERROR(cudaErrorInvalidConfiguration,
                cudaLaunchKernel(&fill_stub, (dim3){1, 1, 1}, (dim3){1025, 1, 1}, args, 0, 0));
    CHECK_ERROR(cudaErrorInvalidConfiguration,
                cudaLaunchKernel(&fill_stub, (dim3){1, 65536, 1}, (dim3){1, 1, 1}, args, 0, 0));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaLaunchKernel(&fill_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 1 << 20, 0));
    CHECK_ERROR(cudaErrorInvalidDeviceFunction,
                cudaLaunchKernel(&missing_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0));
}

static void variables(void) {
    int words[4] = {1000, 2, 3, 30}, counter = 0;
    void *args[] = {&p}, *address;
    size_t size;
    CHECK_OK(cudaMemcpyFromSymbol(&counter, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
    CHECK(counter == 5);
    CHECK_OK(cudaMemcpyToSymbol(table_shadow, words, 16, 0, cudaMemcpyHostToDevice));
    CHECK_OK(cudaLaunchKernel(&add_table_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0));
    fetch();
    CHECK(back[0] == 1035);
    CHECK_OK(cudaGetSymbolAddress(&address, &counter_shadow));
    counter = 6;
    CHECK_OK(cudaMemcpy(address, &counter, 4, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpyToSymbolAsync(table_shadow, words + 1, 4, 12, cudaMemcpyHostToDevice, 0));
    CHECK_OK(cudaLaunchKernel(&add_table_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0));
    CHECK_OK(cudaMemcpyFromSymbolAsync(words, table_shadow, 16, 0, cudaMemcpyDeviceToHost, 0));
    fetch();
    CHECK(back[0] == 1008 && words[3] == 2);
    CHECK_OK(cudaGetSymbolSize(&size, table_shadow));
    CHECK(size == 16);
    CHECK_ERROR(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, &missing_shadow));
}

static void attributes(void) {
    struct cudaFuncAttributes a;
    const char *name = "";
    int blocks = 0;
    size_t offset = 0, size = 0;
    CHECK_OK(cudaFuncGetAttributes(&a, &fill_stub));
    CHECK(a.maxThreadsPerBlock == 1024 && a.sharedSizeBytes == 0 && a.ptxVersion == 50);
    CHECK_OK(
        cudaFuncSetAttribute(&fill_stub, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    CHECK_OK(cudaFuncGetAttributes(&a, &fill_stub));
    CHECK(a.maxDynamicSharedSizeBytes == 64 * 1024);
    CHECK_ERROR(cudaErrorInvalidValue, cudaFuncSetAttribute(&fill_stub, cudaFuncAttributeMax, 1));
    CHECK_ERROR(
        cudaErrorInvalidValue,
        cudaFuncSetAttribute(&fill_stub, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 24));
    CHECK_OK(cudaFuncSetCacheConfig(&fill_stub, cudaFuncCachePreferL1));
    CHECK_OK(cudaFuncGetName(&name, &fill_stub));
    CHECK(strcmp(name, "fill") == 0);
    CHECK_OK(cudaFuncGetParamInfo(&fill_stub, 1, &offset, &size));
    CHECK(offset == 8 && size == 4);
    CHECK(cudaFuncGetParamInfo(&fill_stub, 2, &offset, &size) != cudaSuccess);
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &fill_stub, 256, 0));
    CHECK(blocks >= 1 && blocks <= 8); // at most 2048 threads
    CHECK_OK(cudaOccupancyAvailableDynamicSMemPerBlock(&size, &fill_stub, 2, 256));
    CHECK(size > 0);
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &fill_stub, 0, 0));
    CHECK_ERROR(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, &unknown_stub));
    CHECK_ERROR(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, NULL));
}

static void libraries(void) {
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned int count = 0;
    int *counter;
    size_t size;
    int v = 7;
    void *args[] = {&p, &v};
    CHECK_OK(cudaLibraryLoadData(&library, test_image, NULL, NULL, 0, NULL, NULL, 0));
    CHECK_OK(cudaLibraryGetKernelCount(&count, library));
    CHECK(count == 4);
    CHECK_OK(cudaLibraryGetKernel(&kernel, library, "fill"));
    CHECK_OK(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0));
    fetch();
    CHECK(back[0] == 7);
    CHECK_OK(cudaLibraryGetGlobal((void **)&counter, &size, library, "counter"));
    CHECK(size == 4);
    CHECK_OK(cudaMemcpy(&v, counter, 4, cudaMemcpyDeviceToHost));
    CHECK(v == 5); // not the program's own instance
    CHECK_ERROR(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "nothing"));
    CHECK_OK(cudaLibraryUnload(library));
    CHECK_ERROR(cudaErrorInvalidDeviceFunction,
                cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0));
    // NVIDIA's driver may look at an image when it is first used.
    CHECK(cudaLibraryLoadData(&library, "nonsense", NULL, NULL, 0, NULL, NULL, 0) != cudaSuccess ||
          cudaLibraryGetKernel(&kernel, library, "fill") != cudaSuccess);
    (void)cudaGetLastError();
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaLibraryLoadData(NULL, test_image, NULL, NULL, 0, NULL, NULL, 0));
}

// Variables and functions of libraries from files; what is set for all devices.
static const char other_image[] = "\
.version 8.0\n\
.target sm_90\n\
.address_size 64\n\
.visible .global .attribute(.managed) .align 4 .u32 kept = 9;\n\
.visible .func (.param .u32 r) twice(.param .u32 x)\n\
{\n\
  .reg .b32 %r<2>;\n\
  ld.param.u32 %r0, [x];\n\
  add.u32 %r1, %r0, %r0;\n\
  st.param.u32 [r], %r1;\n\
  ret;\n\
}\n\
.visible .entry one()\n\
{\n\
  .reg .b32 %r<2>;\n\
  ld.global.u32 %r0, [kept];\n\
  add.u32 %r1, %r0, 1;\n\
  st.global.u32 [kept], %r1;\n\
  ret;\n\
}\n\
.visible .entry two()\n\
{\n\
  ret;\n\
}\n";

static void library_files(void) {
    char path[] = "/tmp/kudzu-test-XXXXXX";
    cudaLibrary_t library;
    cudaKernel_t kernels[3] = {0}, one, two;
    int *kept = NULL, fd = mkstemp(path);
    void *function = NULL;
    size_t size = 0;
    CHECK(write(fd, other_image, sizeof other_image) == sizeof other_image);
    close(fd);
    CHECK_OK(cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    unlink(path);
    CHECK_OK(cudaLibraryEnumerateKernels(kernels, 3, library));
    CHECK_OK(cudaLibraryGetKernel(&one, library, "one"));
    CHECK_OK(cudaLibraryGetKernel(&two, library, "two"));
    CHECK(((kernels[0] == one && kernels[1] == two) || (kernels[0] == two && kernels[1] == one)) &&
          !kernels[2]);
    CHECK_OK(cudaLibraryGetManaged((void **)&kept, &size, library, "kept"));
    CHECK(kept && size == 4 && *kept == 9);
    CHECK_ERROR(cudaErrorSymbolNotFound,
                cudaLibraryGetManaged((void **)&kept, &size, library, "one"));
    CHECK_OK(cudaKernelSetAttributeForDevice(one, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             60 * 1024, 0));
    CHECK_ERROR(
        cudaErrorInvalidDevice,
        cudaKernelSetAttributeForDevice(one, cudaFuncAttributeMaxDynamicSharedMemorySize, 8, 99));
    CHECK_OK(cudaLaunchKernel(one, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 60 * 1024, 0));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(*kept == 10);
    CHECK(cudaLibraryGetUnifiedFunction(&function, library, "one") != cudaSuccess);
    CHECK_ERROR(cudaErrorInvalidValue, cudaLibraryGetUnifiedFunction(NULL, library, "twice"));
    CHECK_OK(cudaLibraryUnload(library));
    CHECK_ERROR(cudaErrorFileNotFound,
                cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
}

// One launch for a list of devices.
static void several_devices(void) {
    struct cudaLaunchParams launch;
    void *args[] = {&p};
    int blocks = 0;
    memset(&launch, 0, sizeof launch);
    NEED(cudaStreamCreate(&launch.stream));
    launch.func = &shape_stub;
    launch.gridDim = (dim3){2, 1, 1};
    launch.blockDim = (dim3){6, 1, 1};
    launch.args = args;
    CHECK_OK(cudaLaunchCooperativeKernelMultiDevice(&launch, 1, 0));
    CHECK_OK(cudaStreamSynchronize(launch.stream));
    fetch();
    CHECK(back[0] == 2 && back[3] == 6);
    CHECK_ERROR(cudaErrorInvalidValue, cudaLaunchCooperativeKernelMultiDevice(NULL, 1, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaLaunchCooperativeKernelMultiDevice(&launch, 0, 0));
    CHECK_OK(cudaStreamDestroy(launch.stream));
    CHECK_OK(cudaFuncSetSharedMemConfig(&fill_stub, cudaSharedMemBankSizeEightByte));
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, &fill_stub, 1024, 0, cudaOccupancyDisableCachingOverride));
    CHECK(blocks == 2);
    CHECK_ERROR(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                                           &blocks, &fill_stub, 1024, 0, 16));
}

static void after_reset(void) {
    int v = 3, counter = 0;
    CHECK_OK(cudaDeviceReset());
    NEED(cudaMalloc((void **)&p, sizeof back));
    void *args[] = {&p, &v};
    CHECK_OK(cudaLaunchKernel(&fill_stub, (dim3){1, 1, 1}, (dim3){2, 1, 1}, args, 0, 0));
    fetch();
    CHECK(back[1] == 4);
    CHECK_OK(cudaMemcpyFromSymbol(&counter, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
    CHECK(counter == 5); // as it was before the first launch
}

// A fault stays until the context is gone; the process goes on.
static void faults(void) {
    int *nowhere = NULL, v = 0;
    void *args[] = {&nowhere, &v}, *q;
    CHECK_OK(cudaLaunchKernel(&fill_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, 0));
    CHECK_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    CHECK_ERROR(cudaErrorIllegalAddress, cudaMalloc(&q, 4));
    if (!on_kudzu())
        return;
    CHECK_OK(cudaDeviceReset());
    CHECK_OK(cudaMalloc(&q, 4));
    CHECK_OK(cudaLaunchKernel(&trap_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    CHECK_ERROR(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    CHECK_OK(cudaDeviceReset());
    CHECK_OK(cudaMalloc(&q, 4));
}

int main(void) {
    register_test_image();
    NEED(cudaMalloc((void **)&p, sizeof back));
    launches();
    variables();
    attributes();
    libraries();
    library_files();
    several_devices();
    after_reset();
    faults();
    return finish();
}
