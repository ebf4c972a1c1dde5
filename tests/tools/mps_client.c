// A client for test_mps_control.py.
#include <cuda.h>
#include <stdio.h>

int main(void) {
    int processors = -1, mps = -1;
    if (cuInit(0) != CUDA_SUCCESS ||
        cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0) !=
            CUDA_SUCCESS ||
        cuDeviceGetAttribute(&mps, CU_DEVICE_ATTRIBUTE_MPS_ENABLED, 0) != CUDA_SUCCESS)
        return 1;
    printf("%d %d\n", processors, mps);
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
