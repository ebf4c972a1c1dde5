#include "cc/link/native_code.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "abi/jit.h"
#include "image/image.h"

// The functions of libkudzu-jit.so that are needed; it is loaded when native code is asked for,
// for it brings LLVM along.
struct jit {
    __typeof__(kj_module_load) *load;
    __typeof__(kj_module_free) *free;
    __typeof__(kj_module_info) *info;
    __typeof__(kj_compile) *compile;
    __typeof__(kj_version) *version;
};

static bool open_jit(struct jit *j) {
    void *lib = dlopen("libkudzu-jit.so", RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return cc_error("native code needs libkudzu-jit.so: %s", dlerror());
    *(void **)&j->load = dlsym(lib, "kj_module_load");
    *(void **)&j->free = dlsym(lib, "kj_module_free");
    *(void **)&j->info = dlsym(lib, "kj_module_info");
    *(void **)&j->compile = dlsym(lib, "kj_compile");
    *(void **)&j->version = dlsym(lib, "kj_version");
    return (j->load && j->free && j->info && j->compile && j->version) ||
           cc_error("libkudzu-jit.so is of another version");
}

typedef VEC(struct kimg_code) code_list;

static bool compile_kernel(struct arena *arena, const struct jit *j, struct kj_module *m,
                           uint32_t kernel, struct kd_spec spec, code_list *codes) {
    struct kimg_code code = {.kernel = kernel, .spec = spec};
    char log[2048] = "";
    void *object;
    if (!j->compile(m, kernel, &spec, &object, &code.obj_size, &code.info, log, sizeof log)) {
        cc_error("kernel %s: %s", j->info(m)->kernels[kernel].name, log);
        return false;
    }
    code.obj = arena_memdup(arena, object, code.obj_size);
    free(object);
    vec_push(arena, codes, code);
    return true;
}

// Each kernel for any launch and, where that makes a difference, without tests of alignment.
static bool compile_kernels(struct arena *arena, const struct jit *j, struct kj_module *m,
                            enum kd_level level, code_list *codes) {
    const struct kj_module_info *info = j->info(m);
    for (uint32_t k = 0; k < info->nkernels; ++k) {
        struct kd_spec spec = {.level = level};
        if (!compile_kernel(arena, j, m, k, spec, codes))
            return false;
        spec.flags = KD_SPEC_ALIGNED_PARAMS;
        if (info->kernels[k].naligned && !compile_kernel(arena, j, m, k, spec, codes))
            return false;
    }
    return true;
}

static bool build(struct arena *arena, const struct jit *j, struct kj_module *m, const char *ptx,
                  size_t size, uint32_t levels, void **out, size_t *out_size) {
    code_list codes = {0};
    for (int level = KD_LEVEL_X86_64_V2; level <= KD_LEVEL_AARCH64_SVE512; ++level)
        if (levels >> level & 1 && !compile_kernels(arena, j, m, (enum kd_level)level, &codes))
            return false;
    return kimg_native_build(j->info(m), codes.data, codes.len, ptx, size, j->version(), out,
                             out_size) ||
           cc_error("the native image cannot be built");
}

bool native_code_build(const char *ptx, size_t size, uint32_t levels, void **out,
                       size_t *out_size) {
    struct jit j = {0};
    if (!open_jit(&j))
        return false;
    char log[4096] = "";
    struct kj_module *m = j.load(ptx, size, log, sizeof log);
    if (!m)
        return cc_error("native code: %s", log);
    struct arena arena = {0};
    bool ok = build(&arena, &j, m, ptx, size, levels, out, out_size);
    arena_free(&arena);
    j.free(m);
    return ok;
}
