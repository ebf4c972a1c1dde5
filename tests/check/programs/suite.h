// What the programs share: calls whose error ends the program, and the last line of output.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            printf("line %d: %s\n", __LINE__, cudaGetErrorName(error_));                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static inline int verdict(bool right) {
    puts(right ? "PASS" : "FAIL");
    return !right;
}
