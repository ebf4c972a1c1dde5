// Libraries: code that belongs to no context. It is loaded as a module into a context when it is
// first used there. Kernels stand for the function of that name in whichever context is current.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "image/cubin.h"
#include "image/image.h"

struct load {
    uint64_t context_id; // a context that ended and came back has another id
    CUmodule module;
};
struct drv_library {
    struct drv_object object;
    const void *image;
    void *copy; // of the image, when the program does not keep it
    size_t size;
    struct load *loads;
    unsigned nloads;
    struct drv_kernel *kernels; // in the order of the module's description
    unsigned nkernels;
    struct drv_context *retained; // the primary context, when it was loaded where none was current
    CUresult refused;             // what asks for its code fails so; CUDA_SUCCESS: it is code
};
struct drv_kernel {
    struct drv_object object;
    struct drv_library *library;
    uint32_t index;
    char *name; // the first context, and its description of the module, may end before
    atomic_int max_dynamic_shared[DRV_MAX_DEVICES]; // -1: not set
};

// Of the lists of contexts that libraries are loaded into. Not held while one is loaded: the
// compiler may have to be, and a constructor that runs under the lock of the system's loader may
// load one, too.
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static void library_release(struct drv_object *o) {
    struct drv_library *l = (struct drv_library *)o;
    free(l->loads);
    for (unsigned i = 0; i < l->nkernels; i++)
        free(l->kernels[i].name); // who holds the library reads the names
    free(l->kernels);
    free(l->copy);
    free(l);
}

// It is part of the library's array.
static void kernel_release(struct drv_object *o) {
    (void)o;
}

static CUresult find_library(CUlibrary handle, struct drv_library **out) {
    *out = drv_object_find(handle, DRV_LIBRARY);
    REQUIRE(*out, CUDA_ERROR_INVALID_HANDLE, "%p is no library, or one that was unloaded",
            (void *)handle);
    return CUDA_SUCCESS;
}

static CUresult find_kernel(CUkernel handle, struct drv_kernel **out) {
    *out = drv_object_find(handle, DRV_KERNEL);
    REQUIRE(*out, CUDA_ERROR_INVALID_HANDLE, "%p is no kernel, or one whose library was unloaded",
            (void *)handle);
    return CUDA_SUCCESS;
}

// ---- Loading ------------------------------------------------------------------------------

// What was set for kernels before they were loaded in this context.
static CUresult apply_attributes(struct drv_library *l, struct drv_context *ctx,
                                 struct drv_module *m) {
    for (unsigned i = 0; i < l->nkernels; i++) {
        int bytes = l->kernels[i].max_dynamic_shared[ctx->device->ordinal];
        struct drv_function *f;
        if (bytes < 0)
            continue;
        TRY(drv_module_function(m, i, &f));
        TRY(drv_function_set_attribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
    }
    return CUDA_SUCCESS;
}

// Under `loading`. NULL: it is not loaded there.
static struct drv_module *loaded_in(const struct drv_library *l, const struct drv_context *ctx) {
    for (unsigned i = 0; i < l->nloads; i++)
        if (l->loads[i].context_id == ctx->id)
            return drv_object_find(l->loads[i].module, DRV_MODULE);
    return NULL;
}

// Under `loading`.
static CUresult note_load(struct drv_library *l, struct drv_context *ctx, struct drv_module *m) {
    struct load *more = realloc(l->loads, (l->nloads + 1) * sizeof *more);
    REQUIRE(more, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a library");
    l->loads = more;
    m->of_library = true;
    l->loads[l->nloads++] = (struct load){ctx->id, m->object.handle};
    return apply_attributes(l, ctx, m);
}

static void unload_module(void *m) {
    drv_module_unload(m);
}

static CUresult check_code(const struct drv_library *l) {
    REQUIRE(l->refused == CUDA_SUCCESS, l->refused,
            "the library's code was refused when it was loaded");
    return CUDA_SUCCESS;
}

static CUresult module_in(struct drv_library *l, struct drv_context *ctx, struct drv_jit *jit,
                          struct drv_module **out) {
    CUresult result = CUDA_SUCCESS;
    struct drv_module *m;
    TRY(check_code(l));
    pthread_mutex_lock(&loading);
    *out = loaded_in(l, ctx);
    pthread_mutex_unlock(&loading);
    if (*out)
        return CUDA_SUCCESS;
    TRY(drv_module_load(ctx, l->image, l->size, jit, &m));
    pthread_mutex_lock(&loading);
    *out = loaded_in(l, ctx); // by another thread meanwhile
    bool mine = !*out;
    if (mine) {
        result = note_load(l, ctx, m);
        *out = m; // held by the call
    }
    pthread_mutex_unlock(&loading);
    // At the end of the call: the launch of a graph holds off unloads.
    if (!mine || result != CUDA_SUCCESS || !drv_object_alive(&l->object))
        drv_call_note(unload_module, m);
    return result;
}

static CUresult make_kernels(struct drv_library *l, struct drv_module *m) {
    uint32_t n = kd_module_info(m->m)->nkernels;
    l->kernels = calloc(n ? n : 1, sizeof *l->kernels);
    REQUIRE(l->kernels, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a library's kernels");
    for (; l->nkernels < n; l->nkernels++) {
        struct drv_kernel *k = &l->kernels[l->nkernels];
        k->library = l;
        k->index = l->nkernels;
        k->object.parent = &l->object;
        for (int d = 0; d < DRV_MAX_DEVICES; d++)
            k->max_dynamic_shared[d] = -1;
        k->name = strdup(kd_module_info(m->m)->kernels[k->index].name);
        if (!k->name || !drv_object_add(&k->object, DRV_KERNEL, NULL, kernel_release)) {
            free(k->name);
            FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a kernel");
        }
    }
    return CUDA_SUCCESS;
}

// False: another thread did it.
static bool unload(struct drv_library *l) {
    if (!drv_object_end(&l->object))
        return false;
    for (unsigned i = 0; i < l->nkernels; i++)
        drv_object_destroy(&l->kernels[i].object);
    pthread_mutex_lock(&loading);
    struct load *loads = l->loads;
    unsigned n = l->nloads;
    l->loads = NULL;
    l->nloads = 0;
    pthread_mutex_unlock(&loading);
    for (unsigned i = 0; i < n; i++) {
        struct drv_module *m = drv_object_find(loads[i].module, DRV_MODULE);
        if (m)
            drv_module_unload(m);
    }
    free(loads);
    if (l->retained)
        drv_context_release(l->retained);
    drv_object_drop(&l->object);
    return true;
}

// The context in which the library is loaded first: the current one, else the primary context of
// device 0, which the library then retains.
static CUresult first_context(struct drv_library *l, struct drv_context **ctx) {
    if (drv_top())
        return drv_context_usable(ctx);
    struct drv_device *d;
    TRY(drv_device_find(0, &d));
    TRY(drv_context_start(d->primary, ctx));
    l->retained = d->primary;
    return CUDA_SUCCESS;
}

static CUresult load_first(struct drv_library *l, struct drv_jit *jit) {
    struct drv_context *ctx;
    struct drv_module *m;
    TRY(first_context(l, &ctx));
    TRY(module_in(l, ctx, jit, &m));
    return make_kernels(l, m);
}

// Programs embed a small struct that points to the container; some pass that.
static const void *unwrap(const void *image) {
    static const uint32_t magic = KIMG_WRAPPER_MAGIC;
    struct kimg_wrapper w;
    if (strncmp(image, (const char *)&magic, sizeof magic)) // byte by byte: text may be shorter
        return image;
    memcpy(&w, image, sizeof w);
    return w.data;
}

// Length of an image that the program did not give: PTX text ends with NUL, a container has its
// length in its header. Of a cubin the container in it is taken.
static CUresult image_size(const void **image, size_t *size) {
    char why[256] = "";
    bool foreign;
    *image = unwrap(*image);
    REQUIRE(*image, CUDA_ERROR_INVALID_IMAGE, "the image's wrapper points nowhere");
    if (cubin_is_elf(*image, 0)) {
        *image = cubin_container(*image, 0, size, &foreign, why, sizeof why);
        REQUIRE(*image, foreign ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_IMAGE, "%s",
                why);
    } else if (kimg_is_container(*image, 0)) {
        struct kimg it;
        REQUIRE(kimg_open(&it, *image, 0, why, sizeof why), CUDA_ERROR_INVALID_IMAGE, "%s", why);
        *size = it.size;
    } else {
        *size = strlen(*image);
    }
    return CUDA_SUCCESS;
}

static CUresult parse_options(CUlibraryOption *options, void **values, unsigned n,
                              bool *preserved) {
    REQUIRE(!n || options, CUDA_ERROR_INVALID_VALUE,
            "libraryOptions cannot be NULL when there are %u options", n);
    for (unsigned i = 0; i < n; i++) {
        REQUIRE(options[i] >= 0 && options[i] < CU_LIBRARY_NUM_OPTIONS, CUDA_ERROR_INVALID_VALUE,
                "%d is no option of a library", (int)options[i]);
        REQUIRE(options[i] != CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE,
                CUDA_ERROR_NOT_SUPPORTED, "functions for host and device are not built");
        if (options[i] == CU_LIBRARY_BINARY_IS_PRESERVED)
            *preserved = true;
    }
    return CUDA_SUCCESS;
}

// What is wrong about code is told by the calls that use it (recorded on an H200, where libraries
// are loaded lazily and eagerly alike).
static bool is_of_code(CUresult result) {
    return result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_INVALID_PTX ||
           result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
           result == CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
}

// Takes over `copy`, also when it fails. image NULL: `refused` says what is wrong about it.
static CUresult create(CUlibrary *library, const void *image, void *copy, size_t size,
                       CUresult refused, struct drv_jit *jit) {
    struct drv_library *l = calloc(1, sizeof *l);
    if (!l || !drv_object_add(&l->object, DRV_LIBRARY, NULL, library_release)) {
        free(l);
        free(copy);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a library");
    }
    l->image = image;
    l->copy = copy;
    l->size = size;
    CUresult result = image ? load_first(l, jit) : refused;
    if (is_of_code(result)) {
        l->refused = result;
        result = CUDA_SUCCESS;
    }
    if (result == CUDA_SUCCESS)
        *library = l->object.handle;
    else
        unload(l);
    return result;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                           void **jitOptionsValues, unsigned int numJitOptions,
                           CUlibraryOption *libraryOptions, void **libraryOptionValues,
                           unsigned int numLibraryOptions) {
    ENTER();
    REQUIRE_POINTER(library);
    REQUIRE_POINTER(code);
    struct drv_jit jit;
    bool preserved = false;
    size_t size = 0;
    TRY(drv_jit_parse(&jit, numJitOptions, jitOptions, jitOptionsValues));
    TRY(parse_options(libraryOptions, libraryOptionValues, numLibraryOptions, &preserved));
    CUresult refused = image_size(&code, &size);
    if (refused != CUDA_SUCCESS)
        return create(library, NULL, NULL, 0, refused, &jit);
    if (preserved)
        return create(library, code, NULL, size, refused, &jit);
    char *copy = malloc(size + 1);
    REQUIRE(copy, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a library's image");
    memcpy(copy, code, size);
    copy[size] = '\0';
    return create(library, copy, copy, size, refused, &jit);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                               void **jitOptionsValues, unsigned int numJitOptions,
                               CUlibraryOption *libraryOptions, void **libraryOptionValues,
                               unsigned int numLibraryOptions) {
    ENTER();
    REQUIRE_POINTER(library);
    struct drv_jit jit;
    bool preserved = false;
    void *image;
    size_t size = 0;
    TRY(drv_jit_parse(&jit, numJitOptions, jitOptions, jitOptionsValues));
    TRY(parse_options(libraryOptions, libraryOptionValues, numLibraryOptions, &preserved));
    TRY(drv_read_file(fileName, &image, &size));
    if (!size) {
        free(image);
        FAIL(CUDA_ERROR_INVALID_IMAGE, "%s is empty", fileName);
    }
    return create(library, image, image, size, CUDA_SUCCESS, &jit);
}

CUresult cuLibraryUnload(CUlibrary library) {
    ENTER();
    struct drv_library *l;
    TRY(find_library(library, &l));
    REQUIRE(unload(l), CUDA_ERROR_INVALID_HANDLE, "%p was unloaded by another thread",
            (void *)library);
    return CUDA_SUCCESS;
}

// ---- What a library has -------------------------------------------------------------------

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name) {
    ENTER();
    REQUIRE_POINTER(pKernel);
    REQUIRE_POINTER(name);
    struct drv_library *l;
    TRY(find_library(library, &l));
    TRY(check_code(l));
    for (unsigned i = 0; i < l->nkernels; i++) {
        if (!strcmp(l->kernels[i].name, name)) {
            *pKernel = l->kernels[i].object.handle;
            return CUDA_SUCCESS;
        }
    }
    FAIL(CUDA_ERROR_NOT_FOUND, "the library has no kernel named '%s'", name);
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib) {
    ENTER();
    REQUIRE_POINTER(count);
    struct drv_library *l;
    TRY(find_library(lib, &l));
    *count = l->nkernels;
    return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib) {
    ENTER();
    REQUIRE_POINTER(kernels);
    struct drv_library *l;
    TRY(find_library(lib, &l));
    for (unsigned i = 0; i < l->nkernels && i < numKernels; i++)
        kernels[i] = l->kernels[i].object.handle;
    return CUDA_SUCCESS;
}

// The library's module in the current context.
CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pMod);
    struct drv_library *l;
    struct drv_module *m;
    TRY(find_library(library, &l));
    TRY(module_in(l, ctx, NULL, &m));
    *pMod = m->object.handle;
    return CUDA_SUCCESS;
}

static CUresult variable(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name,
                         bool managed) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(name);
    REQUIRE(dptr || bytes, CUDA_ERROR_INVALID_VALUE, "dptr and bytes cannot both be NULL");
    struct drv_library *l;
    struct drv_module *m;
    uint64_t ptr, size;
    struct kd_memory memory;
    TRY(find_library(library, &l));
    TRY(module_in(l, ctx, NULL, &m));
    TRY(drv_status(kd_module_var(m->m, name, &ptr, &size), ctx));
    REQUIRE(!managed || (kd_memory_find(ptr, &memory) && memory.kind == KD_MEMORY_MANAGED),
            CUDA_ERROR_NOT_FOUND, "'%s' is not a managed variable", name);
    if (dptr)
        *dptr = ptr;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
    ENTER();
    return variable(dptr, bytes, library, name, false);
}

CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
                             const char *name) {
    ENTER();
    return variable(dptr, bytes, library, name, true);
}

// No library has functions for host and device.
CUresult cuLibraryGetUnifiedFunction(void **fptr, CUlibrary library, const char *symbol) {
    ENTER();
    REQUIRE_POINTER(fptr);
    REQUIRE_POINTER(symbol);
    struct drv_library *l;
    TRY(find_library(library, &l));
    FAIL(CUDA_ERROR_NOT_FOUND, "the library has no function '%s' for host and device", symbol);
}

// ---- Kernels ------------------------------------------------------------------------------

CUresult drv_kernel_function(struct drv_kernel *k, struct drv_context *ctx,
                             struct drv_function **out) {
    struct drv_module *m;
    TRY(module_in(k->library, ctx, NULL, &m));
    return drv_module_function(m, k->index, out);
}

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pFunc);
    struct drv_kernel *k;
    struct drv_function *f;
    TRY(find_kernel(kernel, &k));
    TRY(drv_kernel_function(k, ctx, &f));
    *pFunc = f->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel) {
    ENTER();
    REQUIRE_POINTER(pLib);
    struct drv_kernel *k;
    TRY(find_kernel(kernel, &k));
    *pLib = k->library->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char **name, CUkernel kernel) {
    ENTER();
    REQUIRE_POINTER(name);
    REQUIRE_POINTER(kernel);
    struct drv_kernel *k;
    TRY(find_kernel(kernel, &k));
    *name = k->name;
    return CUDA_SUCCESS;
}

// A context of the device in which the kernel can be asked about: the current one when it is of
// that device, else the device's primary context, which must be active.
static CUresult function_on(CUkernel kernel, CUdevice dev, struct drv_kernel **k,
                            struct drv_function **f) {
    struct drv_device *d;
    struct drv_context *ctx = drv_context_on(drv_top());
    TRY(find_kernel(kernel, k));
    TRY(drv_device_find(dev, &d));
    if (!ctx || ctx->device != d)
        ctx = drv_context_active(d->primary);
    REQUIRE(ctx, CUDA_ERROR_INVALID_CONTEXT, "device %d has no active context", dev);
    return drv_kernel_function(*k, ctx, f);
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
    ENTER();
    REQUIRE_POINTER(pi);
    struct drv_kernel *k;
    struct drv_function *f;
    TRY(function_on(kernel, dev, &k, &f));
    return drv_function_attribute(f, attrib, pi);
}

// Holds for the contexts in which the library is loaded and for later ones.
CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
    ENTER();
    struct drv_kernel *k;
    struct drv_function *f;
    TRY(function_on(kernel, dev, &k, &f));
    TRY(drv_function_set_attribute(f, attrib, val));
    if (attrib == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        k->max_dynamic_shared[dev] = val;
    return CUDA_SUCCESS;
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
    ENTER();
    struct drv_kernel *k;
    struct drv_function *f;
    REQUIRE((unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL, CUDA_ERROR_INVALID_VALUE,
            "%d is no cache configuration", (int)config);
    TRY(function_on(kernel, dev, &k, &f));
    f->cache = config;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
                              size_t *paramSize) {
    ENTER_CONTEXT(ctx);
    struct drv_kernel *k;
    struct drv_function *f;
    TRY(find_kernel(kernel, &k));
    TRY(drv_kernel_function(k, ctx, &f));
    return drv_function_parameter(f, paramIndex, paramOffset, paramSize);
}

CUresult cuKernelGetParamCount(CUkernel kernel, size_t *paramCount) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(paramCount);
    struct drv_kernel *k;
    struct drv_function *f;
    TRY(find_kernel(kernel, &k));
    TRY(drv_kernel_function(k, ctx, &f));
    *paramCount = kd_kernel_info(f->k)->nparams;
    return CUDA_SUCCESS;
}
