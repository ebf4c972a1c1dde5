// The driver's version. Programs of earlier ones go on: a function's earlier forms stay.
#include "driver/driver.h"
#include "support/cuda_version.h"

// Unless asked, the driver is of the version whose behaviour was recorded of NVIDIA's: programs
// that find a later one count on functions that are refused here.
enum { USUAL = 13000 };

int drv_version(void) {
    int version = cuda_version_asked();
    return version ? version : USUAL;
}

CUresult drv_version_check(void) {
    const char *unknown = cuda_version_unknown();
    REQUIRE(!unknown, CUDA_ERROR_INVALID_VALUE,
            "KUDZU_CUDA_VERSION is '%.32s': it must be a version from %d.%d to %d.%d", unknown,
            CUDA_VERSION_OLDEST / 1000, CUDA_VERSION_OLDEST % 1000 / 10, CUDA_VERSION_LATEST / 1000,
            CUDA_VERSION_LATEST % 1000 / 10);
    return CUDA_SUCCESS;
}
