// Functions: kernels of a module in a context, and their attributes.
#include <pthread.h>
#include <stdlib.h>

#include "driver/driver.h"
#include "support/capability.h"

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER; // of what modules know of functions

static void function_release(struct drv_object *o) {
    struct drv_function *f = (struct drv_function *)o;
    pthread_mutex_lock(&making);
    if (f->module->functions[f->index] == f)
        f->module->functions[f->index] = NULL;
    pthread_mutex_unlock(&making);
    drv_launch_steps_free(f->steps);
    free(f);
}

// Ends the handles; the functions go with their last holders.
void drv_functions_forget(struct drv_module *m) {
    uint32_t n = kd_module_info(m->m)->nkernels;
    for (uint32_t i = 0; i < n; i++) {
        pthread_mutex_lock(&making);
        void *handle = m->functions[i] ? m->functions[i]->object.handle : NULL;
        pthread_mutex_unlock(&making);
        drv_object_take(handle, DRV_FUNCTION);
    }
}

// Under `making`.
static struct drv_function *make(struct drv_module *m, uint32_t index) {
    struct drv_function *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->k = kd_module_kernel_at(m->m, index);
    f->module = m;
    f->index = index;
    f->carveout = CU_SHAREDMEM_CARVEOUT_DEFAULT;
    f->object.parent = &m->object;
    if (!drv_object_add(&f->object, DRV_FUNCTION, m->object.context, function_release)) {
        free(f);
        return NULL;
    }
    return m->functions[index] = f;
}

// A kernel has one handle in a module, however often it is asked for. The call holds the function.
CUresult drv_module_function(struct drv_module *m, uint32_t index, struct drv_function **out) {
    pthread_mutex_lock(&making);
    struct drv_function *f = m->functions[index];
    bool known = f != NULL;
    f = known ? drv_object_find(f->object.handle, DRV_FUNCTION) : make(m, index);
    pthread_mutex_unlock(&making);
    REQUIRE(f || !known, CUDA_ERROR_INVALID_HANDLE, "the module was unloaded by another thread");
    REQUIRE(f, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a function");
    REQUIRE(!kd_kernel_info(f->k)->lacking, CUDA_ERROR_NOT_FOUND,
            "kernel %s can call cudaDeviceSynchronize, which device code does not have",
            kd_kernel_info(f->k)->name);
    *out = f;
    return CUDA_SUCCESS;
}

CUresult drv_function_find(CUfunction handle, struct drv_context *ctx, struct drv_function **out) {
    *out = drv_object_find(handle, DRV_FUNCTION);
    if (__builtin_expect(*out != NULL, 1))
        return CUDA_SUCCESS;
    NO_CANCEL();
    struct drv_kernel *k = drv_object_find(handle, DRV_KERNEL);
    REQUIRE(k, CUDA_ERROR_INVALID_HANDLE, "%p is no function, or one whose module was unloaded",
            (void *)handle);
    if (!ctx)
        TRY(drv_context_usable(&ctx));
    return drv_kernel_function(k, ctx, out);
}

static CUresult set_required_cluster(struct drv_function *f, unsigned axis, int value) {
    REQUIRE(value >= 1 && value <= KD_CLUSTER_MAX_BLOCKS, CUDA_ERROR_INVALID_VALUE,
            "a cluster cannot have %d blocks in one direction", value);
    REQUIRE(!kd_kernel_info(f->k)->cluster[0], CUDA_ERROR_INVALID_VALUE,
            "the kernel was compiled for its shape of clusters");
    kd_kernel_set_cluster(f->k, axis, (uint32_t)value);
    return CUDA_SUCCESS;
}

CUresult drv_function_cluster(const struct drv_function *f, const unsigned wanted[3],
                              const unsigned grid[3], unsigned cluster[3]) {
    const struct kj_kernel *info = kd_kernel_info(f->k);
    for (unsigned i = 0; i < 3; i++) {
        unsigned required = kd_kernel_cluster(f->k, i);
        cluster[i] = wanted[0] ? wanted[i] : required ? required : 1;
        REQUIRE(!required || cluster[i] == required, CUDA_ERROR_INVALID_CLUSTER_SIZE,
                "kernel %s requires clusters of another shape", info->name);
        REQUIRE(cluster[i] <= KD_CLUSTER_MAX_BLOCKS && (!grid || grid[i] % cluster[i] == 0),
                CUDA_ERROR_INVALID_CLUSTER_SIZE,
                "the grid is %u blocks long in direction %c, which is no multiple of the cluster's "
                "%u",
                grid ? grid[i] : 0, "xyz"[i], cluster[i]);
    }
    REQUIRE(wanted[0] || kd_kernel_cluster(f->k, 0) || !info->cluster_required,
            CUDA_ERROR_INVALID_CLUSTER_SIZE, "kernel %s must be launched with clusters",
            info->name);
    unsigned blocks = cluster[0] * cluster[1] * cluster[2];
    const struct capability *c = f->module->object.context->device->properties->capability;
    REQUIRE(c->number >= 90 || (!wanted[0] && blocks == 1), CUDA_ERROR_INVALID_CLUSTER_SIZE,
            "compute capability %u.%u has no clusters", c->number / 10, c->number % 10);
    unsigned most = kd_kernel_large_clusters(f->k) ? KD_CLUSTER_MAX_BLOCKS : KD_CLUSTER_PORTABLE;
    if (info->max_cluster && info->max_cluster < most)
        most = info->max_cluster;
    REQUIRE(blocks <= most, CUDA_ERROR_INVALID_CLUSTER_SIZE,
            "a cluster of %u blocks; kernel %s can have %u", blocks, info->name, most);
    return CUDA_SUCCESS;
}

CUresult drv_function_attribute(struct drv_function *f, CUfunction_attribute attribute, int *out) {
    const struct kj_kernel *info = kd_kernel_info(f->k);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *out = (int)kd_kernel_max_threads(f->k);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *out = (int)info->shared_static;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *out = (int)kd_kernel_constant_bytes(f->k);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *out = (int)info->local_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *out = (int)info->registers;
        if (f->module->max_registers && info->registers > f->module->max_registers)
            *out = (int)f->module->max_registers;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *out = (int)kd_module_info(f->module->m)->target_sm;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *out = (int)f->module->object.context->device->properties->capability->number;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *out = (int)kd_kernel_max_dynamic_shared(f->k);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *out = f->carveout;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *out = info->cluster_required && !kd_kernel_cluster(f->k, 0);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *out = (int)kd_kernel_cluster(f->k, (unsigned)attribute -
                                                CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *out = kd_kernel_large_clusters(f->k);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *out = 0;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX:
        break;
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no attribute of a function", (int)attribute);
}

CUresult drv_function_set_attribute(struct drv_function *f, CUfunction_attribute attribute,
                                    int value) {
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        REQUIRE(value >= 0, CUDA_ERROR_INVALID_VALUE, "%d bytes are less than nothing", value);
        return drv_status(kd_kernel_set_max_dynamic_shared(f->k, (uint32_t)value), NULL);
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        REQUIRE(value >= -1 && value <= 100, CUDA_ERROR_INVALID_VALUE,
                "the carveout is a percentage or -1, not %d", value);
        f->carveout = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        return set_required_cluster(f, attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, value);
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        REQUIRE(value == 0 || value == 1, CUDA_ERROR_INVALID_VALUE, "%d is neither 0 nor 1", value);
        kd_kernel_allow_large_clusters(f->k, value);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: // one way to place them
        REQUIRE((unsigned)value <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING,
                CUDA_ERROR_INVALID_VALUE, "%d is no scheduling policy", value);
        return CUDA_SUCCESS;
    default:
        FAIL(CUDA_ERROR_INVALID_VALUE, "attribute %d of a function cannot be set", (int)attribute);
    }
}

CUresult drv_function_parameter(struct drv_function *f, size_t index, size_t *offset,
                                size_t *size) {
    REQUIRE(offset, CUDA_ERROR_INVALID_VALUE, "paramOffset cannot be NULL");
    const struct kj_kernel *info = kd_kernel_info(f->k);
    REQUIRE(index < info->nparams, CUDA_ERROR_INVALID_VALUE, "%s has %u parameters, no number %zu",
            info->name, info->nparams, index);
    *offset = info->params[index].offset;
    if (size)
        *size = info->params[index].size;
    return CUDA_SUCCESS;
}

// A function knows its context, which need not be current (recorded on an H200, driver 580). A
// kernel of a library is the current context's.
static CUresult find_usable(CUfunction handle, struct drv_function **f) {
    TRY(drv_function_find(handle, NULL, f));
    return drv_context_without_fault((*f)->module->object.context);
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc) {
    ENTER();
    REQUIRE_POINTER(pi);
    struct drv_function *f;
    TRY(find_usable(hfunc, &f));
    return drv_function_attribute(f, attrib, pi);
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
    ENTER();
    struct drv_function *f;
    TRY(find_usable(hfunc, &f));
    return drv_function_set_attribute(f, attrib, value);
}

// A preference: the machine's caches are not configured.
CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
    ENTER();
    struct drv_function *f;
    TRY(find_usable(hfunc, &f));
    REQUIRE((unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL, CUDA_ERROR_INVALID_VALUE,
            "%d is no cache configuration", (int)config);
    f->cache = config;
    return CUDA_SUCCESS;
}

// Banks have four bytes; setting them has no effect.
CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
    ENTER();
    struct drv_function *f;
    TRY(find_usable(hfunc, &f));
    REQUIRE((unsigned)config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE, CUDA_ERROR_INVALID_VALUE,
            "%d is no bank size", (int)config);
    return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc) {
    ENTER();
    REQUIRE_POINTER(hmod);
    struct drv_function *f;
    TRY(find_usable(hfunc, &f));
    *hmod = f->module->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc) {
    ENTER();
    REQUIRE_POINTER(name);
    REQUIRE_POINTER(hfunc);
    struct drv_function *f;
    TRY(find_usable(hfunc, &f));
    *name = kd_kernel_info(f->k)->name;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset,
                            size_t *paramSize) {
    ENTER();
    struct drv_function *f;
    TRY(find_usable(func, &f));
    return drv_function_parameter(f, paramIndex, paramOffset, paramSize);
}

CUresult cuFuncGetParamCount(CUfunction func, size_t *paramCount) {
    ENTER();
    REQUIRE_POINTER(paramCount);
    struct drv_function *f;
    TRY(find_usable(func, &f));
    *paramCount = kd_kernel_info(f->k)->nparams;
    return CUDA_SUCCESS;
}

// Functions are loaded with their module.
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
    ENTER();
    REQUIRE_POINTER(state);
    struct drv_function *f;
    TRY(find_usable(function, &f));
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function) {
    ENTER();
    struct drv_function *f;
    return find_usable(function, &f);
}
