// What a struct kj_module is, inside the JIT library.
#ifndef KUDZU_JIT_MODULE_H
#define KUDZU_JIT_MODULE_H

#define KUDZU_JIT_BUILD
#include "abi/jit.h"
#include "ir/ir.h"

struct kj_module {
    struct kir_module *ir;
    struct kj_module_info info;
    struct kj_plan *plans; // atomic; those that were made, which end with the module
    void (*free_plans)(struct kj_plan *);
};

// memory_scope_run for an entry point: when memory ran out that is put into its log, too.
bool kj_run(void (*work)(void *), void (*undo)(void *), void *arg, char *log, size_t log_size);

// What the machine has beyond its level, as far as the device tells: KD_FEATURE_*. Nothing is known
// where code is made ahead.
uint32_t kj_features(void);

const struct kd_rt *kj_runtime(void);

#endif
