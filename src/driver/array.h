// CUDA arrays (guide 6.2.14.3). One is rows of texels, without gaps, in device memory that only
// the array's handle leads to.
#ifndef KUDZU_DRIVER_ARRAY_H
#define KUDZU_DRIVER_ARRAY_H

#include "driver/driver.h"

struct drv_array {
    struct drv_object object;
    CUDA_ARRAY3D_DESCRIPTOR descriptor; // Height 0: one-dimensional
    uint64_t base, pitch;               // bytes from row to row
    uint64_t rows;                      // at least 1
};
// CUDA_ERROR_INVALID_HANDLE when there is no such array.
CUresult drv_array_find(CUarray handle, struct drv_array **out);

// Bytes of one component; 0: no format of a component.
unsigned drv_format_bytes(CUarray_format format);
// Checks a format and a number of channels, for what `name` describes.
CUresult drv_format_check(CUarray_format format, unsigned channels, const char *name);

#endif
