// Copies of linear memory in one, two and three dimensions, and between devices (guide 6.2.2).
// Copies with CUDA arrays in one and two dimensions are in array.c.
#include <string.h>

#include "runtime/memory/array.h"
#include "runtime/memory/copy.h"

static cudaError_t check_kind(const char *function, enum cudaMemcpyKind kind) {
    if ((unsigned int)kind > cudaMemcpyDefault)
        return rt_fail(function, cudaErrorInvalidMemcpyDirection, "%d is no direction of a copy",
                       (int)kind);
    return cudaSuccess;
}

static cudaError_t check_copy(const char *function, const void *dst, const void *src, size_t bytes,
                              enum cudaMemcpyKind kind) {
    RT_TRY(check_kind(function, kind));
    if (bytes != 0 && (!dst || !src))
        return rt_fail(function, cudaErrorInvalidValue, "the %s is NULL",
                       dst ? "source" : "destination");
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
    RT_TRY(check_copy(__func__, dst, src, count, kind));
    RT_ENTER();
    if (count == 0)
        return cudaSuccess;
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return rt_result(RT_CALL(cuMemcpyHtoD, (CUdeviceptr)dst, src, count));
    case cudaMemcpyDeviceToHost:
        return rt_result(RT_CALL(cuMemcpyDtoH, dst, (CUdeviceptr)src, count));
    case cudaMemcpyDeviceToDevice:
        return rt_result(RT_CALL(cuMemcpyDtoD, (CUdeviceptr)dst, (CUdeviceptr)src, count));
    default:
        return rt_result(RT_CALL(cuMemcpy, (CUdeviceptr)dst, (CUdeviceptr)src, count));
    }
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    RT_TRY(check_copy(__func__, dst, src, count, kind));
    RT_ENTER();
    if (count == 0)
        return cudaSuccess;
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return rt_result(RT_CALL(cuMemcpyHtoDAsync, (CUdeviceptr)dst, src, count, stream));
    case cudaMemcpyDeviceToHost:
        return rt_result(RT_CALL(cuMemcpyDtoHAsync, dst, (CUdeviceptr)src, count, stream));
    case cudaMemcpyDeviceToDevice:
        return rt_result(
            RT_CALL(cuMemcpyDtoDAsync, (CUdeviceptr)dst, (CUdeviceptr)src, count, stream));
    default:
        return rt_result(RT_CALL(cuMemcpyAsync, (CUdeviceptr)dst, (CUdeviceptr)src, count, stream));
    }
}

// ---- Two dimensions ---------------------------------------------------------------------------

struct side {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
};

static struct side side_of(const void *pointer, enum cudaMemcpyKind kind, bool source) {
    bool host = source ? kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice
                       : kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
    if (kind == cudaMemcpyDefault)
        return (struct side){CU_MEMORYTYPE_UNIFIED, NULL, (CUdeviceptr)pointer};
    if (host)
        return (struct side){CU_MEMORYTYPE_HOST, pointer, 0};
    return (struct side){CU_MEMORYTYPE_DEVICE, NULL, (CUdeviceptr)pointer};
}

// Gives *nothing true, and no error, for an empty rectangle.
static cudaError_t describe_2d(const char *function, CUDA_MEMCPY2D *copy, void *dst, size_t dpitch,
                               const void *src, size_t spitch, size_t width, size_t height,
                               enum cudaMemcpyKind kind, bool *nothing) {
    *nothing = width == 0 || height == 0;
    RT_TRY(check_copy(function, dst, src, *nothing ? 0 : 1, kind));
    if (!*nothing && height > 1 && (dpitch < width || spitch < width))
        return rt_fail(function, cudaErrorInvalidPitchValue,
                       "a pitch (%zu, %zu) is smaller than the width %zu", dpitch, spitch, width);
    struct side from = side_of(src, kind, true), to = side_of(dst, kind, false);
    *copy = (CUDA_MEMCPY2D){
        .srcMemoryType = from.type,
        .srcHost = from.host,
        .srcDevice = from.device,
        .srcPitch = spitch < width ? width : spitch,
        .dstMemoryType = to.type,
        .dstHost = (void *)to.host,
        .dstDevice = to.device,
        .dstPitch = dpitch < width ? width : dpitch,
        .WidthInBytes = width,
        .Height = height,
    };
    return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind) {
    CUDA_MEMCPY2D copy;
    bool nothing;
    RT_TRY(describe_2d(__func__, &copy, dst, dpitch, src, spitch, width, height, kind, &nothing));
    RT_ENTER();
    return nothing ? cudaSuccess : rt_result(RT_CALL(cuMemcpy2DUnaligned, &copy));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    CUDA_MEMCPY2D copy;
    bool nothing;
    RT_TRY(describe_2d(__func__, &copy, dst, dpitch, src, spitch, width, height, kind, &nothing));
    RT_ENTER();
    return nothing ? cudaSuccess : rt_result(RT_CALL(cuMemcpy2DAsync, &copy, stream));
}

// ---- Three dimensions -------------------------------------------------------------------------

static cudaError_t check_3d(const char *function, cudaArray_t src_array, const void *src,
                            cudaArray_t dst_array, const void *dst) {
    if (!src_array == !src || !dst_array == !dst)
        return rt_fail(function, cudaErrorInvalidValue,
                       "a source and a destination must be given, each an array or memory");
    return cudaSuccess;
}

// Rows of a slice must not overlap with the next slice's, nor rows with the next row's.
static cudaError_t check_pitched(const char *function, const struct cudaPitchedPtr *p,
                                 struct cudaPos at, struct cudaExtent extent) {
    if ((extent.height > 1 || extent.depth > 1) && p->pitch < at.x + extent.width)
        return rt_fail(function, cudaErrorInvalidPitchValue,
                       "the pitch %zu is smaller than the row to be copied, %zu", p->pitch,
                       at.x + extent.width);
    if (extent.depth > 1 && p->ysize < at.y + extent.height)
        return rt_fail(function, cudaErrorInvalidValue,
                       "the slices have %zu rows, and %zu are to be copied", p->ysize,
                       at.y + extent.height);
    return cudaSuccess;
}

// A position in an array, of a block.
static cudaError_t position_in_bytes(const char *function, const struct rt_element *e,
                                     struct cudaPos *at) {
    if (at->x % e->side || at->y % e->side)
        return rt_fail(function, cudaErrorInvalidValue,
                       "texel %zu of row %zu is not the first of a compressed block", at->x, at->y);
    at->x = at->x / e->side * e->bytes;
    at->y /= e->side;
    return cudaSuccess;
}

// Where an array takes part, widths and heights are in its texels; positions in an array always
// are.
static cudaError_t in_bytes(const char *function, struct cudaMemcpy3DParms *p) {
    struct rt_element src = {1, 1}, dst = {1, 1};
    if (p->srcArray)
        RT_TRY(rt_element_of(function, p->srcArray, &src));
    if (p->dstArray)
        RT_TRY(rt_element_of(function, p->dstArray, &dst));
    if (p->srcArray && p->dstArray && src.bytes != dst.bytes)
        return rt_fail(function, cudaErrorInvalidValue,
                       "the texels of the arrays have %zu and %zu bytes", src.bytes, dst.bytes);
    struct rt_element e = p->srcArray ? src : dst;
    p->extent.width = (p->extent.width + e.side - 1) / e.side * e.bytes;
    p->extent.height = (p->extent.height + e.side - 1) / e.side;
    RT_TRY(position_in_bytes(function, &src, &p->srcPos));
    return position_in_bytes(function, &dst, &p->dstPos);
}

cudaError_t rt_describe_3d(const char *function, CUDA_MEMCPY3D *copy,
                           const struct cudaMemcpy3DParms *given, bool *nothing) {
    if (!given)
        return rt_fail(function, cudaErrorInvalidValue, "p must not be NULL");
    struct cudaMemcpy3DParms parameters = *given, *p = &parameters;
    RT_TRY(check_3d(function, p->srcArray, p->srcPtr.ptr, p->dstArray, p->dstPtr.ptr));
    RT_TRY(check_kind(function, p->kind));
    RT_ENTER();
    RT_TRY(in_bytes(function, p));
    *nothing = p->extent.width == 0 || p->extent.height == 0 || p->extent.depth == 0;
    if (*nothing)
        return cudaSuccess;
    if (!p->srcArray)
        RT_TRY(check_pitched(function, &p->srcPtr, p->srcPos, p->extent));
    if (!p->dstArray)
        RT_TRY(check_pitched(function, &p->dstPtr, p->dstPos, p->extent));
    struct side from = side_of(p->srcPtr.ptr, p->kind, true);
    struct side to = side_of(p->dstPtr.ptr, p->kind, false);
    *copy = (CUDA_MEMCPY3D){
        .srcXInBytes = p->srcPos.x,
        .srcY = p->srcPos.y,
        .srcZ = p->srcPos.z,
        .srcMemoryType = p->srcArray ? CU_MEMORYTYPE_ARRAY : from.type,
        .srcHost = from.host,
        .srcDevice = from.device,
        .srcArray = (CUarray)p->srcArray,
        .srcPitch = p->srcPtr.pitch,
        .srcHeight = p->srcPtr.ysize,
        .dstXInBytes = p->dstPos.x,
        .dstY = p->dstPos.y,
        .dstZ = p->dstPos.z,
        .dstMemoryType = p->dstArray ? CU_MEMORYTYPE_ARRAY : to.type,
        .dstHost = (void *)to.host,
        .dstDevice = to.device,
        .dstArray = (CUarray)p->dstArray,
        .dstPitch = p->dstPtr.pitch,
        .dstHeight = p->dstPtr.ysize,
        .WidthInBytes = p->extent.width,
        .Height = p->extent.height,
        .Depth = p->extent.depth,
    };
    return cudaSuccess;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    CUDA_MEMCPY3D copy;
    bool nothing;
    RT_TRY(rt_describe_3d(__func__, &copy, p, &nothing));
    RT_ENTER();
    return nothing ? cudaSuccess : rt_result(RT_CALL(cuMemcpy3D, &copy));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    CUDA_MEMCPY3D copy;
    bool nothing;
    RT_TRY(rt_describe_3d(__func__, &copy, p, &nothing));
    RT_ENTER();
    return nothing ? cudaSuccess : rt_result(RT_CALL(cuMemcpy3DAsync, &copy, stream));
}

// ---- Between devices --------------------------------------------------------------------------

static cudaError_t peer_contexts(const char *function, int dst_device, CUcontext *dst,
                                 int src_device, CUcontext *src) {
    RT_TRY(rt_check_device(function, dst_device));
    RT_TRY(rt_check_device(function, src_device));
    RT_TRY(rt_primary_context(dst_device, dst));
    RT_TRY(rt_primary_context(src_device, src));
    return rt_enter();
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count) {
    CUcontext to, from;
    RT_TRY(check_copy(__func__, dst, src, count, cudaMemcpyDefault));
    RT_TRY(peer_contexts(__func__, dstDevice, &to, srcDevice, &from));
    if (count == 0)
        return cudaSuccess;
    return rt_result(RT_CALL(cuMemcpyPeer, (CUdeviceptr)dst, to, (CUdeviceptr)src, from, count));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count, cudaStream_t stream) {
    CUcontext to, from;
    RT_TRY(check_copy(__func__, dst, src, count, cudaMemcpyDefault));
    RT_TRY(peer_contexts(__func__, dstDevice, &to, srcDevice, &from));
    if (count == 0)
        return cudaSuccess;
    return rt_result(
        RT_CALL(cuMemcpyPeerAsync, (CUdeviceptr)dst, to, (CUdeviceptr)src, from, count, stream));
}

static cudaError_t describe_3d_peer(const char *function, CUDA_MEMCPY3D_PEER *copy,
                                    const struct cudaMemcpy3DPeerParms *p, bool *nothing) {
    CUcontext to, from;
    if (!p)
        return rt_fail(function, cudaErrorInvalidValue, "p must not be NULL");
    if (p->srcArray || p->dstArray)
        return rt_fail(function, cudaErrorNotSupported,
                       "copies of CUDA arrays between devices are not built yet");
    RT_TRY(check_3d(function, p->srcArray, p->srcPtr.ptr, p->dstArray, p->dstPtr.ptr));
    *nothing = p->extent.width == 0 || p->extent.height == 0 || p->extent.depth == 0;
    if (*nothing)
        return cudaSuccess;
    RT_TRY(check_pitched(function, &p->srcPtr, p->srcPos, p->extent));
    RT_TRY(check_pitched(function, &p->dstPtr, p->dstPos, p->extent));
    RT_TRY(peer_contexts(function, p->dstDevice, &to, p->srcDevice, &from));
    *copy = (CUDA_MEMCPY3D_PEER){
        .srcXInBytes = p->srcPos.x,
        .srcY = p->srcPos.y,
        .srcZ = p->srcPos.z,
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = (CUdeviceptr)p->srcPtr.ptr,
        .srcContext = from,
        .srcPitch = p->srcPtr.pitch,
        .srcHeight = p->srcPtr.ysize,
        .dstXInBytes = p->dstPos.x,
        .dstY = p->dstPos.y,
        .dstZ = p->dstPos.z,
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstDevice = (CUdeviceptr)p->dstPtr.ptr,
        .dstContext = to,
        .dstPitch = p->dstPtr.pitch,
        .dstHeight = p->dstPtr.ysize,
        .WidthInBytes = p->extent.width,
        .Height = p->extent.height,
        .Depth = p->extent.depth,
    };
    return cudaSuccess;
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
    CUDA_MEMCPY3D_PEER copy;
    bool nothing;
    RT_TRY(describe_3d_peer(__func__, &copy, p, &nothing));
    RT_ENTER();
    return nothing ? cudaSuccess : rt_result(RT_CALL(cuMemcpy3DPeer, &copy));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    CUDA_MEMCPY3D_PEER copy;
    bool nothing;
    RT_TRY(describe_3d_peer(__func__, &copy, p, &nothing));
    RT_ENTER();
    return nothing ? cudaSuccess : rt_result(RT_CALL(cuMemcpy3DPeerAsync, &copy, stream));
}
