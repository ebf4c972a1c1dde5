// KUDZU_CUDA_VERSION: the version that the driver is, as cuDriverGetVersion, cuGetProcAddress and
// cuInit tell.
//
// Usage: test_version [VERSION]   with a version, the test is of what the variable was set to;
//                                 0: a value that is no version
#include "check.h"

int main(int argc, char **argv) {
    int wanted = argc > 1 ? atoi(argv[1]) : 13000, version = 0;
    void *p = NULL;
    CUdriverProcAddressQueryResult status;
    OK(cuDriverGetVersion(&version));
    CHECK(version == (wanted ? wanted : 13000));
    if (!wanted) {
        EXPECT(cuInit(0), CUDA_ERROR_INVALID_VALUE);
        return check_result();
    }
    OK(cuInit(0));
    // A function of a version that the driver is not of is unknown, later forms are not taken.
    OK(cuGetProcAddress("cuMemGetMemPool", &p, wanted, 0, &status));
    CHECK((p != NULL) == (wanted >= 13000));
    CHECK(p || status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    OK(cuGetProcAddress("cuMemcpyBatchAsync", &p, -1, 0, &status));
    CHECK((p == (void *)cuMemcpyBatchAsync) == (wanted == 12090));
    EXPECT(cuGetProcAddress("cuMemAlloc", &p, wanted + 10, 0, &status), CUDA_ERROR_INVALID_VALUE);
    OK(cuGetProcAddress("cuMemAlloc", &p, wanted, 0, &status));
    CHECK(p == (void *)cuMemAlloc && status == CU_GET_PROC_ADDRESS_SUCCESS);
    return check_result();
}
