// What a struct kj_module is, inside the JIT library.
#ifndef KUDZU_JIT_MODULE_H
#define KUDZU_JIT_MODULE_H

#define KUDZU_JIT_BUILD
#include "ir/ir.h"
#include "jit/jit.h"

struct kj_module {
    struct kir_module *ir;
    struct kj_module_info info;
};

// memory_scope_run for an entry point: false also puts the reason into its log.
bool kj_run(void (*work)(void *), void (*undo)(void *), void *arg, char *log, size_t log_size);

#endif
