// Names, texts and values of errors; the last error; what becomes of the driver's errors.
#include "check.h"
#include "stand_in.h"

static void texts(void) {
    CHECK(cudaErrorMemoryAllocation == 2 && cudaErrorInvalidConfiguration == 9);
    CHECK(cudaErrorInvalidDeviceFunction == 98 && cudaErrorNotReady == 600);
    CHECK(cudaErrorIllegalAddress == 700 && cudaErrorAssert == 710);
    CHECK(cudaErrorNotSupported == 801 && cudaErrorUnknown == 999);
    CHECK(strcmp(cudaGetErrorName(cudaSuccess), "cudaSuccess") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    CHECK(strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                 "an illegal memory access was encountered") == 0);
    CHECK(strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code") == 0);
    CHECK(strcmp(cudaGetErrorString((cudaError_t)-1), "unrecognized error code") == 0);
}

static void last_error(void) {
    int value;
    void *p;
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0) == cudaErrorInvalidValue);
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    // A success does not clear it, looking does not either.
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0) == cudaSuccess);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMalloc(NULL, 4) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaMalloc(&p, 4) == cudaSuccess);
    CHECK(cudaFree(p) == cudaSuccess);
}

// Every result of the driver that the runtime has an error for keeps its number.
static void driver_errors(struct stand_in *driver) {
    void *p;
    for (int result = 1; result < 1100; result++) {
        cudaError_t same = (cudaError_t)result;
        int known = strcmp(cudaGetErrorName(same), "unrecognized error code") != 0;
        driver->fail_in = "cuMemAlloc";
        driver->failure = (CUresult)result;
        CHECK_ERROR(known ? same : cudaErrorUnknown, cudaMalloc(&p, 4));
    }
    CHECK(strcmp(cudaGetErrorName((cudaError_t)CUDA_ERROR_CONTEXT_ALREADY_CURRENT),
                 "unrecognized error code") == 0);
    driver->fail_in = "cuStreamQuery";
    driver->failure = CUDA_ERROR_NOT_READY;
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady);
    CHECK(cudaGetLastError() == cudaSuccess);
}

static void what_the_driver_lacks(void) {
    size_t free_bytes, total;
    CHECK_ERROR(cudaErrorCallRequiresNewerDriver, cudaMemGetInfo(&free_bytes, &total));
}

static void not_supported(void) {
    CHECK_ERROR(cudaErrorNotSupported, cudaDeviceGetNvSciSyncAttributes(NULL, 0, 0));
}

static void log_file(const char *path) {
    char line[512] = "";
    setenv("CUDA_LOG_FILE", path, 1);
    remove(path);
    CHECK_ERROR(cudaErrorInvalidValue, cudaMalloc(NULL, 4));
    FILE *file = fopen(path, "r");
    CHECK(file && fgets(line, sizeof line, file));
    if (file)
        fclose(file);
    CHECK(line[0] == '[' && strstr(line, "][CUDART][E][cudaMalloc] devPtr must not be NULL"));
    remove(path);
    unsetenv("CUDA_LOG_FILE");
}

int main(int argc, char **argv) {
    struct stand_in *driver = stand_in_state();
    if (!driver)
        return 2;
    texts();
    last_error();
    driver_errors(driver);
    what_the_driver_lacks();
    not_supported();
    log_file(argc > 1 ? argv[1] : "test_errors.log");
    CHECK(driver->undocumented == 0);
    return finish();
}
