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

#endif
