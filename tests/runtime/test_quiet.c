// A program without an error writes nothing to CUDA_LOG_FILE
// (guide, 23), whatever functions its driver is too old for.
#include "check.h"

int main(void) {
    int count = 0;
    void *p = NULL;
    CHECK_OK(cudaGetDeviceCount(&count));
    CHECK(count > 0);
    CHECK_OK(cudaMalloc(&p, 4));
    CHECK_OK(cudaFree(p));
    CHECK_OK(cudaDeviceSynchronize());
    return failures != 0;
}
