// Filling memory with a byte (guide 6.2.2).
#include "runtime/runtime.h"

cudaError_t cudaMemset(void *devPtr, int value, size_t count) {
    RT_REQUIRE(devPtr || count == 0, cudaErrorInvalidValue, "devPtr must not be NULL");
    RT_ENTER();
    if (count == 0)
        return cudaSuccess;
    return rt_result(RT_CALL(cuMemsetD8, (CUdeviceptr)devPtr, (unsigned char)value, count));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream) {
    RT_REQUIRE(devPtr || count == 0, cudaErrorInvalidValue, "devPtr must not be NULL");
    RT_ENTER();
    if (count == 0)
        return cudaSuccess;
    return rt_result(
        RT_CALL(cuMemsetD8Async, (CUdeviceptr)devPtr, (unsigned char)value, count, stream));
}

static cudaError_t check_2d(const char *function, const void *pointer, size_t pitch, size_t width,
                            size_t height, size_t rows_apart, bool *nothing) {
    *nothing = width == 0 || height == 0;
    if (*nothing)
        return cudaSuccess;
    if (!pointer)
        return rt_fail(function, cudaErrorInvalidValue, "the destination is NULL");
    if (rows_apart > 1 && pitch < width)
        return rt_fail(function, cudaErrorInvalidPitchValue,
                       "the pitch %zu is smaller than the width %zu", pitch, width);
    return cudaSuccess;
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height) {
    bool nothing;
    RT_TRY(check_2d(__func__, devPtr, pitch, width, height, height, &nothing));
    RT_ENTER();
    if (nothing)
        return cudaSuccess;
    return rt_result(
        RT_CALL(cuMemsetD2D8, (CUdeviceptr)devPtr, pitch, (unsigned char)value, width, height));
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    bool nothing;
    RT_TRY(check_2d(__func__, devPtr, pitch, width, height, height, &nothing));
    RT_ENTER();
    if (nothing)
        return cudaSuccess;
    return rt_result(RT_CALL(cuMemsetD2D8Async, (CUdeviceptr)devPtr, pitch, (unsigned char)value,
                             width, height, stream));
}

// One rectangle a slice; slices without rows between them are one rectangle.
struct slices {
    CUdeviceptr first;
    size_t apart, width, height, count;
};

static cudaError_t slices_of(const char *function, struct cudaPitchedPtr p,
                             struct cudaExtent extent, struct slices *s) {
    bool nothing;
    *s = (struct slices){(CUdeviceptr)p.ptr, p.pitch * p.ysize, extent.width, extent.height,
                         extent.depth};
    RT_TRY(check_2d(function, p.ptr, p.pitch, extent.width, extent.height,
                    extent.depth > 1 ? 2 : extent.height, &nothing));
    if (nothing)
        s->count = 0;
    if (s->count > 1 && p.ysize < extent.height)
        return rt_fail(function, cudaErrorInvalidValue,
                       "the slices have %zu rows, and %zu are to be set", p.ysize, extent.height);
    if (s->count > 1 && p.ysize == extent.height) {
        s->height *= s->count;
        s->count = 1;
    }
    return cudaSuccess;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent) {
    struct slices s;
    RT_TRY(slices_of(__func__, pitchedDevPtr, extent, &s));
    RT_ENTER();
    for (size_t i = 0; i < s.count; i++)
        RT_TRY(rt_result(RT_CALL(cuMemsetD2D8, s.first + i * s.apart, pitchedDevPtr.pitch,
                                 (unsigned char)value, s.width, s.height)));
    return cudaSuccess;
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                              struct cudaExtent extent, cudaStream_t stream) {
    struct slices s;
    RT_TRY(slices_of(__func__, pitchedDevPtr, extent, &s));
    RT_ENTER();
    for (size_t i = 0; i < s.count; i++)
        RT_TRY(rt_result(RT_CALL(cuMemsetD2D8Async, s.first + i * s.apart, pitchedDevPtr.pitch,
                                 (unsigned char)value, s.width, s.height, stream)));
    return cudaSuccess;
}
