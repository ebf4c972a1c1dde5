// Kernels written in C that follow abi.h, loaded through a compiler library that is a table in
// this file: the device is tested without a compiler.
#ifndef KUDZU_TESTS_DEVICE_FAKE_MODULE_H
#define KUDZU_TESTS_DEVICE_FAKE_MODULE_H

#include "device/code/jit_library.h"
#include "device/code/kernel.h"
#include "device/code/module.h"
#include "device/expect.h"
#include "device/helpers/runtime.h"

struct fake_kernel {
    const char *name;
    void *entry;
    uint32_t mode, flags;
    uint32_t shared_static, param_bytes, local_bytes, spill_bytes, recursive;
};

static struct kj_module_info fake_info;
static struct kj_kernel fake_infos[64];
static const struct fake_kernel *fake_kernels;

static inline struct kj_module *fake_load(const char *ptx, size_t len, char *log, size_t size) {
    return (struct kj_module *)&fake_info;
}
static inline void fake_free(struct kj_module *m) {
}
static inline const struct kj_module_info *fake_get_info(const struct kj_module *m) {
    return &fake_info;
}
// What has no code here is interpreted.
static inline bool fake_compile(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec,
                                void **obj, size_t *size, struct kd_code_info *info, char *log,
                                size_t log_size) {
    return false;
}
static inline void fake_interpret(struct kj_module *m, uint32_t kernel, struct kd_block *b) {
    ((void (*)(struct kd_block *))fake_kernels[kernel].entry)(b);
}
static inline void fake_set_runtime(const struct kd_rt *rt) {
}
static inline const char *fake_version(void) {
    return "fake";
}

static const struct jit_library fake_library = {
    .module_load = fake_load,
    .module_free = fake_free,
    .module_info = fake_get_info,
    .compile = fake_compile,
    .interpret_block = fake_interpret,
    .set_runtime = fake_set_runtime,
    .version = fake_version,
};

static inline struct kd_context *fake_context(void) {
    struct kd_context *c;
    struct kd_device *d = kd_device_open(0);
    REQUIRE(d);
    setenv("CUDA_CACHE_DISABLE", "1", 1); // the same text stands for many modules here
    REQUIRE(kd_context_new(d, &c) == KD_OK);
    return c;
}

static inline struct kd_module *fake_module(struct kd_context *c, const struct fake_kernel *kernels,
                                            uint32_t n) {
    struct kd_module *m;
    fake_kernels = kernels;
    for (uint32_t i = 0; i < n; i++)
        fake_infos[i] = (struct kj_kernel){.name = kernels[i].name,
                                           .param_bytes = kernels[i].param_bytes,
                                           .shared_static = kernels[i].shared_static,
                                           .local_bytes = kernels[i].local_bytes,
                                           .registers = 32};
    fake_info.nkernels = n;
    fake_info.kernels = fake_infos;
    jit_library_use(&fake_library);
    REQUIRE(kd_module_load(c, "// fake", 0, NULL, &m) == KD_OK);
    for (uint32_t i = 0; i < n; i++) {
        struct code code = {.info = {.abi_version = KD_ABI_VERSION,
                                     .mode = kernels[i].mode,
                                     .width = 1,
                                     .spill_bytes = kernels[i].spill_bytes,
                                     .local_bytes = kernels[i].local_bytes,
                                     .recursive = kernels[i].recursive,
                                     .flags = kernels[i].flags},
                            .entry = kernels[i].entry,
                            .kernel = i};
        if (kernels[i].mode != KD_MODE_INTERPRETER)
            REQUIRE(kernel_add_code(kd_module_kernel_at(m, i), &code));
    }
    return m;
}

static inline enum kd_status fake_launch(struct kd_queue *q, struct kd_module *m, const char *name,
                                         uint32_t grid, uint32_t block, const void *params,
                                         uint32_t bytes) {
    struct kd_launch_config c = {.kernel = kd_module_kernel(m, name),
                                 .grid = {grid, 1, 1},
                                 .block = {block, 1, 1},
                                 .params = params,
                                 .param_bytes = bytes};
    REQUIRE(c.kernel);
    return kd_submit_launch(q, &c);
}

#endif
