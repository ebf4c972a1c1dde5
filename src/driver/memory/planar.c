// Arrays whose channels lie in planes, as video has them: brightness in one, colour in one or two,
// which may be of half the width and height. Planes are arrays of their own, in the memory of the
// whole.
#include "driver/memory/array.h"

#include <stdlib.h>

enum { PLANE_ALIGNMENT = 512 };

const struct drv_planar *drv_planar_find(CUarray_format format) {
    static const struct {
        CUarray_format format;
        struct drv_planar planar;
    } formats[] = {
        {CU_AD_FORMAT_NV12, {CU_AD_FORMAT_UNSIGNED_INT8, 2, 2, 2}},
        {CU_AD_FORMAT_P010, {CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 2}},
        {CU_AD_FORMAT_P016, {CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 2}},
        {CU_AD_FORMAT_NV16, {CU_AD_FORMAT_UNSIGNED_INT8, 2, 2, 1}},
        {CU_AD_FORMAT_P210, {CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 1}},
        {CU_AD_FORMAT_P216, {CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 1}},
        {CU_AD_FORMAT_YUV444_8bit_SemiPlanar, {CU_AD_FORMAT_UNSIGNED_INT8, 2, 1, 1}},
        {CU_AD_FORMAT_YUV444_16bit_SemiPlanar, {CU_AD_FORMAT_UNSIGNED_INT16, 2, 1, 1}},
        {CU_AD_FORMAT_Y444_PLANAR8, {CU_AD_FORMAT_UNSIGNED_INT8, 3, 1, 1}},
        {CU_AD_FORMAT_Y444_PLANAR10, {CU_AD_FORMAT_UNSIGNED_INT16, 3, 1, 1}},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format)
            return &formats[i].planar;
    return NULL;
}

CUresult drv_planar_check(const CUDA_ARRAY3D_DESCRIPTOR *d, bool mipmapped) {
    const struct drv_planar *p = drv_planar_find(d->Format);
    REQUIRE(d->NumChannels == 3, CUDA_ERROR_INVALID_VALUE,
            "an array of planes has 3 channels, not %u", d->NumChannels);
    REQUIRE(d->Height && !d->Depth && !mipmapped &&
                !(d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)),
            CUDA_ERROR_INVALID_VALUE,
            "an array of planes has two dimensions, no layers and one level");
    REQUIRE(d->Width % p->across == 0 && d->Height % p->down == 0, CUDA_ERROR_INVALID_VALUE,
            "%zu by %zu texels: planes of half the width or height need even sizes", d->Width,
            d->Height);
    return CUDA_SUCCESS;
}

static CUDA_ARRAY3D_DESCRIPTOR plane_of(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned number) {
    const struct drv_planar *p = drv_planar_find(d->Format);
    CUDA_ARRAY3D_DESCRIPTOR plane = *d;
    plane.Format = p->component;
    plane.NumChannels = number && p->planes == 2 ? 2 : 1;
    plane.Width /= number ? p->across : 1;
    plane.Height /= number ? p->down : 1;
    return plane;
}

static uint64_t plane_bytes(const CUDA_ARRAY3D_DESCRIPTOR *plane) {
    uint64_t bytes = drv_array_bytes(plane);
    return (bytes + PLANE_ALIGNMENT - 1) / PLANE_ALIGNMENT * PLANE_ALIGNMENT;
}

uint64_t drv_planar_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    uint64_t bytes = 0;
    for (unsigned k = 0; k < drv_planar_find(d->Format)->planes; k++) {
        CUDA_ARRAY3D_DESCRIPTOR plane = plane_of(d, k);
        bytes += plane_bytes(&plane);
    }
    return bytes;
}

static void plane_release(struct drv_object *o) {
    (void)o; // part of the array
}

bool drv_planes_make(struct drv_context *ctx, struct drv_array *a) {
    unsigned n = drv_planar_find(a->descriptor.Format)->planes;
    uint64_t at = a->base;
    a->planes = calloc(n, sizeof *a->planes);
    for (unsigned k = 0; a->planes && k < n; k++) {
        CUDA_ARRAY3D_DESCRIPTOR d = plane_of(&a->descriptor, k);
        struct drv_array *plane = &a->planes[k];
        drv_array_fill(plane, &d, at);
        plane->level = true;
        plane->object.parent = &a->object;
        if (!drv_object_add(&plane->object, DRV_ARRAY, ctx, plane_release))
            return false;
        a->nplanes++;
        at += plane_bytes(&d);
    }
    return a->planes != NULL;
}

void drv_planes_destroy(struct drv_array *a) {
    for (unsigned k = 0; k < a->nplanes; k++)
        drv_object_destroy(&a->planes[k].object);
}

CUresult cuArrayGetPlane(CUarray *pPlaneArray, CUarray hArray, unsigned int planeIdx) {
    ENTER_CONTEXT(ctx);
    struct drv_array *a;
    REQUIRE_POINTER(pPlaneArray);
    TRY(drv_array_find(hArray, &a));
    REQUIRE(a->nplanes, CUDA_ERROR_INVALID_VALUE,
            "the array was not created with a format of several planes");
    REQUIRE(planeIdx < a->nplanes, CUDA_ERROR_INVALID_VALUE, "plane %u of %u", planeIdx,
            a->nplanes);
    *pPlaneArray = a->planes[planeIdx].object.handle;
    return CUDA_SUCCESS;
}
