// Modules: loading, kernels and variables by name, unloading.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "driver/graph/graph_exec.h"
#include "image/image.h"
#include "support/environment.h"
#include "support/whole_file.h"

static const uint64_t MOST_FILE_BYTES = 1ull << 32;

// Work that was submitted before the last holder let go may still use the code.
static void module_release(struct drv_object *o) {
    struct drv_module *m = (struct drv_module *)o;
    kd_module_retire(m->m);
    drv_uses_wait();
    kd_context_wait(o->context->c);
    if (kd_module_foreign(m->m) || drv_graphs_abroad)
        drv_contexts_wait();
    kd_module_free(m->m);
    free(m->functions);
    free(m);
}

bool drv_is_other_text(const void *image, size_t size) {
    unsigned char first = *(const unsigned char *)image;
    size = strnlen(image, size ? size : SIZE_MAX);
    return first < 128 && !kimg_is_container(image, size) &&
           !memmem(image, size, ".version", strlen(".version"));
}

CUresult drv_module_load(struct drv_context *ctx, const void *image, size_t size,
                         struct drv_jit *jit, struct drv_module **out) {
    REQUIRE_POINTER(image);
    struct kd_module *device_module;
    CUresult result = drv_status(
        kd_module_load(ctx->c, image, size, jit ? &jit->load : NULL, &device_module), ctx);
    if (jit)
        drv_jit_finish(jit);
    if (result == CUDA_ERROR_INVALID_PTX && drv_is_other_text(image, size))
        result = CUDA_ERROR_INVALID_IMAGE;
    TRY(result);
    struct drv_module *m = calloc(1, sizeof *m);
    uint32_t n = kd_module_info(device_module)->nkernels;
    if (m)
        m->functions = calloc(n ? n : 1, sizeof(struct drv_function *));
    if (m)
        m->m = device_module;
    if (m && jit)
        m->max_registers = jit->max_registers;
    if (!m || !m->functions || !drv_object_add(&m->object, DRV_MODULE, ctx, module_release)) {
        if (m)
            free(m->functions);
        free(m);
        kd_module_free(device_module);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a module");
    }
    *out = m;
    return CUDA_SUCCESS;
}

CUresult drv_read_file(const char *path, void **data, size_t *size) {
    struct whole_file f;
    struct stat status;
    REQUIRE(path && *path, CUDA_ERROR_INVALID_VALUE, "the file's name cannot be NULL or empty");
    // So an H200's driver answers.
    REQUIRE(stat(path, &status) || !S_ISDIR(status.st_mode), CUDA_ERROR_OUT_OF_MEMORY,
            "%s is a folder, which has no end to read to", path);
    if (!whole_file_read(&f, path, WHOLE_FILE_REGULAR, MOST_FILE_BYTES))
        FAIL(f.no_memory ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_FILE_NOT_FOUND,
             "%s cannot be read: %s", path, f.why);
    *data = f.data;
    *size = f.size;
    return CUDA_SUCCESS;
}

static CUresult load(CUmodule *module, const void *image, size_t size, struct drv_jit *jit) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(module);
    struct drv_module *m;
    TRY(drv_module_load(ctx, image, size, jit, &m));
    *module = m->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoad(CUmodule *module, const char *fname) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(module);
    void *image;
    size_t size;
    struct drv_module *m;
    TRY(drv_read_file(fname, &image, &size));
    CUresult result = CUDA_ERROR_INVALID_IMAGE;
    if (size)
        result = drv_module_load(ctx, image, size, NULL, &m);
    else
        drv_fail(result, "%s is empty", fname);
    free(image);
    TRY(result);
    *module = m->object.handle;
    return CUDA_SUCCESS;
}

// The image is PTX text that ends with NUL, a container, or a cubin of kudzu's.
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    ENTER();
    return load(module, image, 0, NULL);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                            CUjit_option *options, void **optionValues) {
    ENTER();
    struct drv_jit jit;
    TRY(drv_jit_parse(&jit, numOptions, options, optionValues));
    return load(module, image, 0, &jit);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin) {
    ENTER();
    return load(module, fatCubin, 0, NULL);
}

static CUresult find(CUmodule handle, struct drv_module **out) {
    *out = drv_object_find(handle, DRV_MODULE);
    REQUIRE(*out, CUDA_ERROR_INVALID_HANDLE, "%p is no module, or one that was unloaded",
            (void *)handle);
    return CUDA_SUCCESS;
}

// A module knows its context, which need not be current (recorded on an H200, driver 580).
static CUresult find_usable(CUmodule handle, struct drv_module **out) {
    TRY(find(handle, out));
    return drv_context_without_fault((*out)->object.context);
}

_Atomic uint64_t drv_unloads;
static pthread_rwlock_t unloads = PTHREAD_RWLOCK_INITIALIZER;

void drv_unloads_hold(void) {
    pthread_rwlock_rdlock(&unloads);
}

void drv_unloads_let(void) {
    pthread_rwlock_unlock(&unloads);
}

void drv_unloads_begin(void) {
    pthread_rwlock_wrlock(&unloads);
    drv_unloads++;
}

void drv_unloads_end(void) {
    pthread_rwlock_unlock(&unloads);
}

bool drv_module_unload(struct drv_module *m) {
    drv_unloads_begin();
    bool first = drv_object_end(&m->object);
    if (first)
        drv_functions_forget(m);
    drv_unloads_end();
    if (!first)
        return false;
    drv_references_forget(m);
    drv_object_drop(&m->object);
    return true;
}

// Waits for the work of the module's context. The modules of libraries go with the library.
CUresult cuModuleUnload(CUmodule hmod) {
    ENTER();
    struct drv_module *m;
    TRY(find_usable(hmod, &m));
    REQUIRE(!m->of_library, CUDA_ERROR_NOT_PERMITTED,
            "the module belongs to a library: unload that");
    struct drv_context *ctx = m->object.context;
    TRY(drv_status(kd_context_wait(ctx->c), ctx));
    REQUIRE(drv_module_unload(m), CUDA_ERROR_INVALID_HANDLE, "%p was unloaded by another thread",
            (void *)hmod);
    return CUDA_SUCCESS;
}

// CUDA_MODULE_LOADING: LAZY (the default) or EAGER. Kernels are compiled when first launched in
// both cases.
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    ENTER();
    REQUIRE_POINTER(mode);
    const char *wish = environment_get("CUDA_MODULE_LOADING");
    *mode = wish && !strcmp(wish, "EAGER") ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

int drv_module_kernel_index(const struct drv_module *m, const char *name) {
    const struct kj_module_info *info = kd_module_info(m->m);
    for (uint32_t i = 0; i < info->nkernels; i++)
        if (!strcmp(info->kernels[i].name, name))
            return (int)i;
    return -1;
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name) {
    ENTER();
    REQUIRE_POINTER(hfunc);
    REQUIRE_POINTER(name);
    struct drv_module *m;
    TRY(find_usable(hmod, &m));
    int index = drv_module_kernel_index(m, name);
    REQUIRE(index >= 0, CUDA_ERROR_NOT_FOUND, "the module has no kernel named '%s'", name);
    struct drv_function *f;
    TRY(drv_module_function(m, (uint32_t)index, &f));
    *hfunc = f->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule mod) {
    ENTER();
    REQUIRE_POINTER(count);
    struct drv_module *m;
    TRY(find_usable(mod, &m));
    *count = kd_module_info(m->m)->nkernels;
    return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions,
                                    CUmodule mod) {
    ENTER();
    REQUIRE_POINTER(functions);
    struct drv_module *m;
    TRY(find_usable(mod, &m));
    uint32_t n = kd_module_info(m->m)->nkernels;
    for (uint32_t i = 0; i < n && i < numFunctions; i++) {
        struct drv_function *f;
        TRY(drv_module_function(m, i, &f));
        functions[i] = f->object.handle;
    }
    return CUDA_SUCCESS;
}

// Both results are optional.
CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name) {
    ENTER();
    REQUIRE_POINTER(name);
    struct drv_module *m;
    TRY(find_usable(hmod, &m));
    uint64_t ptr, size;
    TRY(drv_status(kd_module_var(m->m, name, &ptr, &size), m->object.context));
    if (dptr)
        *dptr = ptr;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}
