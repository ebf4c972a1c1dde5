// What kernels can come to call, themselves or through functions that they call.
#ifndef KUDZU_JIT_REACHED_CALLS_H
#define KUDZU_JIT_REACHED_CALLS_H

#include "abi/jit.h"
#include "ir/ir.h"

// Sets `lacking` and `launches` of the module's kernels, which stand in the order of its functions.
// A call through a pointer may come to every function of the module whose address is taken; what is
// lacking is looked for in direct calls alone, since such a kernel is not loaded at all.
void reached_calls_find(struct kir_module *m, struct kj_kernel *kernels);

#endif
