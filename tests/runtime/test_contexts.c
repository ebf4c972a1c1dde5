// Which context a call works in; what initialises what; reset; registration and lazy loading.
#include <pthread.h>

#include "check.h"
#include "images.h"
#include "stand_in.h"

static struct stand_in *driver;

static void registration_calls_nothing(void) {
    register_test_image();
    __cudaUnregisterFatBinary(NULL);
    register_kernel(NULL, &unknown_stub, "fill");
    CHECK(driver->calls == 0);
}

static void first_call_initialises(void) {
    int count, device;
    CHECK_OK(cudaGetDeviceCount(&count));
    CHECK(count == STAND_IN_DEVICES);
    CHECK_OK(cudaGetDevice(&device));
    CHECK(device == 0);
    CHECK(driver->retains[0] == 0 && driver->retains[1] == 0);
    CHECK_OK(cudaFree(0));
    CHECK(driver->retains[0] == 1 && driver->retains[1] == 0);
    CHECK_OK(cudaFree(0));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(driver->retains[0] == 1);
}

static void lazy_loading(void) {
    CHECK(driver->loads == 0);
    CHECK_ERROR(cudaErrorInvalidDeviceFunction,
                cudaLaunchKernel(&unknown_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    CHECK(driver->loads == 0);
    CHECK_OK(cudaLaunchKernel(&fill_stub, (dim3){7, 1, 1}, (dim3){3, 2, 1}, NULL, 40, 0));
    CHECK(driver->loads == 1 && driver->functions == 1);
    CHECK_OK(cudaLaunchKernel(&fill_stub, (dim3){7, 1, 1}, (dim3){3, 2, 1}, NULL, 40, 0));
    CHECK(driver->functions == 1);
    CHECK(strcmp(driver->kernel, "fill") == 0);
    CHECK(driver->grid[0] == 7 && driver->block[1] == 2 && driver->shared == 40);
    CHECK_OK(cudaLaunchKernel(&shape_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    CHECK(driver->loads == 1 && strcmp(driver->kernel, "shape") == 0);
    CHECK_ERROR(cudaErrorInvalidDeviceFunction,
                cudaLaunchKernel(&missing_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    CHECK_ERROR(cudaErrorInvalidDeviceFunction,
                cudaLaunchKernel(NULL, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    // A variable is no kernel.
    CHECK_ERROR(cudaErrorInvalidDeviceFunction,
                cudaLaunchKernel(table_shadow, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
}

static void shapes(void) {
    dim3 one = {1, 1, 1};
    struct {
        dim3 grid, block;
    } bad[] = {
        {{0, 1, 1}, {1, 1, 1}},      {{1, 0, 1}, {1, 1, 1}},        {{1, 1, 1}, {1, 1, 0}},
        {{1, 1, 1}, {101, 1, 1}},    {{1, 1, 1}, {1, 1, 11}},       {{1, 1, 1}, {13, 10, 1}},
        {{100000, 1, 1}, {1, 1, 1}}, {{1, 1, 1}, {1u << 31, 2, 1}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_ERROR(cudaErrorInvalidConfiguration,
                    cudaLaunchKernel(&fill_stub, bad[i].grid, bad[i].block, NULL, 0, 0));
    CHECK_OK(cudaLaunchKernel(&fill_stub, one, (dim3){16, 8, 1}, NULL, 0, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaLaunchKernel(&fill_stub, one, one, NULL, 1ull << 33, 0));
}

static void extended_launch(void) {
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
    cudaLaunchConfig_t config = {.gridDim = {2, 3, 4},
                                 .blockDim = {5, 1, 1},
                                 .dynamicSmemBytes = 9,
                                 .stream = (cudaStream_t)0x77,
                                 .attrs = &attribute,
                                 .numAttrs = 1};
    CHECK_OK(cudaLaunchKernelExC(&config, &fill_stub, NULL));
    CHECK(driver->grid[2] == 4 && driver->block[0] == 5 && driver->shared == 9);
    CHECK(driver->nattributes == 1 && driver->last_stream == (CUstream)0x77);
    CHECK_ERROR(cudaErrorInvalidValue, cudaLaunchKernelExC(NULL, &fill_stub, NULL));
    config.attrs = NULL;
    CHECK_ERROR(cudaErrorInvalidValue, cudaLaunchKernelExC(&config, &fill_stub, NULL));
}

static void default_streams(void) {
    int word = 0;
    void *p;
    NEED(cudaMalloc(&p, 4));
    CHECK_OK(cudaMemcpy(p, &word, 4, cudaMemcpyHostToDevice));
    CHECK(strcmp(driver->last_call, "cuMemcpyHtoD") == 0 && !driver->last_per_thread);
    extern cudaError_t cudaMemcpy_ptds(void *, const void *, size_t, enum cudaMemcpyKind);
    CHECK_OK(cudaMemcpy_ptds(p, &word, 4, cudaMemcpyHostToDevice));
    CHECK(strcmp(driver->last_call, "cuMemcpyHtoD") == 0 && driver->last_per_thread);
    extern cudaError_t cudaStreamQuery_ptsz(cudaStream_t);
    CHECK_OK(cudaStreamQuery_ptsz(0));
    CHECK(driver->last_per_thread);
    CHECK_OK(cudaStreamQuery(0));
    CHECK(!driver->last_per_thread);
    extern cudaError_t cudaLaunchKernel_ptsz(const void *, dim3, dim3, void **, size_t,
                                             cudaStream_t);
    CHECK_OK(cudaLaunchKernel_ptsz(&fill_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    CHECK(strcmp(driver->last_call, "cuLaunchKernel") == 0 && driver->last_per_thread);
    CHECK_OK(cudaFree(p));
}

static void variables(void) {
    void *address;
    size_t size;
    int words[4] = {1, 2, 3, 4};
    CHECK_OK(cudaGetSymbolSize(&size, table_shadow));
    CHECK(size == 16);
    CHECK_OK(cudaGetSymbolAddress(&address, table_shadow));
    CHECK_OK(cudaMemcpyToSymbol(table_shadow, words, 16, 0, cudaMemcpyHostToDevice));
    CHECK(memcmp(address, words, 16) == 0);
    CHECK_OK(cudaMemcpyToSymbol(table_shadow, words, 4, 12, cudaMemcpyHostToDevice));
    CHECK(((int *)address)[3] == 1);
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemcpyToSymbol(table_shadow, words, 4, 13, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemcpyToSymbol(table_shadow, words, 4, (size_t)-2, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidMemcpyDirection,
                cudaMemcpyToSymbol(table_shadow, words, 4, 0, cudaMemcpyDeviceToHost));
    CHECK_ERROR(cudaErrorInvalidMemcpyDirection,
                cudaMemcpyFromSymbol(words, table_shadow, 4, 0, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, &missing_shadow));
    CHECK_ERROR(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, &unknown_stub));
    CHECK_ERROR(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, &fill_stub));
    CHECK_ERROR(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, NULL));
    CHECK(driver->loads == 1);
}

static void bad_images(void) {
    static struct __cudaFatBinaryWrapper no_magic = {1, 1, test_image, 0};
    static struct __cudaFatBinaryWrapper no_data = {KUDZU_FATBIN_WRAPPER_MAGIC, 1, 0, 0};
    static struct __cudaFatBinaryWrapper nonsense = {KUDZU_FATBIN_WRAPPER_MAGIC, 1, "nonsense", 0};
    struct __cudaFatBinaryWrapper *wrappers[] = {&no_magic, &no_data, &nonsense, NULL};
    static char stubs[4];
    for (int i = 0; i < 4; i++) {
        void **handle = __cudaRegisterFatBinary(wrappers[i]);
        register_kernel(handle, &stubs[i], "fill");
        __cudaRegisterFatBinaryEnd(handle);
        CHECK_ERROR(cudaErrorInvalidKernelImage,
                    cudaLaunchKernel(&stubs[i], (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
        __cudaUnregisterFatBinary(handle);
        CHECK_ERROR(cudaErrorInvalidDeviceFunction,
                    cudaLaunchKernel(&stubs[i], (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    }
    CHECK(driver->loads == 1);
}

static void unloading(void) {
    static char stub;
    static const char image[] = ".version 8.0\n.visible .entry other()\n{}\n";
    static struct __cudaFatBinaryWrapper wrapper = {KUDZU_FATBIN_WRAPPER_MAGIC, 1, image, 0};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &stub, "other");
    CHECK_OK(cudaLaunchKernel(&stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    CHECK(driver->loads == 2 && driver->unloads == 0);
    __cudaUnregisterFatBinary(handle);
    CHECK(driver->unloads == 1);
    CHECK_ERROR(cudaErrorInvalidDeviceFunction,
                cudaLaunchKernel(&stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    CHECK_OK(cudaLaunchKernel(&fill_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
}

// Far more symbols than the table begins with, half of them removed again.
static void many_symbols(void) {
    static char stubs[5000];
    void **handle = __cudaRegisterFatBinary(&test_wrapper), **gone;
    gone = __cudaRegisterFatBinary(&test_wrapper);
    for (int i = 0; i < 5000; i++)
        register_kernel(i % 2 ? handle : gone, &stubs[i], "fill");
    __cudaUnregisterFatBinary(gone);
    for (int i = 0; i < 5000; i++)
        CHECK_ERROR(i % 2 ? cudaSuccess : cudaErrorInvalidDeviceFunction,
                    cudaLaunchKernel(&stubs[i], (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    __cudaUnregisterFatBinary(handle);
}

static void *other_thread(void *unused) {
    int device;
    CHECK_OK(cudaGetDevice(&device));
    CHECK(device == 0); // the choice belongs to the thread
    CHECK_OK(cudaSetDevice(1));
    CHECK_OK(cudaGetDevice(&device));
    CHECK(device == 1);
    CHECK(driver->retains[1] == 1);
    CHECK_ERROR(cudaErrorInvalidDevice, cudaSetDevice(2));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaSetDevice(-1));
    CHECK_OK(cudaGetDevice(&device));
    CHECK(device == 1);
    return NULL;
}

static void valid_devices(void) {
    int device, list[] = {1, 0}, bad[] = {0, 5};
    CHECK_ERROR(cudaErrorInvalidDevice, cudaSetValidDevices(bad, 2));
    CHECK_ERROR(cudaErrorInvalidValue, cudaSetValidDevices(list, 3));
    CHECK_ERROR(cudaErrorInvalidValue, cudaSetValidDevices(NULL, 1));
    CHECK_OK(cudaSetValidDevices(list, 2));
    CHECK_OK(cudaGetDevice(&device));
    CHECK(device == 1);
    CHECK_OK(cudaSetValidDevices(NULL, 0));
    CHECK_OK(cudaGetDevice(&device));
    CHECK(device == 0);
}

static void *thread_with_valid_devices(void *unused) {
    valid_devices();
    return NULL;
}

static pthread_barrier_t barrier;

// Has a current context, which another thread resets meanwhile.
static void *thread_across_reset(void *unused) {
    CHECK_OK(cudaDeviceSynchronize());
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    CHECK_OK(cudaDeviceSynchronize());
    return NULL;
}

static void reset(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, thread_across_reset, NULL);
    pthread_barrier_wait(&barrier);
    int before = driver->retains[0];
    CHECK_OK(cudaDeviceReset());
    CHECK(driver->resets[0] == 1 && driver->releases[0] == 1);
    CHECK(driver->retains[0] == before);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    CHECK(driver->retains[0] == before + 1);
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_OK(cudaDeviceReset());
    CHECK_OK(cudaDeviceReset());
    int functions = driver->functions;
    CHECK_OK(cudaLaunchKernel(&fill_stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
    CHECK(driver->functions == functions + 1); // that of before the reset is gone
}

static void run(void *(*function)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    pthread_join(thread, NULL);
}

static void configurations(void) {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    CHECK_ERROR(cudaErrorMissingConfiguration,
                __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    CHECK(__cudaPushCallConfiguration((dim3){1, 2, 3}, (dim3){4, 5, 6}, 7, (cudaStream_t)8) == 0);
    CHECK(__cudaPushCallConfiguration((dim3){9, 1, 1}, (dim3){1, 1, 1}, 0, 0) == 0);
    CHECK_OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    CHECK(grid.x == 9 && shared == 0 && stream == 0);
    CHECK_OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    CHECK(grid.z == 3 && block.x == 4 && shared == 7 && stream == (cudaStream_t)8);
    int pushed = 0;
    while (pushed < 1000 && __cudaPushCallConfiguration(grid, block, 0, 0) == 0)
        pushed++;
    CHECK(pushed > 10 && pushed < 1000);
    CHECK(cudaGetLastError() == cudaErrorMissingConfiguration);
    while (pushed-- > 0)
        CHECK_OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    // The form of compilers before 9.2.
    CHECK_OK(cudaConfigureCall((dim3){5, 1, 1}, (dim3){6, 1, 1}, 0, 0));
    CHECK_OK(cudaSetupArgument(&grid, 8, 0));
    CHECK_OK(cudaLaunch(&fill_stub));
    CHECK(driver->grid[0] == 5 && driver->block[0] == 6);
    CHECK_ERROR(cudaErrorMissingConfiguration, cudaLaunch(&fill_stub));
    CHECK_ERROR(cudaErrorInvalidValue, cudaSetupArgument(&grid, 8, 32760));
}

int main(void) {
    driver = stand_in_state();
    if (!driver)
        return 2;
    registration_calls_nothing();
    first_call_initialises();
    lazy_loading();
    shapes();
    extended_launch();
    default_streams();
    variables();
    bad_images();
    unloading();
    many_symbols();
    run(other_thread);
    run(thread_with_valid_devices);
    reset();
    configurations();
    CHECK(driver->undocumented == 0);
    return finish();
}
