// -maxrregcount: a limit of registers for kernels that say nothing about it themselves.
#ifndef KUDZU_CC_MAX_REGISTERS_H
#define KUDZU_CC_MAX_REGISTERS_H

#include <stddef.h>

#include "support/arena.h"

// The PTX text with .maxnreg at every kernel that has neither launch bounds nor a limit of its own;
// the same text where `registers` is 0. A NUL follows it.
const char *max_registers_apply(struct arena *arena, const char *ptx, unsigned registers,
                                size_t *size);

#endif
