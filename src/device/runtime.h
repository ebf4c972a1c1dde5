// The helpers that generated code calls (abi.h), as prototypes.
#ifndef KUDZU_DEVICE_RUNTIME_H
#define KUDZU_DEVICE_RUNTIME_H

#include "device/abi.h"

KD_RT_FUNCTIONS(KD_RT_DECLARE)

// All of them, for the interpreter.
const struct kd_rt *runtime_table(void);
// Address of a helper by name; NULL: no such helper.
void *runtime_symbol(const char *name);

#endif
