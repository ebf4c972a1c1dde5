// Channel descriptions of the runtime and formats of the driver.
#ifndef KUDZU_RUNTIME_ARRAY_H
#define KUDZU_RUNTIME_ARRAY_H

#include "runtime/runtime.h"

// The driver's format of a description and its number of channels; 0: no texel of an array.
CUarray_format rt_format(const struct cudaChannelFormatDesc *d, unsigned int *channels);
// The same; cudaErrorInvalidChannelDescriptor where there is none.
cudaError_t rt_texel_format(const char *function, const struct cudaChannelFormatDesc *d,
                            CUarray_format *format, unsigned int *channels);
// cudaErrorInvalidChannelDescriptor where there is no description of the format.
cudaError_t rt_channel_desc(const char *function, CUarray_format format, unsigned int channels,
                            struct cudaChannelFormatDesc *d);

// What the driver is told of an array; the flags have its numbers.
cudaError_t rt_array_descriptor(const char *function, const struct cudaChannelFormatDesc *desc,
                                struct cudaExtent extent, unsigned int flags,
                                CUDA_ARRAY3D_DESCRIPTOR *d);

// What copies with an array move as a whole: a texel, or a block of `side` by `side` texels that
// are compressed together.
struct rt_element {
    size_t bytes, side;
};
// That of an array. The caller has made a context current.
cudaError_t rt_element_of(const char *function, cudaArray_const_t array, struct rt_element *out);
// Whether a kind's texels are read as numbers in [0, 1] or [-1, 1] in any case.
bool rt_gives_fractions(CUarray_format format);

#endif
