// Texture and surface references, which version 12 took from the runtime (guide of version 11,
// 3.2.13.1.2): a name in a module that is bound to memory and says how that is sampled. Such a name
// is a variable of 8 bytes that holds the handle of a texture or surface object: the reference
// makes the object anew when it changes, after the work that may still use the one before.
#define _GNU_SOURCE // recursive mutexes
#include "driver/memory/array.h"

#include <stdlib.h>
#include <string.h>

// That of allocations: what cuMemAlloc returns is never behind.
enum { ALIGNMENT = 256 };

struct drv_reference {
    struct drv_object object;
    bool surface;
    uint64_t variable; // where kernels find the handle; 0: in no module
    struct drv_module *module;
    struct drv_reference *next; // of the module
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    bool bound;
    CUarray_format format;
    int channels;
    uint64_t handle; // of the object; 0: none now
};

// Of all references, held by calls from the first lookup of one on.
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

// The texture object belongs to the context too.
static void reference_release(struct drv_object *o) {
    struct drv_reference *r = (struct drv_reference *)o;
    pthread_mutex_lock(&lock);
    struct drv_reference **at = r->module ? &r->module->references : NULL;
    while (at && *at && *at != r)
        at = &(*at)->next;
    if (at && *at)
        *at = r->next;
    pthread_mutex_unlock(&lock);
    free(r);
}

static CUresult add(struct drv_context *ctx, bool surface, struct drv_module *m,
                    struct drv_reference **out) {
    struct drv_reference *r = calloc(1, sizeof *r);
    REQUIRE(r, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a reference");
    r->surface = surface;
    r->module = m;
    r->object.parent = m ? &m->object : NULL;
    r->format = CU_AD_FORMAT_FLOAT;
    r->channels = 1;
    for (int i = 0; i < 3; i++)
        r->texture.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    if (!drv_object_add(&r->object, DRV_REFERENCE, ctx, reference_release)) {
        free(r);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a reference");
    }
    *out = r;
    return CUDA_SUCCESS;
}

static CUresult find(const void *handle, bool surface, struct drv_reference **out) {
    TRY(drv_call_lock(&lock));
    *out = drv_object_find(handle, DRV_REFERENCE);
    REQUIRE(*out && (*out)->surface == surface, CUDA_ERROR_INVALID_HANDLE,
            "%p is no %s reference, or one that is gone", handle, surface ? "surface" : "texture");
    return CUDA_SUCCESS;
}

// ---- The object behind a reference --------------------------------------------------------

static CUresult drop(struct drv_reference *r) {
    if (!r->handle)
        return CUDA_SUCCESS;
    struct drv_context *ctx = r->object.context;
    TRY(drv_status(kd_context_wait(ctx->c), ctx));
    if (r->surface)
        cuSurfObjectDestroy(r->handle);
    else
        cuTexObjectDestroy(r->handle);
    r->handle = 0;
    return CUDA_SUCCESS;
}

// Filtering of integers as such is an error of objects; references may be in between two calls.
static bool consistent(const struct drv_reference *r) {
    bool integer = r->format != CU_AD_FORMAT_FLOAT && r->format != CU_AD_FORMAT_HALF &&
                   (r->texture.flags & CU_TRSF_READ_AS_INTEGER || drv_format_bytes(r->format) == 4);
    bool levels = r->resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    return !(integer && r->texture.filterMode == CU_TR_FILTER_MODE_LINEAR) &&
           (!levels || r->texture.flags & CU_TRSF_NORMALIZED_COORDINATES);
}

// After every change.
static CUresult renew(struct drv_reference *r) {
    CUresult result = drop(r);
    if (result == CUDA_SUCCESS && r->bound && (r->surface || consistent(r)))
        result = r->surface ? cuSurfObjectCreate((CUsurfObject *)&r->handle, &r->resource)
                            : cuTexObjectCreate((CUtexObject *)&r->handle, &r->resource,
                                                &r->texture, NULL);
    if (r->variable)
        __atomic_store_n((uint64_t *)r->variable, r->handle, __ATOMIC_RELEASE);
    return result;
}

static bool alive(const struct drv_reference *r) {
    const CUDA_RESOURCE_DESC *d = &r->resource;
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return drv_object_find(d->res.array.hArray, DRV_ARRAY);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return drv_object_find(d->res.mipmap.hMipmappedArray, DRV_MIPMAP);
    case CU_RESOURCE_TYPE_LINEAR:
        return kd_memory_find(d->res.linear.devPtr, NULL);
    default:
        return kd_memory_find(d->res.pitch2D.devPtr, NULL);
    }
}

// After a change of how memory is sampled. What is bound may have been freed since: then it is
// bound no more, until the next binding.
static CUresult refresh(struct drv_reference *r) {
    r->bound = r->bound && alive(r);
    if (renew(r) == CUDA_SUCCESS)
        return CUDA_SUCCESS;
    r->bound = false; // other memory is there now
    return renew(r);
}

static CUresult bind(struct drv_reference *r, const CUDA_RESOURCE_DESC *resource) {
    CUDA_RESOURCE_DESC before = r->resource;
    bool was_bound = r->bound;
    r->resource = *resource;
    r->bound = true;
    CUresult result = renew(r);
    if (result != CUDA_SUCCESS) {
        r->resource = before;
        r->bound = was_bound;
        renew(r);
    }
    return result;
}

void drv_references_forget(struct drv_module *m) {
    pthread_mutex_lock(&lock);
    while (m->references) {
        struct drv_reference *r = m->references;
        m->references = r->next;
        drop(r);
        drv_object_destroy(&r->object);
    }
    pthread_mutex_unlock(&lock);
}

// ---- Getting references -------------------------------------------------------------------

static CUresult of_module(CUmodule hmod, const char *name, bool surface, void **out) {
    struct drv_module *m = drv_object_find(hmod, DRV_MODULE);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE, "%p is no module, or one that was unloaded",
            (void *)hmod);
    uint64_t variable, size;
    TRY(drv_status(kd_module_var(m->m, name, &variable, &size), NULL));
    REQUIRE(size == sizeof(uint64_t), CUDA_ERROR_NOT_FOUND, "'%s' is no reference", name);
    TRY(drv_call_lock(&lock));
    struct drv_reference *r = m->references;
    while (r && !(r->variable == variable && r->surface == surface))
        r = r->next;
    if (!r) {
        TRY(add(m->object.context, surface, m, &r));
        r->variable = variable;
        r->next = m->references;
        m->references = r;
    }
    *out = r->object.handle;
    return CUDA_SUCCESS;
}

// CUDA_ERROR_NOT_FOUND when the module has no such name.
CUresult cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pTexRef);
    REQUIRE_POINTER(name);
    return of_module(hmod, name, false, (void **)pTexRef);
}

CUresult cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pSurfRef);
    REQUIRE_POINTER(name);
    return of_module(hmod, name, true, (void **)pSurfRef);
}

// Such a reference is in no module: no kernel reads through it.
CUresult cuTexRefCreate(CUtexref *pTexRef) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pTexRef);
    struct drv_reference *r;
    TRY(add(ctx, false, NULL, &r));
    *pTexRef = r->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuTexRefDestroy(CUtexref hTexRef) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    TRY(find(hTexRef, false, &r));
    REQUIRE(!r->module, CUDA_ERROR_INVALID_VALUE, "the reference goes with its module");
    TRY(drop(r));
    drv_object_destroy(&r->object);
    return CUDA_SUCCESS;
}

// References of a function's module are known to it; the call of the first versions named them.
CUresult cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef) {
    ENTER_CONTEXT(ctx);
    struct drv_function *f;
    struct drv_reference *r;
    TRY(drv_function_find(hfunc, ctx, &f));
    TRY(find(hTexRef, false, &r));
    REQUIRE(texunit == CU_PARAM_TR_DEFAULT, CUDA_ERROR_INVALID_VALUE,
            "texunit must be CU_PARAM_TR_DEFAULT");
    return CUDA_SUCCESS;
}

// ---- Binding ------------------------------------------------------------------------------

CUresult cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    struct drv_array *a;
    TRY(find(hTexRef, false, &r));
    REQUIRE(Flags == CU_TRSA_OVERRIDE_FORMAT, CUDA_ERROR_INVALID_VALUE,
            "Flags must be CU_TRSA_OVERRIDE_FORMAT");
    TRY(drv_array_find(hArray, &a));
    r->format = a->descriptor.Format;
    r->channels = (int)a->descriptor.NumChannels;
    return bind(
        r, &(CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = hArray});
}

CUresult cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray,
                                   unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    struct drv_mipmap *m;
    TRY(find(hTexRef, false, &r));
    REQUIRE(Flags == CU_TRSA_OVERRIDE_FORMAT, CUDA_ERROR_INVALID_VALUE,
            "Flags must be CU_TRSA_OVERRIDE_FORMAT");
    TRY(drv_mipmap_find(hMipmappedArray, &m));
    r->format = m->descriptor.Format;
    r->channels = (int)m->descriptor.NumChannels;
    return bind(r, &(CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                                         .res.mipmap.hMipmappedArray = hMipmappedArray});
}

// Memory begins at a multiple of 256 bytes; *ByteOffset is how far behind that dptr is, to be added
// by the kernel. With ByteOffset NULL dptr must be a multiple itself.
CUresult cuTexRefSetAddress_v2(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr,
                               size_t bytes) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    TRY(find(hTexRef, false, &r));
    size_t offset = dptr % ALIGNMENT;
    REQUIRE(ByteOffset || !offset, CUDA_ERROR_INVALID_VALUE,
            "%#llx is no multiple of %d, and ByteOffset is NULL", dptr, ALIGNMENT);
    if (!dptr && !bytes) { // nothing is bound any more
        r->bound = false;
        return renew(r);
    }
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_LINEAR};
    d.res.linear.devPtr = dptr - offset;
    d.res.linear.sizeInBytes = bytes + offset;
    d.res.linear.format = r->format;
    d.res.linear.numChannels = (unsigned)r->channels;
    TRY(bind(r, &d));
    if (ByteOffset)
        *ByteOffset = offset;
    return CUDA_SUCCESS;
}

CUresult cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
                                 CUdeviceptr dptr, size_t Pitch) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    REQUIRE_POINTER(desc);
    TRY(find(hTexRef, false, &r));
    r->format = desc->Format;
    r->channels = (int)desc->NumChannels;
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    d.res.pitch2D.devPtr = dptr;
    d.res.pitch2D.format = desc->Format;
    d.res.pitch2D.numChannels = desc->NumChannels;
    d.res.pitch2D.width = desc->Width;
    d.res.pitch2D.height = desc->Height;
    d.res.pitch2D.pitchInBytes = Pitch;
    return bind(r, &d);
}

CUresult cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    struct drv_array *a;
    TRY(find(hSurfRef, true, &r));
    REQUIRE(Flags == 0, CUDA_ERROR_INVALID_VALUE, "Flags must be 0");
    TRY(drv_array_find(hArray, &a));
    return bind(
        r, &(CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = hArray});
}

static CUresult bound_to(const struct drv_reference *r, CUresourcetype type) {
    REQUIRE(r->bound && r->resource.resType == type, CUDA_ERROR_INVALID_VALUE,
            "the reference is not bound to memory of this kind");
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr *pdptr, CUtexref hTexRef) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    REQUIRE_POINTER(pdptr);
    TRY(find(hTexRef, false, &r));
    REQUIRE(r->bound && (r->resource.resType == CU_RESOURCE_TYPE_LINEAR ||
                         r->resource.resType == CU_RESOURCE_TYPE_PITCH2D),
            CUDA_ERROR_INVALID_VALUE, "the reference is not bound to an address");
    *pdptr = r->resource.resType == CU_RESOURCE_TYPE_LINEAR ? r->resource.res.linear.devPtr
                                                            : r->resource.res.pitch2D.devPtr;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetArray(CUarray *phArray, CUtexref hTexRef) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    REQUIRE_POINTER(phArray);
    TRY(find(hTexRef, false, &r));
    TRY(bound_to(r, CU_RESOURCE_TYPE_ARRAY));
    *phArray = r->resource.res.array.hArray;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *phMipmappedArray, CUtexref hTexRef) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    REQUIRE_POINTER(phMipmappedArray);
    TRY(find(hTexRef, false, &r));
    TRY(bound_to(r, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY));
    *phMipmappedArray = r->resource.res.mipmap.hMipmappedArray;
    return CUDA_SUCCESS;
}

CUresult cuSurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    REQUIRE_POINTER(phArray);
    TRY(find(hSurfRef, true, &r));
    TRY(bound_to(r, CU_RESOURCE_TYPE_ARRAY));
    *phArray = r->resource.res.array.hArray;
    return CUDA_SUCCESS;
}

// ---- Sampling -----------------------------------------------------------------------------

// The format counts for addresses that are bound afterwards; arrays have their own.
CUresult cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    TRY(find(hTexRef, false, &r));
    TRY(drv_format_check(fmt, (unsigned)NumPackedComponents, "the reference"));
    r->format = fmt;
    r->channels = NumPackedComponents;
    return CUDA_SUCCESS;
}

static CUresult dimension(int dim) {
    REQUIRE(dim >= 0 && dim <= 2, CUDA_ERROR_INVALID_VALUE, "dimension %d: 0, 1 or 2", dim);
    return CUDA_SUCCESS;
}

CUresult cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    TRY(find(hTexRef, false, &r));
    TRY(dimension(dim));
    REQUIRE((unsigned)am <= CU_TR_ADDRESS_MODE_BORDER, CUDA_ERROR_INVALID_VALUE,
            "%d is no addressing mode", (int)am);
    r->texture.addressMode[dim] = am;
    return refresh(r);
}

static CUresult check_filter(CUfilter_mode mode) {
    REQUIRE((unsigned)mode <= CU_TR_FILTER_MODE_LINEAR, CUDA_ERROR_INVALID_VALUE,
            "%d is no filtering mode", (int)mode);
    return CUDA_SUCCESS;
}

CUresult cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    TRY(find(hTexRef, false, &r));
    TRY(check_filter(fm));
    r->texture.filterMode = fm;
    return refresh(r);
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    TRY(find(hTexRef, false, &r));
    TRY(check_filter(fm));
    r->texture.mipmapFilterMode = fm;
    return refresh(r);
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    TRY(find(hTexRef, false, &r));
    r->texture.mipmapLevelBias = bias;
    return refresh(r);
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
                                     float maxMipmapLevelClamp) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    TRY(find(hTexRef, false, &r));
    r->texture.minMipmapLevelClamp = minMipmapLevelClamp;
    r->texture.maxMipmapLevelClamp = maxMipmapLevelClamp;
    return refresh(r);
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    TRY(find(hTexRef, false, &r));
    r->texture.maxAnisotropy = maxAniso;
    return refresh(r);
}

CUresult cuTexRefSetBorderColor(CUtexref hTexRef, float *pBorderColor) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    REQUIRE_POINTER(pBorderColor);
    TRY(find(hTexRef, false, &r));
    memcpy(r->texture.borderColor, pBorderColor, sizeof r->texture.borderColor);
    return refresh(r);
}

CUresult cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                           CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
    TRY(find(hTexRef, false, &r));
    REQUIRE(!(Flags & ~known), CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of a reference",
            Flags);
    r->texture.flags = Flags;
    return refresh(r);
}

CUresult cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    REQUIRE_POINTER(pFormat);
    TRY(find(hTexRef, false, &r));
    *pFormat = r->format;
    if (pNumChannels)
        *pNumChannels = r->channels;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetAddressMode(CUaddress_mode *pam, CUtexref hTexRef, int dim) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    REQUIRE_POINTER(pam);
    TRY(find(hTexRef, false, &r));
    TRY(dimension(dim));
    *pam = r->texture.addressMode[dim];
    return CUDA_SUCCESS;
}

#define GETTER(name, type, field)                                                                  \
    CUresult name(type *out, CUtexref hTexRef) {                                                   \
        ENTER_CONTEXT(ctx);                                                                        \
        struct drv_reference *r;                                                                   \
        REQUIRE_POINTER(out);                                                                      \
        TRY(find(hTexRef, false, &r));                                                             \
        *out = (type)r->texture.field;                                                             \
        return CUDA_SUCCESS;                                                                       \
    }
GETTER(cuTexRefGetFilterMode, CUfilter_mode, filterMode)
GETTER(cuTexRefGetMipmapFilterMode, CUfilter_mode, mipmapFilterMode)
GETTER(cuTexRefGetMipmapLevelBias, float, mipmapLevelBias)
GETTER(cuTexRefGetMaxAnisotropy, int, maxAnisotropy)
GETTER(cuTexRefGetFlags, unsigned int, flags)

CUresult cuTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
                                     CUtexref hTexRef) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    REQUIRE_POINTER(pminMipmapLevelClamp);
    REQUIRE_POINTER(pmaxMipmapLevelClamp);
    TRY(find(hTexRef, false, &r));
    *pminMipmapLevelClamp = r->texture.minMipmapLevelClamp;
    *pmaxMipmapLevelClamp = r->texture.maxMipmapLevelClamp;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetBorderColor(float *pBorderColor, CUtexref hTexRef) {
    ENTER_CONTEXT(ctx);
    struct drv_reference *r;
    REQUIRE_POINTER(pBorderColor);
    TRY(find(hTexRef, false, &r));
    memcpy(pBorderColor, r->texture.borderColor, sizeof r->texture.borderColor);
    return CUDA_SUCCESS;
}
