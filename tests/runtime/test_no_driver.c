// No driver, one that is too old, one without devices: the documented errors, from every call.
#include "check.h"

int main(int argc, char **argv) {
    cudaError_t expected = argc > 1 && strcmp(argv[1], "no-device") == 0
                               ? cudaErrorNoDevice
                               : cudaErrorInsufficientDriver;
    int count = 7, version = -1, device;
    void *p = &p;
    cudaStream_t stream;
    CHECK_ERROR(expected, cudaGetDeviceCount(&count));
    CHECK(count == 0);
    CHECK_ERROR(expected, cudaMalloc(&p, 4));
    CHECK(p == NULL);
    CHECK_ERROR(expected, cudaFree(0));
    CHECK_ERROR(expected, cudaGetDevice(&device));
    CHECK_ERROR(expected, cudaSetDevice(0));
    CHECK_ERROR(expected, cudaStreamCreate(&stream));
    CHECK_ERROR(expected, cudaDeviceSynchronize());
    CHECK_ERROR(expected, cudaDeviceReset());
    // Versions can be asked for all the same.
    CHECK_OK(cudaDriverGetVersion(&version));
    CHECK(argc > 2 ? version == atoi(argv[2]) : version == 0);
    CHECK_OK(cudaRuntimeGetVersion(&version));
    CHECK(version / 1000 == 12);
    return finish();
}
