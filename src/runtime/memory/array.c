// CUDA arrays: creation, description, copies (guide 6.2.14.3). cudaArray_t is the driver's CUarray.
#include "runtime/memory/array.h"

#include <string.h>

// Kinds that tell the whole format: the bits and number of their components. The driver's formats
// of blocks have numbers in the order of the kinds, and so have those of numbers.
struct whole_kind {
    int bits;
    unsigned int channels;
};

static bool find_whole_kind(unsigned int kind, struct whole_kind *out, CUarray_format *format) {
    static const uint8_t block_channels[] = {4, 4, 4, 4, 4, 4, 1, 1, 2, 2, 3, 3, 4, 4};
    unsigned int number = kind - cudaChannelFormatKindUnsignedNormalized8X1;
    unsigned int block = kind - cudaChannelFormatKindUnsignedBlockCompressed1;
    bool half = kind == cudaChannelFormatKindUnsignedBlockCompressed6H ||
                kind == cudaChannelFormatKindSignedBlockCompressed6H;
    if (number < 12) {
        *out = (struct whole_kind){number / 3 % 2 ? 16 : 8, 1u << number % 3};
        *format = (CUarray_format)(CU_AD_FORMAT_UNORM_INT8X1 + number);
        return true;
    }
    if (kind == cudaChannelFormatKindUnsignedNormalized1010102) {
        *out = (struct whole_kind){10, 4};
        *format = CU_AD_FORMAT_UNORM_INT_101010_2;
        return true;
    }
    if (kind == cudaChannelFormatKindNV12) {
        *out = (struct whole_kind){8, 3};
        *format = CU_AD_FORMAT_NV12;
        return true;
    }
    if (block >= sizeof block_channels)
        return false;
    *out = (struct whole_kind){half ? 16 : 8, block_channels[block]};
    *format = (CUarray_format)(CU_AD_FORMAT_BC1_UNORM + block);
    return true;
}

static bool is_block(CUarray_format format) {
    return (int)format >= CU_AD_FORMAT_BC1_UNORM && (int)format <= CU_AD_FORMAT_BC7_UNORM_SRGB;
}

// The kind of such a format; cudaChannelFormatKindNone: it is of another.
static enum cudaChannelFormatKind whole_kind_of(CUarray_format format, struct whole_kind *out) {
    int n = (int)format - CU_AD_FORMAT_UNORM_INT8X1;
    int kind = is_block(format) ? (int)format - CU_AD_FORMAT_BC1_UNORM +
                                      cudaChannelFormatKindUnsignedBlockCompressed1
               : format == CU_AD_FORMAT_UNORM_INT_101010_2
                   ? (int)cudaChannelFormatKindUnsignedNormalized1010102
               : format == CU_AD_FORMAT_NV12 ? (int)cudaChannelFormatKindNV12
               : n >= 0 && n < 12            ? n + cudaChannelFormatKindUnsignedNormalized8X1
                                             : cudaChannelFormatKindNone;
    CUarray_format same;
    if (kind != cudaChannelFormatKindNone)
        find_whole_kind((unsigned int)kind, out, &same);
    return (enum cudaChannelFormatKind)kind;
}

bool rt_gives_fractions(CUarray_format format) {
    struct whole_kind whole;
    enum cudaChannelFormatKind kind = whole_kind_of(format, &whole);
    bool half = is_block(format) && whole.bits == 16;
    return kind != cudaChannelFormatKindNone && kind != cudaChannelFormatKindNV12 && !half;
}

CUarray_format rt_format(const struct cudaChannelFormatDesc *d, unsigned int *channels) {
    static const struct {
        enum cudaChannelFormatKind kind;
        int bits;
        CUarray_format format;
    } formats[] = {
        {cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
        {cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
        {cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
        {cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
        {cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
        {cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
        {cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
        {cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
    };
    unsigned int n = d->w ? 4 : d->z ? 3 : d->y ? 2 : 1;
    bool same = (n < 2 || d->y == d->x) && (n < 3 || d->z == d->x) && (n < 4 || d->w == d->x);
    *channels = n;
    struct whole_kind whole;
    CUarray_format format;
    if (d->f == cudaChannelFormatKindUnsignedNormalized1010102)
        same = d->y == 10 && d->z == 10 && d->w == 2;
    if (find_whole_kind((unsigned int)d->f, &whole, &format))
        return same && d->x == whole.bits && n == whole.channels ? format : 0;
    for (size_t i = 0; same && n != 3 && i < sizeof formats / sizeof *formats; i++)
        if (formats[i].kind == d->f && formats[i].bits == d->x)
            return formats[i].format;
    return 0;
}

cudaError_t rt_texel_format(const char *function, const struct cudaChannelFormatDesc *d,
                            CUarray_format *format, unsigned int *channels) {
    *format = rt_format(d, channels);
    if (!*format)
        return rt_fail(function, cudaErrorInvalidChannelDescriptor,
                       "{%d, %d, %d, %d, kind %d} describes no texel", d->x, d->y, d->z, d->w,
                       (int)d->f);
    return cudaSuccess;
}

cudaError_t rt_channel_desc(const char *function, CUarray_format format, unsigned int channels,
                            struct cudaChannelFormatDesc *d) {
    enum cudaChannelFormatKind kind = cudaChannelFormatKindNone;
    int bits = 0;
    struct whole_kind whole;
    if (whole_kind_of(format, &whole) != cudaChannelFormatKindNone) {
        kind = whole_kind_of(format, &whole);
        bits = whole.bits;
        channels = whole.channels;
    }
    switch ((int)format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
        kind = cudaChannelFormatKindUnsigned;
        bits = 8 << ((int)format - CU_AD_FORMAT_UNSIGNED_INT8);
        break;
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
        kind = cudaChannelFormatKindSigned;
        bits = 8 << ((int)format - CU_AD_FORMAT_SIGNED_INT8);
        break;
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_FLOAT:
        kind = cudaChannelFormatKindFloat;
        bits = format == CU_AD_FORMAT_HALF ? 16 : 32;
        break;
    default:
        if (kind == cudaChannelFormatKindNone)
            return rt_fail(function, cudaErrorInvalidChannelDescriptor,
                           "format %#x has no channel description", (unsigned int)format);
    }
    *d = (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                        channels > 3 ? bits : 0, kind};
    if (kind == cudaChannelFormatKindUnsignedNormalized1010102)
        d->w = 2;
    return cudaSuccess;
}

cudaError_t rt_array_descriptor(const char *function, const struct cudaChannelFormatDesc *desc,
                                struct cudaExtent e, unsigned int flags,
                                CUDA_ARRAY3D_DESCRIPTOR *d) {
    *d = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = e.width, .Height = e.height, .Depth = e.depth, .Flags = flags};
    d->Format = rt_format(desc, &d->NumChannels);
    if (!d->Format)
        return rt_fail(function, cudaErrorInvalidChannelDescriptor,
                       "{%d, %d, %d, %d, kind %d} describes no texel of an array", desc->x, desc->y,
                       desc->z, desc->w, (int)desc->f);
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags) {
    CUDA_ARRAY3D_DESCRIPTOR d;
    RT_REQUIRE(array && desc, cudaErrorInvalidValue, "array and desc must not be NULL");
    RT_TRY(rt_array_descriptor(__func__, desc, (struct cudaExtent){width, height, 0}, flags, &d));
    RT_ENTER();
    return rt_result(RT_CALL(cuArray3DCreate, (CUarray *)array, &d));
}

// The flags have the driver's numbers.
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags) {
    CUDA_ARRAY3D_DESCRIPTOR d;
    RT_REQUIRE(array && desc, cudaErrorInvalidValue, "array and desc must not be NULL");
    RT_TRY(rt_array_descriptor(__func__, desc, extent, flags, &d));
    RT_ENTER();
    return rt_result(RT_CALL(cuArray3DCreate, (CUarray *)array, &d));
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int numLevels,
                                     unsigned int flags) {
    CUDA_ARRAY3D_DESCRIPTOR d;
    RT_REQUIRE(mipmappedArray && desc, cudaErrorInvalidValue,
               "mipmappedArray and desc must not be NULL");
    RT_TRY(rt_array_descriptor(__func__, desc, extent, flags, &d));
    RT_ENTER();
    return rt_result(
        RT_CALL(cuMipmappedArrayCreate, (CUmipmappedArray *)mipmappedArray, &d, numLevels));
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
                                       cudaMipmappedArray_const_t mipmappedArray,
                                       unsigned int level) {
    RT_REQUIRE(levelArray, cudaErrorInvalidValue, "levelArray must not be NULL");
    RT_ENTER();
    return rt_result(RT_CALL(cuMipmappedArrayGetLevel, (CUarray *)levelArray,
                             (CUmipmappedArray)mipmappedArray, level));
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
    RT_ENTER();
    return mipmappedArray
               ? rt_result(RT_CALL(cuMipmappedArrayDestroy, (CUmipmappedArray)mipmappedArray))
               : cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    RT_ENTER();
    return array ? rt_result(RT_CALL(cuArrayDestroy, (CUarray)array)) : cudaSuccess;
}

static cudaError_t element_of(const char *function, const CUDA_ARRAY3D_DESCRIPTOR *d,
                              struct rt_element *out) {
    struct cudaChannelFormatDesc texel = {0};
    RT_TRY(rt_channel_desc(function, d->Format, d->NumChannels, &texel));
    bool narrow = d->Format == CU_AD_FORMAT_BC1_UNORM || d->Format == CU_AD_FORMAT_BC1_UNORM_SRGB ||
                  d->Format == CU_AD_FORMAT_BC4_UNORM || d->Format == CU_AD_FORMAT_BC4_SNORM;
    *out = (struct rt_element){(size_t)(texel.x / 8) * d->NumChannels, 1};
    if (d->Format == CU_AD_FORMAT_UNORM_INT_101010_2)
        out->bytes = 4;
    if (is_block(d->Format))
        *out = (struct rt_element){narrow ? 8 : 16, 4};
    return cudaSuccess;
}

cudaError_t rt_element_of(const char *function, cudaArray_const_t array, struct rt_element *out) {
    CUDA_ARRAY3D_DESCRIPTOR d;
    RT_TRY(rt_result(RT_CALL(cuArray3DGetDescriptor, &d, (CUarray)array)));
    return element_of(function, &d, out);
}

static cudaError_t describe(cudaArray_const_t array, CUDA_ARRAY3D_DESCRIPTOR *d) {
    RT_ENTER();
    return rt_result(RT_CALL(cuArray3DGetDescriptor, d, (CUarray)array));
}

// Each result is optional.
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array) {
    CUDA_ARRAY3D_DESCRIPTOR d;
    RT_TRY(describe(array, &d));
    if (desc)
        RT_TRY(rt_channel_desc(__func__, d.Format, d.NumChannels, desc));
    if (extent)
        *extent = (struct cudaExtent){d.Width, d.Height, d.Depth};
    if (flags)
        *flags = d.Flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
    CUDA_ARRAY3D_DESCRIPTOR d;
    RT_REQUIRE(desc, cudaErrorInvalidValue, "desc must not be NULL");
    RT_TRY(describe(array, &d));
    return rt_channel_desc(__func__, d.Format, d.NumChannels, desc);
}

// ---- Copies -----------------------------------------------------------------------------------

// A rectangle between an array, at byte x of row y, and memory.
struct rectangle {
    cudaArray_const_t array;
    size_t x, y;
    const void *memory;
    size_t pitch, width, height;
};

static cudaError_t check(const char *function, const struct rectangle *r,
                         enum cudaMemcpyKind kind) {
    if ((unsigned int)kind > cudaMemcpyDefault || kind == cudaMemcpyHostToHost)
        return rt_fail(function, cudaErrorInvalidMemcpyDirection,
                       "%d is no direction of a copy with an array", (int)kind);
    if (r->width && r->height && !r->memory)
        return rt_fail(function, cudaErrorInvalidValue, "the memory to copy is NULL");
    if (r->height > 1 && r->pitch < r->width)
        return rt_fail(function, cudaErrorInvalidPitchValue,
                       "the pitch %zu is smaller than the width %zu", r->pitch, r->width);
    return cudaSuccess;
}

static CUmemorytype memory_type(enum cudaMemcpyKind kind, bool to_array) {
    if (kind == cudaMemcpyDefault)
        return CU_MEMORYTYPE_UNIFIED;
    return kind == (to_array ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost)
               ? CU_MEMORYTYPE_HOST
               : CU_MEMORYTYPE_DEVICE;
}

static CUDA_MEMCPY2D describe_copy(const struct rectangle *r, enum cudaMemcpyKind kind,
                                   bool to_array) {
    size_t pitch = r->pitch < r->width ? r->width : r->pitch;
    CUDA_MEMCPY2D c = {.WidthInBytes = r->width, .Height = r->height};
    if (to_array) {
        c.srcMemoryType = memory_type(kind, true);
        c.srcHost = r->memory;
        c.srcDevice = (CUdeviceptr)r->memory;
        c.srcPitch = pitch;
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        c.dstArray = (CUarray)r->array;
        c.dstXInBytes = r->x;
        c.dstY = r->y;
    } else {
        c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        c.srcArray = (CUarray)r->array;
        c.srcXInBytes = r->x;
        c.srcY = r->y;
        c.dstMemoryType = memory_type(kind, false);
        c.dstHost = (void *)r->memory;
        c.dstDevice = (CUdeviceptr)r->memory;
        c.dstPitch = pitch;
    }
    return c;
}

static cudaError_t copy(const char *function, const struct rectangle *r, enum cudaMemcpyKind kind,
                        bool to_array) {
    RT_TRY(check(function, r, kind));
    RT_ENTER();
    CUDA_MEMCPY2D c = describe_copy(r, kind, to_array);
    return r->width && r->height ? rt_result(RT_CALL(cuMemcpy2DUnaligned, &c)) : cudaSuccess;
}

static cudaError_t copy_async(const char *function, const struct rectangle *r,
                              enum cudaMemcpyKind kind, bool to_array, cudaStream_t stream) {
    RT_TRY(check(function, r, kind));
    RT_ENTER();
    CUDA_MEMCPY2D c = describe_copy(r, kind, to_array);
    return r->width && r->height ? rt_result(RT_CALL(cuMemcpy2DAsync, &c, stream)) : cudaSuccess;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                size_t spitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind) {
    struct rectangle r = {dst, wOffset, hOffset, src, spitch, width, height};
    return copy(__func__, &r, kind, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void *src, size_t spitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
    struct rectangle r = {dst, wOffset, hOffset, src, spitch, width, height};
    return copy_async(__func__, &r, kind, true, stream);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  enum cudaMemcpyKind kind) {
    struct rectangle r = {src, wOffset, hOffset, dst, dpitch, width, height};
    return copy(__func__, &r, kind, false);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
    struct rectangle r = {src, wOffset, hOffset, dst, dpitch, width, height};
    return copy_async(__func__, &r, kind, false, stream);
}

// Bytes of a row of an array.
static cudaError_t row_bytes(const char *function, cudaArray_const_t array, size_t *bytes) {
    CUDA_ARRAY3D_DESCRIPTOR d;
    struct rt_element e = {0};
    RT_TRY(describe(array, &d));
    RT_TRY(element_of(function, &d, &e));
    *bytes = (d.Width + e.side - 1) / e.side * e.bytes;
    return cudaSuccess;
}

// `count` bytes that run on from row to row: the rest of the first row, whole rows, what is left.
// `stream` NULL: the call waits for the copies.
static cudaError_t copy_run(const char *function, struct rectangle r, size_t count,
                            enum cudaMemcpyKind kind, bool to_array, const cudaStream_t *stream) {
    size_t row;
    RT_TRY(row_bytes(function, r.array, &row));
    if (r.x >= row && count)
        return rt_fail(function, cudaErrorInvalidValue, "byte %zu is beyond rows of %zu bytes", r.x,
                       row);
    while (count) {
        bool whole = r.x == 0 && count >= row;
        r.width = whole ? row : count < row - r.x ? count : row - r.x;
        r.height = whole ? count / row : 1;
        r.pitch = r.width;
        RT_TRY(stream ? copy_async(function, &r, kind, to_array, *stream)
                      : copy(function, &r, kind, to_array));
        size_t done = r.width * r.height;
        r.memory = (const char *)r.memory + done;
        r.y += r.height;
        r.x = 0;
        count -= done;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                              size_t count, enum cudaMemcpyKind kind) {
    struct rectangle r = {.array = dst, .x = wOffset, .y = hOffset, .memory = src};
    return copy_run(__func__, r, count, kind, true, NULL);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
    struct rectangle r = {.array = dst, .x = wOffset, .y = hOffset, .memory = src};
    return copy_run(__func__, r, count, kind, true, &stream);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t count, enum cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    struct rectangle r = {.array = src, .x = wOffset, .y = hOffset, .memory = dst};
    return copy_run(__func__, r, count, kind, false, &stream);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, enum cudaMemcpyKind kind) {
    struct rectangle r = {.array = src, .x = wOffset, .y = hOffset, .memory = dst};
    return copy_run(__func__, r, count, kind, false, NULL);
}

// The offsets and the width are in bytes.
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
    RT_REQUIRE(kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
               cudaErrorInvalidMemcpyDirection, "%d is no direction between arrays", (int)kind);
    CUDA_MEMCPY2D c = {.srcXInBytes = wOffsetSrc,
                       .srcY = hOffsetSrc,
                       .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                       .srcArray = (CUarray)src,
                       .dstXInBytes = wOffsetDst,
                       .dstY = hOffsetDst,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = (CUarray)dst,
                       .WidthInBytes = width,
                       .Height = height};
    RT_ENTER();
    return width && height ? rt_result(RT_CALL(cuMemcpy2DUnaligned, &c)) : cudaSuccess;
}

static size_t least(size_t a, size_t b, size_t c) {
    size_t n = a < b ? a : b;
    return n < c ? n : c;
}

// Bytes that run on from row to row in both arrays.
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t count, enum cudaMemcpyKind kind) {
    size_t to, from;
    RT_TRY(row_bytes(__func__, dst, &to));
    RT_TRY(row_bytes(__func__, src, &from));
    RT_REQUIRE(!count || (wOffsetDst < to && wOffsetSrc < from), cudaErrorInvalidValue,
               "bytes %zu and %zu are beyond rows of %zu and %zu bytes", wOffsetDst, wOffsetSrc, to,
               from);
    while (count) {
        size_t n = least(to - wOffsetDst, from - wOffsetSrc, count);
        RT_TRY(cudaMemcpy2DArrayToArray(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, n,
                                        1, kind));
        count -= n;
        wOffsetDst += n;
        wOffsetSrc += n;
        hOffsetDst += wOffsetDst == to;
        hOffsetSrc += wOffsetSrc == from;
        wOffsetDst %= to;
        wOffsetSrc %= from;
    }
    return cudaSuccess;
}
