// CUDA arrays of one and two dimensions: creation and description.
#include "driver/array.h"

#include <stdlib.h>

enum { MAX_WIDTH = 131072, MAX_HEIGHT = 65536 }; // as the device's attributes say

unsigned drv_format_bytes(CUarray_format format) {
    switch ((int)format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

CUresult drv_format_check(CUarray_format format, unsigned channels, const char *name) {
    // Block-compressed, normalised and video formats have numbers from here on.
    REQUIRE((int)format < CU_AD_FORMAT_UNORM_INT_101010_2 || drv_format_bytes(format),
            CUDA_ERROR_NOT_SUPPORTED, "%s: format %#x is not built yet", name, (unsigned)format);
    REQUIRE(drv_format_bytes(format), CUDA_ERROR_INVALID_VALUE, "%s: %#x is no format", name,
            (unsigned)format);
    REQUIRE(channels == 1 || channels == 2 || channels == 4, CUDA_ERROR_INVALID_VALUE,
            "%s: texels have 1, 2 or 4 channels, not %u", name, channels);
    return CUDA_SUCCESS;
}

CUresult drv_array_find(CUarray handle, struct drv_array **out) {
    *out = drv_object_find(handle, DRV_ARRAY);
    REQUIRE(*out, CUDA_ERROR_INVALID_HANDLE, "%p is no array, or one that was destroyed",
            (void *)handle);
    return CUDA_SUCCESS;
}

// When its context ends, that frees the memory, after the work that uses it.
static void array_release(struct drv_object *o) {
    struct drv_array *a = (struct drv_array *)o;
    if (!o->context || o->context->c)
        kd_memory_free(a->base);
    free(a);
}

static CUresult check_descriptor(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    const unsigned known = CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;
    TRY(drv_format_check(d->Format, d->NumChannels, "the array"));
    REQUIRE(!(d->Flags & ~0x1ffu), CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of an array",
            d->Flags);
    REQUIRE(!(d->Flags & ~known) && !d->Depth, CUDA_ERROR_NOT_SUPPORTED,
            "arrays with a depth, layers, faces or other flags are not built yet");
    REQUIRE(!(d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER) || d->Height, CUDA_ERROR_INVALID_VALUE,
            "gathering needs two dimensions");
    REQUIRE(d->Width && d->Width <= MAX_WIDTH && d->Height <= MAX_HEIGHT, CUDA_ERROR_INVALID_VALUE,
            "an array of %zu by %zu texels: 1 to %d by up to %d are possible", d->Width, d->Height,
            MAX_WIDTH, MAX_HEIGHT);
    return CUDA_SUCCESS;
}

static CUresult create(struct drv_context *ctx, CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    TRY(check_descriptor(d));
    struct drv_array *a = calloc(1, sizeof *a);
    REQUIRE(a, CUDA_ERROR_OUT_OF_MEMORY, "no memory for an array");
    a->descriptor = *d;
    a->rows = d->Height ? d->Height : 1;
    a->pitch = d->Width * drv_format_bytes(d->Format) * d->NumChannels;
    CUresult result = drv_memory_allocate(ctx, KD_MEMORY_DEVICE, a->pitch * a->rows, 0, &a->base);
    if (result != CUDA_SUCCESS) {
        free(a);
        return result;
    }
    if (!drv_object_add(&a->object, DRV_ARRAY, ctx, array_release)) {
        array_release(&a->object);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for an array");
    }
    *out = a->object.handle;
    return CUDA_SUCCESS;
}

// A Height of 0 is a one-dimensional array.
CUresult cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pHandle);
    REQUIRE_POINTER(pAllocateArray);
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = pAllocateArray->Width,
                                 .Height = pAllocateArray->Height,
                                 .Format = pAllocateArray->Format,
                                 .NumChannels = pAllocateArray->NumChannels};
    return create(ctx, pHandle, &d);
}

CUresult cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pHandle);
    REQUIRE_POINTER(pAllocateArray);
    return create(ctx, pHandle, pAllocateArray);
}

// Waits for the array's context.
CUresult cuArrayDestroy(CUarray hArray) {
    ENTER_CONTEXT(current);
    struct drv_array *a;
    TRY(drv_array_find(hArray, &a));
    TRY(drv_status(kd_context_wait(a->object.context->c), a->object.context));
    drv_object_destroy(&a->object);
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    ENTER_CONTEXT(ctx);
    struct drv_array *a;
    REQUIRE_POINTER(pArrayDescriptor);
    TRY(drv_array_find(hArray, &a));
    *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){.Width = a->descriptor.Width,
                                                .Height = a->descriptor.Height,
                                                .Format = a->descriptor.Format,
                                                .NumChannels = a->descriptor.NumChannels};
    return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    ENTER_CONTEXT(ctx);
    struct drv_array *a;
    REQUIRE_POINTER(pArrayDescriptor);
    TRY(drv_array_find(hArray, &a));
    *pArrayDescriptor = a->descriptor;
    return CUDA_SUCCESS;
}
