// The helpers that generated code calls (abi.h), as prototypes.
#ifndef KUDZU_DEVICE_RUNTIME_H
#define KUDZU_DEVICE_RUNTIME_H

#include "abi/generated_code.h"

KD_RT_FUNCTIONS(KD_RT_DECLARE)

// Ends the launch: what kd_rt_fault does, with a reason.
_Noreturn void runtime_fault(struct kd_block *b, uint32_t thread, enum kd_fault fault,
                             const char *message);

// All of them, for the interpreter.
const struct kd_rt *runtime_table(void);
// Address of a helper by name; NULL: no such helper.
void *runtime_symbol(const char *name);

#endif
