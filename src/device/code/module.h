// Modules on a device: where their variables live, and the way to compile their kernels.
#ifndef KUDZU_DEVICE_MODULE_H
#define KUDZU_DEVICE_MODULE_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/code/kernel.h"
#include "device/device.h"
#include "image/image.h"

// The PTX of a module. What compiles in the background may keep it longer than the module.
struct ptx_text {
    atomic_uint owners;
    size_t size;
    char bytes[]; // and a NUL
};
struct ptx_text *ptx_text_share(struct ptx_text *t);
void ptx_text_release(struct ptx_text *t); // NULL is ignored

// What compiled code is made for first: speed, its being there soon, or the one after the other.
enum tier { TIER_BOTH, TIER_QUICK, TIER_FULL };

// What the environment says about code, read when a module is loaded.
struct code_options {
    uint32_t width;       // KUDZU_WIDTH: lanes; 0: the compiler chooses
    enum tier tier;       // KUDZU_TIER
    uint64_t stream_from; // KUDZU_STREAM: bytes that a launch stores, from which it may pass caches
    bool interpret;       // KUDZU_EXEC=interp
    bool plan;            // KUDZU_EXEC=plan: as the code generator plans, interpreted
    bool never_interpret; // KUDZU_EXEC=simd: what cannot be compiled is an error
    bool no_native;       // CUDA_FORCE_PTX_JIT, CUDA_FORCE_JIT
    bool no_compile;      // CUDA_DISABLE_PTX_JIT, CUDA_DISABLE_JIT
};

struct kd_module {
    struct code_options options;
    struct kd_context *context;
    struct kd_module *next, *prev; // of the context
    const struct kj_module_info *info;
    uint8_t **vars; // by index of info->vars
    struct kd_kernel *kernels;
    struct ptx_text *text; // NULL: the image had none
    const char *ptx;       // its bytes; NULL
    size_t ptx_size;
    bool launches;              // some of its kernels launch others; info says which
    bool submits;               // they may submit copies or sets; set where kernels are checked
    struct kimg_native *native; // NULL: none
    struct kimg_native *description; // info from the disk cache; NULL: none
    pthread_mutex_t jit_lock;
    struct kj_module *jit; // NULL until something has to be compiled
};

// The module as the compiler knows it, made on first use. NULL with the reason (also in log).
struct kj_module *module_jit(struct kd_module *m, char *log, size_t log_size,
                             enum kd_status *status);

// A block that never ends must not keep a launch alive after another block's fault: no code of the
// context's kernels can be executed any more. Threads that run it get a signal, and leave.
void context_stop_code(struct kd_context *c);

#endif
