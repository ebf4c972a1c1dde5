// __maxnreg__ and -maxrregcount: limits of registers, which clang cannot write into PTX. The
// compiler plugin leaves a comment for each kernel with a limit of its own; this makes directives
// of both.
#ifndef KUDZU_PTX_MAX_REGISTERS_H
#define KUDZU_PTX_MAX_REGISTERS_H

#include <stddef.h>

#include "support/arena.h"

// The PTX text with .maxnreg at each kernel that asks for it, and with `registers` not 0 at each
// other one without launch bounds; the same text where there is none. A NUL follows it.
const char *max_registers_apply(struct arena *arena, const char *ptx, unsigned registers,
                                size_t *size);

#endif
